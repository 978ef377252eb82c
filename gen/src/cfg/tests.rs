use super::*;
use crate::Virtual;
use petgraph::{algo::dominators::simple_fast, visit::DfsPostOrder};
use platforms::Platform;

/// A kernel of such blocks.
fn kernel(blocks: &str) -> Kernel<Virtual> {
    let text = format!("V0: flag, 2 bytes, align 2\nV1: general, 8 bytes, align 8\n{blocks}");
    crate::parse(&text, Platform::Tgllp).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Their graph.
fn graph(blocks: &str) -> Cfg {
    Cfg::of(&kernel(blocks))
}

fn succs(cfg: &Cfg, block: u32) -> Vec<(u32, Edge)> {
    cfg.succs(BlockId(block)).map(|(to, edge)| (to.0, edge)).collect()
}

fn preds(cfg: &Cfg, block: u32) -> Vec<(u32, Edge)> {
    cfg.preds(BlockId(block)).map(|(from, edge)| (from.0, edge)).collect()
}

/// A loop with two ways back, around an `if` without `else`.
const LOOP: &str = "\
B0: -> B1
    nop
B1: -> B2 B3
    (V0(0)) goto (8|M0) _ B3
B2: -> B3 B1
    (V0(0)) goto (8|M0) _ B1
B3: -> B4 B1
    (V0(0)) goto (8|M0) _ B1
B4:
    nop
";

#[test]
fn branches_are_edges_both_ways() {
    let cfg = graph(LOOP);
    assert_eq!(cfg.len(), 5);
    assert_eq!(succs(&cfg, 0), [(1, Edge::Next)]);
    assert_eq!(succs(&cfg, 2), [(1, Edge::Branch), (3, Edge::Next)]);
    assert_eq!(preds(&cfg, 1), [(0, Edge::Next), (2, Edge::Branch), (3, Edge::Branch)]);
    assert_eq!(preds(&cfg, 3), [(1, Edge::Branch), (2, Edge::Next)]);
    assert_eq!(preds(&cfg, 0), []);
}

#[test]
fn a_loop_ends_with_the_last_branch_back() {
    let cfg = graph(LOOP);
    assert_eq!(cfg.back_edges(), [(2, 1), (3, 1)].map(|(tail, head)| (BlockId(tail), BlockId(head))));
    assert_eq!(cfg.loops(), [Loop { head: BlockId(1), last: BlockId(3) }]);
    let mut depths = Vec::new();
    cfg.find_depths(&mut Vec::new(), &mut depths);
    assert_eq!(depths, [0, 1, 1, 1, 0]);
    // Tangled: two heads, and neither loop holds the other.
    let cfg = graph(
        "\
B0: -> B1
    nop
B1: -> B2 B0
    (V0(0)) goto (8|M0) _ B0
B2: -> B3 B1
    (V0(0)) goto (8|M0) _ B1
B3: -> B3
    goto (8|M0) _ B3
",
    );
    assert_eq!(
        cfg.loops(),
        [(0, 1), (1, 2), (3, 3)].map(|(head, last)| Loop { head: BlockId(head), last: BlockId(last) })
    );
    cfg.find_depths(&mut Vec::new(), &mut depths);
    assert_eq!(depths, [1, 2, 1, 1]);
}

#[test]
fn orders_and_dominators_are_petgraph_s() {
    let cfg = graph(LOOP);
    let mut walk = DfsPostOrder::new(cfg.graph(), node(BlockId(0)));
    let mut order: Vec<usize> = std::iter::from_fn(|| walk.next(cfg.graph())).map(NodeIndex::index).collect();
    order.reverse();
    assert_eq!(order, [0, 1, 2, 3, 4]);
    let dominators = simple_fast(cfg.graph(), node(BlockId(0)));
    let idom = |b| dominators.immediate_dominator(node(BlockId(b))).map(NodeIndex::index);
    assert_eq!([0, 1, 2, 3, 4].map(idom), [None, Some(0), Some(1), Some(1), Some(3)]);
}

/// A subroutine that is called by all lanes and by some, and calls another.
const CALLS: &str = "\
B0: -> B4 B1
    call (8|M0) V1(0)<1>:d B4 _
B1: -> B4 B2
    (V0(0)) call (8|M0) V1(0)<1>:d B4 _
B2: -> B3
    nop
B3:
    nop
B4: subroutine -> B6 B5
    call (8|M0) V1(0)<1>:d B6 _
B5:
    ret (8|M0) _ _ V1(0)<0;1,0>:d
B6: subroutine
    ret (8|M0) _ _ V1(0)<0;1,0>:d
";

#[test]
fn returns_go_behind_every_call() {
    let cfg = graph(CALLS);
    let call = |site, entry, end, whole| Call {
        site: BlockId(site),
        entry: BlockId(entry),
        end: BlockId(end),
        whole,
    };
    assert_eq!(cfg.calls(), [call(0, 4, 6, true), call(1, 4, 6, false), call(4, 6, 7, true)]);
    assert_eq!(succs(&cfg, 0), [(1, Edge::AfterCall), (4, Edge::Call)]);
    assert_eq!(succs(&cfg, 1), [(2, Edge::NoCall), (4, Edge::Call)]);
    assert_eq!(succs(&cfg, 5), [(1, Edge::Return), (2, Edge::Return)]);
    assert_eq!(succs(&cfg, 6), [(5, Edge::Return)]);
    assert_eq!(preds(&cfg, 4), [(0, Edge::Call), (1, Edge::Call)]);
    assert_eq!(cfg.back_edges(), []);
}

#[test]
fn lanes_wait_in_callees_if_they_do_at_a_call() {
    let divergent = |blocks: &str, mut at: [bool; 7]| {
        graph(blocks).diverge_callees(&mut at);
        at.map(u8::from)
    };
    // The second call leaves lanes behind; so they are in what its callee calls.
    assert_eq!(divergent(CALLS, [false; 7]), [0, 0, 0, 0, 1, 1, 1]);
    let of_all = CALLS.replace("(V0(0)) call", "call");
    assert_eq!(divergent(&of_all, [false; 7]), [0; 7]);
    let inside = std::array::from_fn(|b| b == 4);
    assert_eq!(divergent(&of_all, inside), [0, 0, 0, 0, 1, 0, 1]);
}

#[test]
fn the_pointer_has_ways_of_its_own() {
    let cfg = graph(
        "\
B0: -> B1 B3
    (V0(0)) if (8|M0) B3 B4
B1: -> B4
    else (8|M0) B4 B4
B2: -> B3
    nop
B3: -> B4
    nop
B4: -> B5
    endif (8|M0) B6 _
B5: -> B6 B7
    (V0(0)) goto (8|M0) B6 B7
B6: -> B7
    join (8|M0) B7 _
B7:
    nop
",
    );
    assert_eq!(succs(&cfg, 0), [(1, Edge::Next), (3, Edge::Branch)]);
    assert_eq!(succs(&cfg, 1), [(2, Edge::Pointer), (4, Edge::Branch)]);
    assert_eq!(succs(&cfg, 4), [(5, Edge::Next), (6, Edge::Skip)]);
    // The way to the JIP is one of lanes already.
    assert_eq!(succs(&cfg, 5), [(6, Edge::Next), (7, Edge::Branch)]);
    assert_eq!(succs(&cfg, 6), [(7, Edge::Next), (7, Edge::Skip)]);
}

#[test]
fn another_kernel_leaves_nothing_behind() {
    let mut cfg = graph(CALLS);
    cfg.find(&kernel("B0:\n    nop\n"));
    assert_eq!((cfg.len(), succs(&cfg, 0)), (1, vec![]));
    assert!(cfg.calls().is_empty() && cfg.loops().is_empty() && cfg.back_edges().is_empty());
}

#[test]
fn what_only_a_dead_call_comes_back_to_is_unreachable() {
    // The subroutine is called from block 0, which then ends, and from block 2, which nothing comes to.
    let mut cfg = graph(
        "\
B0: -> B4 B1
    call (8|M0) V1(0)<1>:d B4 _
B1: -> B1
    goto (8|M0) _ B1
B2: -> B4 B3
    call (8|M0) V1(0)<1>:d B4 _
B3: -> B3
    goto (8|M0) _ B3
B4: subroutine
    ret (8|M0) _ _ V1(0)<0;1,0>:d
",
    );
    assert_eq!(succs(&cfg, 4), [(1, Edge::Return), (3, Edge::Return)]);
    let mut reachable = Vec::new();
    cfg.find_reachable(&mut reachable);
    assert_eq!(reachable, [true, true, false, false, true]);
}

#[test]
fn successors_are_those_of_the_branch() {
    let linked = |simd, blocks: &str| {
        let mut kernel = Kernel { simd, ..kernel(blocks) };
        kernel.link_blocks();
        kernel.blocks.iter().map(|b| b.succs.iter().map(|s| s.0).collect()).collect::<Vec<Vec<u32>>>()
    };
    let gotos = "\
B0:
    goto (8|M0) _ B2
B1:
    (V0(0)) goto (8|M0) _ B2
B2:
    (V0(0)) goto (8|M0) _ B3
B3:
    nop
";
    assert_eq!(linked(8, gotos), [vec![2], vec![2], vec![3], vec![]]);
    // Lanes that the branch is not wide enough for go on behind it.
    assert_eq!(linked(16, gotos)[0], [1, 2]);
    let calls = "\
B0:
    call (8|M0) V1(0)<1>:d B2 _
B1:
    jmpi (1|M0) B1 _
B2: subroutine
    (V0(0)) ret (8|M0) _ _ V1(0)<0;1,0>:d
B3:
    ret (8|M0) _ _ V1(0)<0;1,0>:d
";
    assert_eq!(linked(8, calls), [vec![2, 1], vec![1], vec![3], vec![]]);
}
