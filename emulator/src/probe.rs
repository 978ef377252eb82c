//! Code run alone on one thread, to see what its messages hold: none reaches a shared function, each is noted
//! and gets an answer made from a seed.

mod record;

pub(crate) use record::Probe;
pub use record::{Probed, Sent};

use crate::{
    Bindings, Error, Options, RawLaunch,
    dispatch::run_probed,
    launch::Dispatch,
    memory::Memory,
    messages::Mail,
    program::{DescFrom, Program, Step},
    report::SendKind,
    thread::{Thread, Trap},
};
use narrow::{as_index, low_u8, to_index, to_u64};
use std::ops::Range;

use gen_ir::{Op, Sfid};
use messages::{SurfaceIndex, lsc::BtiExtended};
use platforms::Platform;

/// How messages name the memory that inputs are in.
const GENERAL_STATE: BtiExtended = BtiExtended::new().with_surface(SurfaceIndex::STATELESS);

/// Runs code with register bytes from `r0` on and these channels. The bytes in `hidden` count as undefined.
///
/// # Errors
///
/// What does not load or does not come to an end.
pub fn probe(
    platform: Platform,
    code: &[u8],
    simd: u32,
    channels: u32,
    registers: &[u8],
    hidden: &[Range<u32>],
    seed: u64,
) -> Result<Probed, Error> {
    let program = Program::load(platform, code)?;
    let grf = usize::from(platform.caps().regs.grf_bytes);
    let (header, inputs) = registers.split_at(grf.min(registers.len()));
    let launch = RawLaunch {
        simd,
        groups: [1; 3],
        threads: 1,
        payload: vec![inputs.to_vec()],
        ..RawLaunch::default()
    };
    let mut dispatch = Dispatch::raw(platform, &launch)?;
    (dispatch.masks, dispatch.bindings) = (vec![channels], Bindings::default());
    let loads = platform.caps().thread.payload_prologue;
    let mut probe = Probe {
        seed,
        header: header.to_vec(),
        hidden: hidden.to_vec(),
        prologue: if loads { inputs.len() } else { 0 },
        probed: Probed { sent: Vec::new(), registers: Vec::new() },
    };
    let options = Options { scoreboard: false, max_instructions: 100_000, ..Options::default() };
    run_probed(&program, &dispatch, &mut Memory::default(), &options, Some(&mut probe))?;
    Ok(probe.probed)
}

/// Bytes that a message answers with.
pub fn answer(seed: u64, message: usize, byte: usize) -> u8 {
    // A multiple of the seed: with the seed itself, neighbours would give the same bytes in another order.
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (to_u64(message) + 1) << 40 ^ (to_u64(byte) + 1);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    low_u8(x >> 31)
}

impl Probe {
    /// A thread starts.
    pub(crate) fn start(&self, t: &mut Thread) {
        t.rf[..self.header.len()].copy_from_slice(&self.header);
        for range in &self.hidden {
            t.undefine(range.start, range.end - range.start);
        }
    }

    /// Notes a message and answers it.
    pub(crate) fn message(&mut self, mail: &mut Mail<'_, '_>, step: &Step) -> Result<SendKind, Trap> {
        let m = mail.m;
        let extended = matches!(m.ex_desc, DescFrom::Addr(_));
        if extended && mail.len1 == 0 && !m.ex_bso {
            mail.len1 = mail.ex_desc.extended_length().registers().into();
        }
        let loads_payload = match m.sfid {
            Sfid::Ugm => mail.lanes == 1 && BtiExtended::from(mail.ex_desc) == GENERAL_STATE,
            // As Intel's code for Xe-HPG does.
            Sfid::Dc0 => mail.desc.surface() == SurfaceIndex::STATELESS_INCOHERENT,
            _ => false,
        };
        if self.prologue > 0 && loads_payload {
            self.prologue = self.prologue.saturating_sub(as_index(mail.rlen * mail.grf));
            return Ok(SendKind::Load);
        }
        let bytes = mail.len() * mail.grf;
        let mut payload = Vec::with_capacity(as_index(bytes));
        for byte in 0..bytes {
            let at = mail.payload(byte, 1)?;
            payload.push((!mail.t.undefined(at, 1)).then(|| mail.t.rf[as_index(at)]));
        }
        let response = if m.dst.is_some() { mail.rlen } else { 0 };
        let number = self.probed.sent.len();
        self.probed.sent.push(Sent {
            offset: mail.cx.program.offset_of(mail.t.pc),
            sfid: m.sfid,
            desc: (mail.desc.into_bits(), matches!(m.desc, DescFrom::Addr(_))),
            ex_desc: (mail.ex_desc.into_bits(), extended),
            ex_bso: m.ex_bso,
            eot: m.eot,
            conditional: matches!(step.op, Op::Sendc | Op::Sendsc),
            lanes: mail.lanes,
            no_mask: step.no_mask,
            on: mail.on,
            payload,
            second: as_index(mail.len1 * mail.grf),
            response,
        });
        if m.eot {
            mail.t.turn.end();
            let file = &mail.t.rf[..as_index(mail.t.grf_end)];
            let known = |(i, b): (usize, &u8)| (!mail.t.undefined(to_index(i), 1)).then_some(*b);
            self.probed.registers = file.iter().enumerate().map(known).collect();
            return Ok(SendKind::Gateway);
        }
        for byte in 0..response * mail.grf {
            mail.reply(byte, 1, answer(self.seed, number, as_index(byte)).into())?;
        }
        Ok(SendKind::Load)
    }
}
