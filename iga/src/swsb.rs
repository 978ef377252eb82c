//! The scoreboard annotation as text: `I@2`, `$3.dst`.

use super::columns::Columns;
use gen_ir::{Pipe, SbidMode, Swsb};

/// `($1,$3)`.
pub(super) fn sbid_set(c: &mut Columns, bits: u32) {
    let mut sep = "(";
    if bits == 0 {
        c.ch('(');
    }
    for i in (0..32).filter(|i| bits >> i & 1 != 0) {
        c.put(sep);
        c.ch('$');
        c.num(i);
        sep = ",";
    }
    c.ch(')');
}

/// The letter of a pipe in a distance: `I@2`.
pub(super) fn pipe_letter(pipe: Pipe) -> &'static str {
    match pipe {
        Pipe::Own => "",
        Pipe::Float => "F",
        Pipe::Int => "I",
        Pipe::Long => "L",
        Pipe::Math => "M",
        Pipe::All => "A",
        Pipe::Scalar => "S",
    }
}

pub(super) fn put_swsb(c: &mut Columns, swsb: &Swsb, first: &'static str) {
    let mut sep = first;
    if swsb.no_acc_sb_set {
        c.put(sep);
        c.put("NoAccSBSet");
        sep = ",";
    }
    if let Some((pipe, distance)) = swsb.dist {
        c.put(sep);
        c.put(pipe_letter(pipe));
        c.ch('@');
        c.num(distance.into());
        sep = ",";
    }
    if let Some((mode, sbid)) = swsb.sbid {
        c.put(sep);
        c.ch('$');
        c.num(sbid.into());
        c.put(match mode {
            SbidMode::Set => "",
            SbidMode::Src => ".src",
            SbidMode::Dst => ".dst",
        });
    }
}
