//! The order: of what can issue, always the instruction with the longest way to the end.

use std::{cmp::Reverse, collections::BinaryHeap};

use narrow::{as_index, low_u32, to_index, wide_u32};

use super::graph::Graph;
use crate::lists::{refill, reset};

/// Memory of the pass.
#[derive(Debug, Default)]
pub(super) struct List {
    /// For each instruction, how many that it waits for are not issued yet, and when it can issue.
    before: Vec<u32>,
    earliest: Vec<u32>,
    /// What waits for nothing but time: that time above, the instruction below.
    pending: BinaryHeap<Reverse<u64>>,
    /// What can issue now: the longest way above, the instruction's complement below, so that of equals the first
    /// one goes first.
    ready: BinaryHeap<u64>,
    order: Vec<u32>,
}

/// Two numbers as one that is compared by the first.
const fn pair(first: u32, second: u32) -> u64 {
    wide_u32(first) << 32 | wide_u32(second)
}

impl List {
    /// An order in which the code takes fewer cycles, if one is found.
    pub fn better(&mut self, graph: &mut Graph) -> Option<&mut [u32]> {
        if graph.cycles <= graph.least {
            return None;
        }
        graph.find_heights();
        self.run(graph).then_some(&mut self.order)
    }

    /// Finds an order. Returns whether all results are there earlier than in the order that the code has.
    fn run(&mut self, graph: &Graph) -> bool {
        // What stands behind the stretch is issued last.
        let n = graph.nodes.len() - usize::from(graph.ends);
        reset(&mut self.earliest, graph.nodes.len(), 0);
        refill(&mut self.before, graph.nodes.iter().map(|node| node.before));
        self.order.clear();
        self.pending.clear();
        self.ready.clear();
        let first = (0..).zip(&graph.nodes[..n]).filter(|(_, node)| node.before == 0);
        self.ready.extend(first.map(|(i, node)| pair(node.height, !i)));
        let mut now = 0;
        let mut rest: u32 = graph.nodes.iter().map(|node| node.takes.issue).sum();
        while self.order.len() < n {
            while let Some(&Reverse(next)) = self.pending.peek()
                && low_u32(next >> 32) <= now
            {
                self.pending.pop();
                let i = low_u32(next);
                self.ready.push(pair(graph.nodes[as_index(i)].height, !i));
            }
            let Some(next) = self.ready.pop() else {
                let Some(Reverse(next)) = self.pending.peek() else { return false };
                now = low_u32(next >> 32);
                if now + rest >= graph.cycles {
                    return false;
                }
                continue;
            };
            let i = !low_u32(next);
            let issue = graph.nodes[as_index(i)].takes.issue;
            for (to, cycles) in graph.after(as_index(i)) {
                let earliest = self.earliest[to].max(now + cycles);
                self.earliest[to] = earliest;
                self.before[to] -= 1;
                if earliest >= graph.cycles {
                    return false;
                }
                if self.before[to] == 0 && to < n {
                    if earliest <= now + issue {
                        self.ready.push(pair(graph.nodes[to].height, !to_index(to)));
                    } else {
                        self.pending.push(Reverse(pair(earliest, to_index(to))));
                    }
                }
            }
            self.order.push(i);
            now += issue;
            rest -= issue;
        }
        if let Some(end) = graph.nodes.get(n) {
            now = now.max(self.earliest[n]) + end.takes.issue;
        }
        now < graph.cycles
    }
}
