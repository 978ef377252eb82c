//! Operands behind addresses, and memory.

use super::*;

impl Generator {
    /// Access through an address variable.
    pub(super) fn indirect(&mut self) -> Vec<String> {
        self.behind_address(&|t| INTS.contains(&t), Type::D, "add")
    }

    /// The same of 64-bit operands, and products.
    pub(super) fn wide_indirect(&mut self) -> Vec<String> {
        if self.ints.len() > INTS.len() && self.r.one_in(2) {
            self.behind_address(&|t| t.is_int() && t.bytes() >= 4, Type::Q, "add")
        } else {
            self.behind_address(&|t| DWORDS.contains(&t), Type::D, "mul")
        }
    }

    /// Access through an address variable: `op` of operands of types `int`, of which `widest` is the widest, and
    /// moves.
    pub(super) fn behind_address(
        &mut self,
        int: &dyn Fn(Type) -> bool,
        widest: Type,
        op: &str,
    ) -> Vec<String> {
        let target = self.var(int);
        let ty = target.ty;
        let size = ty.bytes();
        if self.r.one_in(2) {
            let e = self.exec_for(4);
            let e = self.narrow(e, widest);
            let first = self.r.below(target.elements);
            let split = self.r.below(first + 1);
            if !self.fits(&target, first, e.lanes - 1) {
                return vec![self.int_line()];
            }
            let set = format!("addr_add (M1_NM, 1) A0(0)<1> &{} {:#x}:uw", target.name, split * size);
            let rest = ((first - split) * size).min(500) / size * size;
            if first * size != split * size + rest {
                return vec![self.int_line()];
            }
            let name = ty.name();
            if self.r.one_in(2) {
                let (_, a) = self.src_var(e, Mods::Any, int);
                let guard = self.guard(e);
                vec![set, format!("{guard}mov {} r[A0(0),{rest}]<1>:{name} {a}", e.text())]
            } else {
                let (_, d) = self.dst(e, int);
                let (_, b) = self.src(e, Mods::None, int);
                let region = self.r.pick(&["<1;1,0>", "<0;1,0>"]);
                let guard = self.guard(e);
                vec![set, format!("{guard}{op} {} {d} r[A0(0),{rest}]{region}:{name} {b}", e.text())]
            }
        } else {
            // An address per lane.
            let lanes = self.r.pick(&[8, 16]).min(self.widest);
            let e = Exec { lanes, offset: 0, no_mask: self.r.one_in(2) || lanes > self.simd };
            let wide = Exec { no_mask: true, ..e };
            let (_, a) = self.src_var(wide, Mods::None, &|t| matches!(t, Type::UW | Type::UD));
            let mask = (target.elements - 1) * size;
            let x = wide.text();
            let (_, d) = self.dst(e, int);
            if d.is_empty() {
                return vec![self.int_line()];
            }
            vec![
                format!("and {x} spread(0,0)<1> {a} {mask:#x}:uw"),
                format!("addr_add {x} A1(0)<1> &{} spread(0,0)<1;1,0>", target.name),
                format!("{}mov {} {d} r[A1(0),0]<1,0>:{}", self.guard(e), e.text(), ty.name()),
            ]
        }
    }

    /// A gather from or scatter to the buffer.
    pub(super) fn memory(&mut self) -> Vec<String> {
        let lsc = self.caps.memory.lsc;
        let lanes = if self.simd == 8 { 8 } else { 16 };
        let offset = if self.simd == 32 && self.r.one_in(2) { 16 } else { 0 };
        let e = Exec { lanes, offset, no_mask: self.r.one_in(6) };
        let wide = Exec { lanes, offset: 0, no_mask: true };
        let (w, x) = (wide.text(), e.text());
        let ud = |t: Type| matches!(t, Type::UD | Type::D);
        let (_, a) = self.src_var(wide, Mods::None, &ud);
        // What a NaN's bits are is nobody's business, so floats are not stored.
        let store = self.r.one_in(2);
        let data = self.var(&|t| matches!(t, Type::UD | Type::D) || !store && t == Type::F);
        let room = data.bytes() / (lanes * 4).max(self.grf);
        if room == 0 {
            return vec![self.int_line()];
        }
        let two = room >= 2 && self.r.one_in(3);
        let guard = self.guard(Exec { lanes: 1, ..e });
        let (channels, elems) = if two { ("RG", "x2") } else { ("R", "") };
        let mut lines = Vec::new();
        if store {
            // Each lane has a dword of its own in every 128 bytes, or two in every 256.
            let (rows, shift) = if two { (BUFFER / 256 - 1, 8) } else { (BUFFER / 128 - 1, 7) };
            lines.push(format!("and {w} where(0,0)<1> {a} {rows:#x}:ud"));
            lines.push(format!("shl {w} where(0,0)<1> where(0,0)<1;1,0> {shift:#x}:ud"));
            lines.push(format!(
                "add {w} where(0,0)<1> where(0,0)<1;1,0> lane{}(0,0)<1;1,0>",
                if two { 8 } else { 4 }
            ));
        } else {
            lines.push(format!("and {w} where(0,0)<1> {a} {:#x}:ud", (BUFFER - 8) & !3));
        }
        let name = &data.name;
        lines.push(match (lsc, store) {
            (true, false) => {
                format!("{guard}lsc_load.ugm {x} {name}:d32{elems} bti(0x0)[where]:a32")
            }
            (true, true) => {
                format!("{guard}lsc_store.ugm {x} bti(0x0)[where]:a32 {name}:d32{elems}")
            }
            (false, false) => format!("{guard}gather4_scaled.{channels} {x} T6 0x0:ud where.0 {name}.0"),
            (false, true) => format!("{guard}scatter4_scaled.{channels} {x} T6 0x0:ud where.0 {name}.0"),
        });
        lines
    }
}
