//! Video analytics.

use super::row::*;
use crate::{opcode::Opcode::*, types::Type};

const DST: Slot = raw_dst("destination");
const fn f(name: &'static str) -> Slot {
    scalar(name, Types::of(&[Type::F]))
}

const fn int(name: &'static str) -> Slot {
    scalar(name, Types::INT)
}

const U: Slot = f("u offset");
const V: Slot = f("v offset");
const DST_SURFACE: Slot = SURFACE.named("destination surface");

const fn va(code: u8, name: &'static str, slots: &'static [Slot]) -> Row {
    sub(Va, code, name, slots).on(has!(sampler.media))
}

const fn va_plus(code: u8, name: &'static str, slots: &'static [Slot]) -> Row {
    sub(VaSklPlus, code, name, slots).on(has!(sampler.media_plus))
}

#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    va(1, "va_convolve_2d",   &[SUB, SAMPLER, SURFACE, U, V, u8("properties"), DST]),
    va(2, "va_minmax",        &[SUB, SURFACE, U, V, int("mode"), DST]),
    va(3, "va_minmaxfilter",  &[SUB, SAMPLER, SURFACE, U, V, u8("output format"), u8("execution mode"), int("mode"), DST]),
    va(4, "va_erode",         &[SUB, SAMPLER, SURFACE, U, V, u8("execution mode"), DST]),
    va(5, "va_dilate",        &[SUB, SAMPLER, SURFACE, U, V, u8("execution mode"), DST]),
    va(6, "va_boolcentroid",  &[SUB, SURFACE, U, V, int("v size"), int("h size"), DST]),
    va(7, "va_centroid",      &[SUB, SURFACE, U, V, int("v size"), DST]),

    va_plus(8,  "va_convolve_1d_v",     &[SUB, SAMPLER, SURFACE, U, V, u8("mode"), DST]),
    va_plus(9,  "va_convolve_1d_h",     &[SUB, SAMPLER, SURFACE, U, V, u8("mode"), DST]),
    va_plus(10, "va_convolve_1pixel",   &[SUB, SAMPLER, SURFACE, U, V, u8("mode"), raw_src("offsets"), DST]),
    va_plus(11, "va_floodfill",         &[SUB, u8("connectivity"), raw_src("pixel mask h direction"), int("pixel mask v left"),
                                                 int("pixel mask v right"), int("loop count"), DST]),
    va_plus(12, "va_lbpcreation",       &[SUB, SURFACE, U, V, u8("mode"), DST]),
    va_plus(13, "va_lbpcorrelation",    &[SUB, SURFACE, U, V, int("disparity"), DST]),
    va_plus(15, "va_correlationsearch", &[SUB, SURFACE, U, V, f("vertical origin"), f("horizontal origin"), int("x size"), int("y size"),
                                                 int("x search size"), int("y search size"), DST]),
    va_plus(16, "va_hdc_convolve_2d",   &[SUB, SAMPLER, SURFACE, U, V, u8("format and size"), DST_SURFACE, int("x offset"), int("y offset")]),
    va_plus(17, "va_hdc_minmaxfilter",  &[SUB, SAMPLER, SURFACE, U, V, u8("format"), u8("mode"), DST_SURFACE, int("x offset"), int("y offset")]),
    va_plus(18, "va_hdc_erode",         &[SUB, SAMPLER, SURFACE, U, V, DST_SURFACE, int("x offset"), int("y offset")]),
    va_plus(19, "va_hdc_dilate",        &[SUB, SAMPLER, SURFACE, U, V, DST_SURFACE, int("x offset"), int("y offset")]),
    va_plus(20, "va_hdc_lbpcorrelation",&[SUB, SURFACE, U, V, int("disparity"), DST_SURFACE, int("x offset"), int("y offset")]),
    va_plus(21, "va_hdc_lbpcreation",   &[SUB, SURFACE, U, V, u8("mode"), DST_SURFACE, int("x offset"), int("y offset")]),
    va_plus(22, "va_hdc_convolve_1d_h", &[SUB, SAMPLER, SURFACE, U, V, u8("format"), DST_SURFACE, int("x offset"), int("y offset")]),
    va_plus(23, "va_hdc_convolve_1d_v", &[SUB, SAMPLER, SURFACE, U, V, u8("format"), DST_SURFACE, int("x offset"), int("y offset")]),
    va_plus(24, "va_hdc_convolve_1pixel", &[SUB, SAMPLER, SURFACE, U, V, u8("format"), raw_src("offsets"), DST_SURFACE, int("x offset"), int("y offset")]),
];
