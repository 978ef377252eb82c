//! Ways through a program on which nothing comes too early.
//!
//! What is under way follows from where a thread came from and what it has touched since. A jump empties the in-order pipes,
//! so that little is left, and the same again in each round of a loop: those are the roots. From a root on, each
//! instruction is a node, by its place and the channels that run; its neighbours are what else was seen there.

use super::state::{Kind, Owner, PIPES, Software, TOKENS, UNTRACKED};
use crate::program::Program;
use indexmap::IndexMap;
use narrow::{as_index, low_u8, to_index};

/// Ranges of registers that an instruction reads, and that it writes.
type Touched<'a> = (&'a [(u32, u32)], &'a [(u32, u32)]);

/// No such node.
pub(super) const NONE: u32 = u32::MAX;
/// Most nodes that are kept, and neighbours that are looked at.
const MOST_NODES: usize = 1 << 17;
const MOST_NEIGHBOURS: usize = 16;

/// What is known of a program's ways.
#[derive(Debug)]
pub(crate) struct Paths {
    nodes: Vec<Node>,
    ranges: Vec<(u32, u32)>,
    /// What is under way at the roots, and their nodes.
    roots: IndexMap<Pending, u32>,
    /// Boards that nobody needs now.
    spare: Vec<Software>,
}

/// An instruction that nothing is wrong with, where a way leads to it; or a root.
#[derive(Clone, Copy, Debug)]
struct Node {
    pc: u32,
    on: u32,
    /// Ends of the ranges that it reads, and behind those writes; and the first one.
    ranges: [u32; 3],
    parent: u32,
    child: u32,
    neighbour: u32,
    /// The root that a jump behind it leads to.
    jump: u32,
    root: u32,
}

/// What is under way where the in-order pipes are empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Pending {
    held: bool,
    /// Bytes, their writer and their readers.
    bytes: Vec<(u32, u32, Owner, u64)>,
    /// Kinds of the tokens that are still to read.
    kinds: Vec<(u8, Option<Kind>)>,
}

impl Default for Paths {
    /// Of the start alone, where nothing is under way.
    fn default() -> Paths {
        let mut paths =
            Paths { nodes: Vec::new(), ranges: Vec::new(), roots: IndexMap::new(), spare: Vec::new() };
        paths.root(Pending::default());
        paths
    }
}

impl Paths {
    fn is_full(&self) -> bool {
        self.nodes.len() >= MOST_NODES
    }

    /// The node of a root, unless there are too many.
    fn root(&mut self, state: Pending) -> u32 {
        if let Some(node) = self.roots.get(&state) {
            return *node;
        }
        if self.is_full() {
            return NONE;
        }
        let (node, root) = (to_index(self.nodes.len()), to_index(self.roots.len()));
        let ranges = [to_index(self.ranges.len()); 3];
        self.nodes.push(Node {
            pc: 0,
            on: 0,
            ranges,
            parent: NONE,
            child: NONE,
            neighbour: NONE,
            jump: NONE,
            root,
        });
        self.roots.insert(state, node);
        node
    }

    /// Whether a node is a root.
    pub(super) fn is_root(&self, node: u32) -> bool {
        self.nodes.get(as_index(node)).is_some_and(|n| n.parent == NONE)
    }

    /// The node behind one, at a place, for these channels; where it is not known what they touch, with these registers.
    pub(super) fn next(&self, node: u32, pc: u32, on: u32, touched: Option<Touched<'_>>) -> Option<u32> {
        let mut next = self.nodes.get(as_index(node))?.child;
        for _ in 0..MOST_NEIGHBOURS {
            let n = self.nodes.get(as_index(next))?;
            if (n.pc, n.on) == (pc, on) && touched.is_none_or(|touched| touched == self.touched(n)) {
                return Some(next);
            }
            next = n.neighbour;
        }
        None
    }

