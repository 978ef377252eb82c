//! Functions that are called through the stack, calls of them, and their returns.

use super::*;
use crate::visa_random::{FunctionCall, GivenBack, RandomFunction, Signature, functions::TARGET};

/// A variable of each function: how deep it may still call itself, by lanes.
const DEPTH: &str = "depth";

/// Whose body calls and returns are put into.
#[derive(Clone, Copy)]
struct Within {
    signature: Signature,
    /// Functions that may be called: from this one on, below that one.
    callees: (u32, u32),
    /// It is a function's.
    is_function: bool,
}

impl Generator {
    /// Makes functions for a program, and calls of them in its body and subroutines.
    pub(super) fn put_functions(
        &mut self,
        body: &mut Vec<Node>,
        subs: &mut [Vec<Node>],
    ) -> (Signature, Vec<RandomFunction>) {
        let signature = Signature { arguments: 1 + self.r.below(3), results: 1 + self.r.below(2) };
        let count = 1 + self.r.below(3);
        let functions = (0..count).map(|i| self.function(signature, (i, count))).collect();
        let within = Within { signature, callees: (0, count), is_function: false };
        for list in std::iter::once(body).chain(subs) {
            self.put_calls(list, within, 3);
        }
        (signature, functions)
    }

    /// Function `place.0` of `place.1`, which may call those behind it, and itself.
    fn function(&mut self, signature: Signature, place: (u32, u32)) -> RandomFunction {
        let r = Draws(SplitMix::new(self.r.next()));
        let ints = self.ints.clone();
        let [vars, parts, late] = [const { Vec::new() }; 3];
        let mut g = Generator { r, ints, vars, parts, late, more_preds: Vec::new(), in_sub: false, ..*self };
        (g.counters, g.scalar_counters, g.fuels) = (0, 0, 0);
        g.declare();
        let mut budget = 8 + g.r.below(40);
        let mut body = g.nodes(&mut budget, 0, false);
        g.in_sub = true;
        let mut subs: Vec<Vec<Node>> = (0..2).map(|_| g.nodes(&mut 6, 1, false)).collect();
        if g.r.one_in(2) {
            drop_calls(&mut body);
            subs.clear();
        }
        g.put_expressions(&mut body);
        let within = Within { signature, callees: (place.0 + 1, place.1), is_function: true };
        g.put_returns(&mut body, signature, 0);
        for list in subs.iter_mut().chain([&mut body]) {
            g.put_calls(list, within, 1);
        }
        // What a thread runs for its pair, the emulator decides for the worst: such calls would have no end.
        let pairs = g.caps.flow.fused_pairs;
        if g.r.one_in(2) && !pairs {
            let at = g.r.below(body.len() as u32 + 1) as usize;
            let node = g.recursion(signature, place.0);
            body.insert(at, node);
        }
        body.push(Node::GiveBack(g.last_return(signature)));
        let mut init = g.init(if self.widest == 32 { 32 } else { 16 });
        init.extend(g.take_arguments(signature));
        let mut helpers = g.helpers();
        helpers.append(&mut g.parts);
        RandomFunction { vars: g.vars, helpers, init, body, subs }
    }

    /// A variable with a dword for each lane.
    fn dwords(&mut self) -> String {
        let simd = self.simd;
        let fitting = |v: &&Variable| DWORDS.contains(&v.ty) && v.elements >= simd;
        let names: Vec<String> = self.vars.iter().filter(fitting).map(|v| v.name.clone()).collect();
        names[self.r.below(names.len() as u32) as usize].clone()
    }

    fn lane_dwords(&mut self, count: u32) -> Vec<String> {
        (0..count).map(|_| format!("{}(0,0)<1;1,0>", self.dwords())).collect()
    }

    /// What a function does with its arguments: it knows how deep it may go, and some of its variables change.
    fn take_arguments(&mut self, signature: Signature) -> Vec<String> {
        let simd = self.simd;
        self.parts.push(Variable::new(DEPTH.into(), Type::D, simd));
        let mut lines = vec![format!("mov (M1, {simd}) {DEPTH}(0,0)<1> arg0(0,0)<1;1,0>")];
        for i in 0..signature.arguments {
            let (to, op) = (self.dwords(), self.r.pick(&["add", "xor"]));
            lines.push(format!("{op} (M1, {simd}) {to}(0,0)<1> {to}(0,0)<1;1,0> arg{i}(0,0)<1;1,0>"));
        }
        lines
    }

