//! The order: of what can issue, always the instruction with the longest way to the end.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::graph::Graph;
use crate::lists::{refill, reset};

/// Memory of the pass.
#[derive(Debug, Default)]
pub(super) struct List {
    /// For each instruction, how many that it waits for are not issued yet, and when it can issue.
    before: Vec<u32>,
    earliest: Vec<u32>,
    /// What waits for nothing but time, by that time.
    pending: BinaryHeap<Reverse<(u32, u32)>>,
    /// What can issue now: the longest way first, then as it stood.
    ready: BinaryHeap<(u32, Reverse<u32>)>,
    order: Vec<u32>,
}

impl List {
    /// An order in which the code takes fewer cycles, if one is found.
    pub fn better(&mut self, graph: &Graph) -> Option<&[u32]> {
        let as_it_stands = self.cycles_in_order(graph);
        let cycles = self.run(graph);
        (cycles < as_it_stands).then_some(&self.order)
    }

    /// Cycles until all results are there, in the order that the code has.
    fn cycles_in_order(&mut self, graph: &Graph) -> u32 {
        reset(&mut self.earliest, graph.nodes.len(), 0);
        let (mut now, mut end) = (0, 0);
        for i in 0..graph.nodes.len() {
            now = now.max(self.earliest[i]);
            end = end.max(self.issue(graph, i, now));
            now += graph.nodes[i].issue;
        }
        end.max(now)
    }

    /// Issues an instruction: those behind it know when they can. Returns when its own result is there.
    fn issue(&mut self, graph: &Graph, i: usize, now: u32) -> u32 {
        let mut end = now;
        for (to, cycles) in graph.after(i) {
            let earliest = &mut self.earliest[to];
            *earliest = (*earliest).max(now + cycles);
            end = end.max(now + cycles);
        }
        end
    }

    fn run(&mut self, graph: &Graph) -> u32 {
        let n = graph.nodes.len();
        reset(&mut self.earliest, n, 0);
        refill(&mut self.before, graph.nodes.iter().map(|node| node.before));
        self.order.clear();
        self.pending.clear();
        self.ready.clear();
        self.pending.extend((0..n as u32).filter(|i| self.before[*i as usize] == 0).map(|i| Reverse((0, i))));
        let (mut now, mut end) = (0, 0);
        while self.order.len() < n {
            while let Some(&Reverse((time, i))) = self.pending.peek()
                && time <= now
            {
                self.pending.pop();
                self.ready.push((graph.nodes[i as usize].height, Reverse(i)));
            }
            let Some((_, Reverse(i))) = self.ready.pop() else {
                match self.pending.peek() {
                    Some(Reverse((time, _))) => now = *time,
                    None => break,
                }
                continue;
            };
            end = end.max(self.issue(graph, i as usize, now));
            for (to, _) in graph.after(i as usize) {
                self.before[to] -= 1;
                if self.before[to] == 0 {
                    self.pending.push(Reverse((self.earliest[to], to as u32)));
                }
            }
            self.order.push(i);
            now += graph.nodes[i as usize].issue;
        }
        if self.order.len() < n { u32::MAX } else { end.max(now) }
    }
}