    fn touched(&self, node: &Node) -> Touched<'_> {
        let [first, reads, writes] = node.ranges.map(as_index);
        (&self.ranges[first..reads], &self.ranges[reads..writes])
    }

    /// Notes a node behind one, unless there are too many.
    pub(super) fn add(
        &mut self,
        node: u32,
        pc: u32,
        on: u32,
        reads: &[(u32, u32)],
        writes: &[(u32, u32)],
    ) -> u32 {
        let is_full = self.is_full();
        let next = to_index(self.nodes.len());
        let Some(parent) = self.nodes.get_mut(as_index(node)).filter(|_| !is_full) else { return NONE };
        let (neighbour, root) = (parent.child, parent.root);
        parent.child = next;
        let first = to_index(self.ranges.len());
        self.ranges.extend_from_slice(reads);
        let between = to_index(self.ranges.len());
        self.ranges.extend_from_slice(writes);
        let ranges = [first, between, to_index(self.ranges.len())];
        self.nodes.push(Node { pc, on, ranges, parent: node, child: NONE, neighbour, jump: NONE, root });
        next
    }

    /// The root that a jump leads to, if a thread has gone there before.
    pub(super) fn jump(&self, node: u32) -> Option<u32> {
        self.nodes.get(as_index(node)).map(|n| n.jump).filter(|jump| *jump != NONE)
    }

    /// The root for what is under way behind a jump, which a node leads to if there is one; none if there are too many.
    pub(super) fn jumped(&mut self, node: u32, board: &Software) -> u32 {
        let root = self.root(Pending::of(board));
        if let Some(node) = self.nodes.get_mut(as_index(node)) {
            node.jump = root;
        }
        root
    }

    /// What is under way at a node.
    pub(super) fn board(&mut self, program: &Program, node: u32) -> Software {
        let mut board = self.spare.pop().unwrap_or_else(|| Software::new(program));
        let mut way = Vec::new();
        let mut at = node;
        let mut root = 0;
        while let Some(n) = self.nodes.get(as_index(at)) {
            root = n.root;
            if n.parent == NONE {
                break;
            }
            way.push(n);
            at = n.parent;
        }
        if let Some((state, _)) = self.roots.get_index(as_index(root)) {
            state.restore(&mut board);
        }
        for n in way.into_iter().rev() {
            let (reads, writes) = self.touched(n);
            board.pass(program, &program.steps[as_index(n.pc)], reads, writes);
        }
        board
    }

    /// Takes a board that nobody needs.
    pub(super) fn give_back(&mut self, board: Software) {
        self.spare.push(board);
    }
}

impl Pending {
    /// Of a board whose in-order pipes are empty. Numbers of tokens count from the last that is done.
    fn of(board: &Software) -> Pending {
        let mut state = Pending { held: board.held, ..Pending::default() };
        let mut any = 0;
        for (at, (&writer, &readers)) in (0..).zip(board.writer.iter().zip(&board.readers)) {
            let writer = match writer {
                Owner::Token(k, n) => match n.saturating_sub(board.tokens[usize::from(k)].written) {
                    0 => Owner::Nobody,
                    left => Owner::Token(k, left),
                },
                Owner::Untracked => Owner::Untracked,
                Owner::Nobody | Owner::InOrder(..) => Owner::Nobody,
            };
            if writer == Owner::Nobody && readers == 0 {
                continue;
            }
            any |= readers;
            match state.bytes.last_mut() {
                Some((first, len, w, r)) if (*w, *r) == (writer, readers) && *first + *len == at => *len += 1,
                _ => state.bytes.push((at, 1, writer, readers)),
            }
        }
        let reading = (0..=TOKENS).filter(|k| any >> k & 1 != 0);
        state.kinds = reading.map(|k| (low_u8(k), board.tokens[k].kind)).collect();
        state
    }

    /// Sets a board to what was recorded.
    fn restore(&self, board: &mut Software) {
        board.held = self.held;
        board.issued = [0; PIPES];
        board.complete = [0; PIPES];
        board.writer.fill(Owner::Nobody);
        board.readers.fill(0);
        board.piped.fill([0; PIPES]);
        for token in &mut board.tokens {
            (token.taken, token.written, token.kind) = (0, 0, None);
            token.reads.clear();
        }
        for &(at, len, writer, readers) in &self.bytes {
            let range = as_index(at)..as_index(at + len);
            board.writer[range.clone()].fill(writer);
            board.readers[range].fill(readers);
            if let Owner::Token(k, n) = writer {
                let token = &mut board.tokens[usize::from(k)];
                token.taken = token.taken.max(n);
            }
            for k in (0..UNTRACKED).filter(|k| readers >> k & 1 != 0) {
                board.tokens[k].reads.push((at, len));
            }
        }
        for &(k, kind) in &self.kinds {
            board.tokens[usize::from(k)].kind = kind;
        }
    }
}