    fn last_return(&mut self, signature: Signature) -> GivenBack {
        let results = self.lane_dwords(signature.results);
        GivenBack { lines: Vec::new(), guard: String::new(), guarded: false, results }
    }

    /// Early returns, in branches and loops, too.
    fn put_returns(&mut self, nodes: &mut Vec<Node>, signature: Signature, depth: u32) {
        for inner in nodes.iter_mut().flat_map(lists) {
            self.put_returns(inner, signature, depth + 1);
        }
        if !self.r.one_in(2 + depth) {
            return;
        }
        let given = if depth > 0 && self.r.one_in(3) {
            self.last_return(signature)
        } else {
            let p = self.pred();
            let not = if self.r.one_in(2) { "!" } else { "" };
            GivenBack {
                lines: self.condition(&p),
                guard: format!("({not}{p})"),
                guarded: self.r.one_in(2),
                results: self.lane_dwords(signature.results),
            }
        };
        let at = self.r.below(nodes.len() as u32 + 1) as usize;
        nodes.insert(at, Node::GiveBack(given));
    }

    fn put_calls(&mut self, nodes: &mut Vec<Node>, within: Within, one_in: u32) {
        for inner in nodes.iter_mut().flat_map(lists) {
            self.put_calls(inner, within, one_in + 3);
        }
        if within.callees.0 == within.callees.1 || !self.r.one_in(one_in) && within.is_function {
            return;
        }
        for _ in 0..1 + self.r.below(2) {
            let depth = match self.r.below(4) {
                0 if !within.is_function => "trips(0,0)<1;1,0>".to_owned(),
                n => format!("{:#x}:d", if within.is_function { n / 2 } else { n }),
            };
            let call = self.function_call(within, depth);
            let at = self.r.below(nodes.len() as u32 + 1) as usize;
            nodes.insert(at, Node::Function(call));
        }
    }

    fn function_call(&mut self, within: Within, depth: String) -> FunctionCall {
        let Within { signature, callees, .. } = within;
        let pick = |g: &mut Generator| callees.0 + g.r.below(callees.1 - callees.0);
        let function = pick(self) as usize;
        let mut address = Vec::new();
        if self.r.one_in(3) {
            address.push(format!("faddr f{function} {TARGET}(0,0)<1>"));
            if self.r.one_in(2) {
                let other = pick(self);
                address.push(format!("faddr f{other} {TARGET}(0,1)<1>"));
                address.push(self.compare(SCALAR, "P6"));
                address.push(format!("(P6) mov (M1_NM, 1) {TARGET}(0,0)<1> {TARGET}(0,1)<0;1,0>"));
            }
        }
        let guard = if self.r.one_in(3) {
            let not = if self.r.one_in(2) { "!" } else { "" };
            format!("({not}{})", self.pred())
        } else {
            String::new()
        };
        let mut arguments = self.lane_dwords(signature.arguments);
        arguments[0] = depth;
        let results = (0..signature.results).map(|_| format!("{}(0,0)<1>", self.dwords())).collect();
        FunctionCall { before: Vec::new(), guard, address, function, arguments, results }
    }

    /// A call of the function itself, by the lanes that may go deeper.
    fn recursion(&mut self, signature: Signature, function: u32) -> Node {
        let simd = self.simd;
        let down = self.new_part(Type::D, simd);
        let within = Within { signature, callees: (function, function + 1), is_function: true };
        let mut call = self.function_call(within, format!("{down}(0,0)<1;1,0>"));
        call.guard = "(P5)".into();
        call.before = vec![
            format!("cmp.gt (M1, {simd}) P5 {DEPTH}(0,0)<1;1,0> 0x0:d"),
            format!("add (M1, {simd}) {down}(0,0)<1> {DEPTH}(0,0)<1;1,0> -1:w"),
        ];
        Node::Function(call)
    }
}
