//! What stays in which order, whatever is alive.

use super::*;
use crate::analysis::{flow::Flow, history::History, liveness::LivenessMemory};
use gen_ir::parse;
use platforms::Platform;

/// The order that instructions get where nothing is to be as it was written, by their numbers. Of some that leave as much alive
/// the first comes last: two that may be exchanged are.
fn order_of(code: &str) -> Vec<u32> {
    let heading = if code.contains(" load of ") { ", payload loads 1+0" } else { "" };
    let code = code.replace(" load of ", " ");
    let text = format!(
        "kernel \"t\" on skl{heading}
V0: 32 bytes, live out
V1: 32 bytes, live out
V2: 32 bytes, live in
V3: flag, 4 bytes, align 4, live in, live out
V4: address, 2 bytes, align 2, live in, live out
V5: 32 bytes, live in, address taken
B0:
{code}"
    );
    let kernel = parse(&text, Platform::Skl).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (mut accesses, mut flow, mut live) = (Accesses::default(), Flow::default(), Liveness::default());
    flow.find(&kernel);
    accesses.collect(&kernel, &flow, &mut History::default()).expect("few instructions");
    live.compute(&kernel, &accesses, &flow, &History::default(), &mut LivenessMemory::default());
    let mut graph = BlockGraph::default();
    graph.row_of.clear();
    graph.read(&kernel, &accesses, &live, 0);
    let [mut behind, mut ready, mut order] = [const { Vec::new() }; 3];
    let search = (Search::LeastAlive, FlagReaders::AsTheyCome, 0);
    let most = (u32::MAX, u32::MAX);
    let found = graph.order(search, most, &mut Alive::default(), &mut behind, &mut ready, &mut order);
    found.expect("no limit");
    order
}

const FIRST: &str = "mov (8|M0) V0(0)<1>:ud 0x1:ud\n";
const SECOND: &str = "mov (8|M0) V1(0)<1>:ud 0x2:ud\n";

#[test]
fn what_has_nothing_to_do_with_each_other_is_exchanged() {
    assert_eq!(order_of(&format!("{FIRST}{SECOND}")), [1, 0]);
}

#[test]
fn nothing_moves_past_what_stays() {
    let stay = [
        "sync.nop (1|M0) null<1>:ud\n",
        "nop (1|M0)\n",
        "wait (1|M0) n0.0<1>:ud n0.0<0;1,0>:ud\n",
        "mov (8|M0) null<1>:ud V2(0)<8;8,1>:ud\n",
        "mov (8|M0) r9.0<1>:ud V2(0)<8;8,1>:ud\n",
        "(W) and (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0xffffffcf:ud\n",
    ];
    for stay in stay {
        assert_eq!(order_of(&format!("{FIRST}{stay}{SECOND}")), [0, 1, 2], "{stay}");
    }
}

#[test]
fn nothing_moves_past_what_ends_a_block() {
    let end = [
        "send.ts (8|M0) null<1>:ud V2(0)<8;8,1>:ud 0x0 0x2000010 {EOT} wr:1+0 rd:0\n",
        "ret (8|M0) V2(0)<2;2,1>:d _\n",
        "call (8|M0) V2(0)<1>:d B1\nB1: subroutine\nret (8|M0) V2(0)<2;2,1>:d _\n",
    ];
    for end in end {
        assert_eq!(order_of(&format!("{FIRST}{SECOND}{end}")), [1, 0, 2], "{end}");
    }
}

/// The prologue of a kernel is entered behind its first instructions, too.
#[test]
fn what_loads_the_payload_stays() {
    let load = "(W) send.dc0 load of (8|M0) r2.0<1>:ud V2(0)<8;8,1>:ud 0x0 0x2180200 wr:1+0 rd:1\n";
    assert_eq!(order_of(&format!("{FIRST}{SECOND}{load}")), [0, 1, 2]);
    assert_eq!(order_of(&format!("{load}{FIRST}{SECOND}")), [0, 2, 1]);
}

#[test]
fn what_shares_more_than_variables_stays_in_order() {
    let pairs = [
        // Addresses are few, all of them are one thing here.
        ["(W) mov (1|M0) V4(0)<1>:uw 0x40:uw\n", "mov (8|M0) V0(0)<1>:ud r[V4(0),0]<1;1,0>:ud\n"],
        ["mach (8|M0) V0(0)<1>:d V2(0)<8;8,1>:d V2(0)<8;8,1>:d\n", "mov (8|M0) V1(0)<1>:d acc0.0<8;8,1>:d\n"],
        [
            "addc (8|M0) V0(0)<1>:ud V2(0)<8;8,1>:ud 0x1:ud\n",
            "subb (8|M0) V1(0)<1>:ud V2(0)<8;8,1>:ud 0x1:ud\n",
        ],
    ];
    for [first, second] in pairs {
        assert_eq!(order_of(&format!("{first}{second}")), [0, 1], "{first}{second}");
    }
}
