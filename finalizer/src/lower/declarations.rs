//! Variables: vISA declarations become Gen IR variables, one per alias root.

use gen_ir::{AddrSub, Arf, FileByte, Kernel, Type, Var, VarClass, VarId, Virtual};
use messages::thread::GROUP_DWORDS;
use narrow::to_index;
use platforms::Caps;
use visa::{GeneralOperand, Predefined};

use super::{
    Lowered, NoVariable, Unsupported,
    convention::Stack,
    exchange::ExchangeLists,
    facts::{SourceFacts, StateVar},
    location::Location,
};
use crate::{build::VReg, lists::reset};

/// Predefined variables that are parts of the thread header, computed where the kernel starts ([`super::identity`]).
pub(crate) const COMPUTED: [Predefined; 4] =
    [Predefined::ThreadX, Predefined::ThreadY, Predefined::HwTid, Predefined::Color];

/// Which of [`COMPUTED`] a kernel names.
fn computed(facts: &SourceFacts) -> [bool; COMPUTED.len()] {
    COMPUTED.map(|var| (facts.named | facts.aliased) >> var.number() & 1 != 0)
}

/// A declared general variable.
#[derive(Clone, Copy, Debug)]
struct Declared {
    location: Location,
    /// `None` for a type that no operand has.
    ty: Option<Type>,
}

/// A surface or sampler variable.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Handle {
    /// The dword variable that holds the handle where a constant does not do.
    pub var: Option<VarId>,
    /// The value, if known at this point of the block.
    pub known: Option<u32>,
    /// It has several elements or an address: its value is never known.
    pub in_memory: bool,
}

/// The lists of a [`VarMap`].
#[derive(Debug, Default)]
pub(crate) struct VarLists {
    /// For stack calls.
    pub(super) exchange: ExchangeLists,
    /// Declared general variables.
    general: Vec<Declared>,
    pub(super) preds: Vec<VarId>,
    pub(super) addrs: Vec<VarId>,
    /// How many elements of each are named, where there is not enough room for all.
    used_elements: Vec<u32>,
    /// Surfaces, predefined ones first.
    surfaces: Vec<Handle>,
    samplers: Vec<Handle>,
    /// Inputs in kernels with stack calls, whose registers do not outlive a call: where they come from,
    /// where they go.
    pub moved_inputs: Vec<(VarId, VarId)>,
}

/// vISA variables to Gen IR variables.
pub(crate) struct VarMap {
    pub lists: VarLists,
    /// Bytes of a register.
    grf: u32,
    /// `r0`.
    pub r0: VarId,
    /// Registers of the calling convention, in kernels with stack calls.
    pub stack: Option<Stack>,
    /// Parts of `r0` that are computed when the kernel starts.
    pub(super) identity: [Option<VarId>; COMPUTED.len()],
    /// Some surface or sampler is known.
    pub(super) some_known: bool,
}

impl VarMap {
    pub(crate) fn new(
        kernel: &visa::Kernel,
        caps: &Caps,
        out: &mut Kernel<Virtual>,
        facts: &SourceFacts,
        mut lists: VarLists,
    ) -> Lowered<VarMap> {
        let grf = u32::from(caps.regs.grf_bytes);
        let r0 = out.add_var(Var {
            fixed: Some(FileByte::START),
            live_in: true,
            ..Var::temp(VarClass::General, grf, grf)
        });
        lists.general.clear();
        lists.preds.clear();
        lists.addrs.clear();
        lists.moved_inputs.clear();
        let surfaces = usize::from(visa::PREDEFINED_SURFACES) + kernel.surfaces.len();
        reset(&mut lists.surfaces, surfaces, Handle::default());
        // The last one is the bindless sampler.
        reset(&mut lists.samplers, kernel.samplers.len() + 1, Handle::default());
        let stack = Stack::of(kernel, facts, out, &mut lists.exchange);
        let mut map = VarMap {
            lists,
            grf,
            r0,
            stack,
            identity: computed(facts)
                .map(|used| used.then(|| out.add_var(Var::temp(VarClass::General, 4, 4)))),
            some_known: false,
        };
        map.declare_general(kernel, grf, out);
        map.place_inputs(kernel, out)?;
        map.declare_predicates(kernel, out);
        map.declare_addresses(kernel, out);
        map.declare_handles(kernel, facts, out);
        map.place_handle_inputs(kernel, out);
        if map.stack.is_some() && !kernel.is_function {
            map.move_inputs(grf, out)?;
        }
        Ok(map)
    }

    fn declare_predicates(&mut self, kernel: &visa::Kernel, out: &mut Kernel<Virtual>) {
        for (i, p) in kernel.preds.iter().enumerate() {
            let bytes = if p.num_elements > 16 { 4 } else { 2 };
            let var = Var { origin: Some(to_index(i)), ..Var::temp(VarClass::Flag, bytes, bytes) };
            self.lists.preds.push(out.add_var(var));
        }
    }

    /// Elements that nobody names take no room where there is not enough for all.
    fn declare_addresses(&mut self, kernel: &visa::Kernel, out: &mut Kernel<Virtual>) {
        let elements: u32 = kernel.addrs.iter().map(|a| u32::from(a.num_elements)).sum();
        let used = &mut self.lists.used_elements;
        used.clear();
        if elements > u32::from(AddrSub::COUNT) {
            find_used_elements(kernel, used);
        }
        for (i, a) in kernel.addrs.iter().enumerate() {
            let some = self.lists.used_elements.get(i).map_or(u32::MAX, |n| *n).max(1);
            let bytes = AddrSub::BYTES * u32::from(a.num_elements).min(some);
            let var =
                Var { origin: Some(to_index(i)), ..Var::temp(VarClass::Address, bytes, AddrSub::BYTES) };
            self.lists.addrs.push(out.add_var(var));
        }
    }

    fn declare_general(&mut self, kernel: &visa::Kernel, grf: u32, out: &mut Kernel<Virtual>) {
        let mut later = false;
        // Where rules compare the places of operands in their registers, what lanes have stays at the beginning of one.
        let rules_place = out.platform.caps().regions.compares_places();
        for (i, v) in kernel.vars.iter().enumerate() {
            let location = match v.alias {
                None => {
                    let bytes = v.bytes().max(1);
                    let declared = v.align.bytes(grf);
                    // Compilers have whatever lanes write begin a register. What needs it raises the alignment itself.
                    let small = bytes < grf;
                    let natural = natural_align(bytes, grf);
                    let align = if small && !rules_place { natural } else { natural.max(declared.min(grf)) };
                    let var = Var {
                        origin: Some(to_index(i)),
                        own_grf: small && declared >= grf,
                        even_grf: declared > grf,
                        ..Var::temp(VarClass::General, bytes, align)
                    };
                    Location::Var(out.add_var(var), 0)
                }
                // What stands before has its place, be it an alias itself.
                Some(alias) if alias.base < visa::VarId::from_declared(i) => {
                    self.view(alias.base, alias.offset.into(), v.bytes(), out)
                }
                Some(_) => {
                    later = true;
                    Location::Null
                }
            };
            self.lists.general.push(Declared { location, ty: gen_type(v.ty) });
        }
        self.declare_outputs(kernel, out);
        if !later {
            return;
        }
        for (i, v) in kernel.vars.iter().enumerate().filter(|(_, v)| v.alias.is_some()) {
            let (root, offset) = kernel.resolve_alias(visa::VarId::from_declared(i));
            self.lists.general[i].location = self.view(root, offset, v.bytes(), out);
        }
    }

    /// Variables that the kernel leaves to whoever runs behind it.
    fn declare_outputs(&self, kernel: &visa::Kernel, out: &mut Kernel<Virtual>) {
        for (i, v) in kernel.vars.iter().enumerate().filter(|(_, v)| v.attrs.len > 0) {
            let output =
                ["Output", "Input_Output"].iter().any(|name| kernel.attr_in(v.attrs, name).is_some());
            let (root, _) = kernel.resolve_alias(visa::VarId::from_declared(i));
            if let Location::Var(var, _) = self.location(root)
                && output
            {
                out.vars[var.index()].live_out = true;
            }
        }
    }

    /// The place of `bytes` bytes of a variable.
    fn view(&self, of: visa::VarId, offset: u32, bytes: u32, out: &mut Kernel<Virtual>) -> Location {
        match self.location(of) {
            Location::Var(id, base) => {
                // An alias may reach beyond its root, where nobody else lives then.
                let var = &mut out.vars[id.index()];
                if id != self.r0 && !var.no_spill {
                    var.bytes = var.bytes.max(base + offset + bytes);
                }
                Location::Var(id, base + offset)
            }
            Location::Arf(arf, base) => Location::Arf(arf, base + offset),
            other => other,
        }
    }

    /// The register that an operand starts in and the type of its elements, for the usual kind of variable.
    #[inline(always)]
    pub(crate) fn place(&self, g: &GeneralOperand) -> Option<(VReg, Type)> {
        let Declared { location: Location::Var(var, base), ty: Some(ty) } =
            *self.lists.general.get(g.var.declared()?)?
        else {
            return None;
        };
        let byte = u32::from(g.row) * self.grf + u32::from(g.col) * ty.bytes();
        Some((VReg::var_at(var, base + byte), ty))
    }

    /// Inputs sit where the input table says when the kernel starts.
    fn place_inputs(&mut self, kernel: &visa::Kernel, out: &mut Kernel<Virtual>) -> Lowered {
        for input in &kernel.inputs {
            let visa::InputVar::General(id) = input.var else { continue };
            let Location::Var(var, offset) = self.location(id) else { continue };
            let start = i64::from(input.offset) - i64::from(offset);
            let var = &mut out.vars[var.index()];
            match (u32::try_from(start).ok().and_then(FileByte::try_new), var.fixed) {
                (Some(start), None) => var.fixed = Some(start),
                (Some(start), Some(old)) if start == old => {}
                _ => return Err(Unsupported::InputPlaces.into()),
            }
            var.live_in = true;
        }
        Ok(())
    }

    /// Gives inputs a second variable, which may be anywhere.
    fn move_inputs(&mut self, grf: u32, out: &mut Kernel<Virtual>) -> Lowered {
        let mut left = u32::from(out.grf_count) * grf;
        for v in 0..out.vars.len() {
            let var = &out.vars[v];
            if v == self.r0.index() || !var.live_in || var.class != VarClass::General {
                continue;
            }
            // Each is copied: what no register file holds must not become code first.
            left = left.checked_sub(var.bytes).ok_or(Unsupported::InputsTooLarge)?;
            let incoming = out.vars[v].clone();
            let var = &mut out.vars[v];
            (var.fixed, var.live_in) = (None, false);
            self.lists.moved_inputs.push((out.add_var(incoming), VarId(to_index(v))));
        }
        Ok(())
    }

    /// The place of a general variable.
    pub(crate) fn location(&self, id: visa::VarId) -> Location {
        match (id.declared(), id.predefined()) {
            (Some(i), _) => self
                .lists
                .general
                .get(i)
                .map_or(Location::Missing(NoVariable::Undeclared), |place| place.location),
            (None, Some(p)) => self.predefined(p),
            (None, None) => Location::Missing(NoVariable::Reserved),
        }
    }

    fn predefined(&self, var: Predefined) -> Location {
        match var {
            Predefined::Null => Location::Null,
            Predefined::GroupIdX => Location::Var(self.r0, 4 * GROUP_DWORDS[0]),
            Predefined::ThreadX | Predefined::ThreadY | Predefined::HwTid | Predefined::Color => {
                let at = COMPUTED.iter().position(|c| *c == var);
                match at.and_then(|i| self.identity[i]) {
                    Some(id) => Location::Var(id, 0),
                    None => Location::Missing(NoVariable::Predefined),
                }
            }
            Predefined::GroupIdY => Location::Var(self.r0, 4 * GROUP_DWORDS[1]),
            Predefined::GroupIdZ => Location::Var(self.r0, 4 * GROUP_DWORDS[2]),
            Predefined::R0 => Location::Var(self.r0, 0),
            Predefined::Tsc => Location::Arf(Arf::Timestamp(0), 0),
            Predefined::Sr0 => Location::Arf(Arf::State(0), 0),
            Predefined::Cr0 => Location::Arf(Arf::Control(0), 0),
            Predefined::Ce0 => Location::Arf(Arf::ChannelEnable(0), 0),
            Predefined::Dbg0 => Location::Arf(Arf::Debug(0), 0),
            Predefined::Msg0 => Location::Arf(Arf::Msg(0), 0),
            Predefined::Arg
            | Predefined::RetVal
            | Predefined::Sp
            | Predefined::Fp
            | Predefined::ImplArgBufPtr
            | Predefined::LocalIdBufPtr => {
                self.stack.as_ref().map_or(Location::Missing(NoVariable::Stack), |s| s.location(var))
            }
            Predefined::ScratchLoc => Location::Missing(NoVariable::ScratchLocation),
        }
    }

    /// Gives handles in registers a variable.
    fn declare_handles(&mut self, kernel: &visa::Kernel, facts: &SourceFacts, out: &mut Kernel<Virtual>) {
        for &state in &facts.in_registers {
            let (declared, handle, origin) = match state {
                StateVar::Surface(s) => (kernel.surface(s), self.surface(s), s.0),
                StateVar::Sampler(s) => (kernel.sampler(s), self.sampler(s), s.0),
            };
            if let Some(handle) = handle {
                let elements = declared.map_or(1, |d| u32::from(d.num_elements).max(1));
                let var =
                    Var { origin: Some(u32::from(origin)), ..Var::temp(VarClass::General, 4 * elements, 4) };
                handle.var = Some(out.add_var(var));
                handle.in_memory = facts.in_memory(state);
            }
        }
    }

    /// At a block's start no handle is known.
    pub(crate) fn forget_handles(&mut self) {
        if !std::mem::take(&mut self.some_known) {
            return;
        }
        self.lists.surfaces.iter_mut().chain(&mut self.lists.samplers).for_each(|h| h.known = None);
    }

    /// Surface and sampler arguments of Cm kernels are inputs.
    fn place_handle_inputs(&mut self, kernel: &visa::Kernel, out: &mut Kernel<Virtual>) {
        for input in &kernel.inputs {
            let handle = match input.var {
                visa::InputVar::Surface(s) => self.surface(s),
                visa::InputVar::Sampler(s) => self.sampler(s),
                visa::InputVar::General(_) => None,
            };
            if let Some(var) = handle.and_then(|h| h.var) {
                let var = &mut out.vars[var.index()];
                var.fixed = u32::try_from(input.offset).ok().and_then(FileByte::try_new);
                var.live_in = true;
            }
        }
    }

    /// A surface that is a variable: a declared one, or one of the two bindless ones.
    pub(crate) fn surface(&mut self, id: visa::SurfaceId) -> Option<&mut Handle> {
        self.lists.surfaces.get_mut(id.index())
    }

    /// A sampler: a declared one, or the bindless one.
    pub(crate) fn sampler(&mut self, id: visa::SamplerId) -> Option<&mut Handle> {
        if id == visa::SamplerId::BINDLESS {
            return self.lists.samplers.last_mut();
        }
        self.lists.samplers.get_mut(id.index())
    }
}

/// How many elements of each address variable instructions name.
fn find_used_elements(kernel: &visa::Kernel, used: &mut Vec<u32>) {
    used.resize(kernel.addrs.len(), 0);
    for record in &kernel.code {
        for operand in kernel.operands_of(record) {
            let (addr, end) = match operand {
                visa::Operand::Vector(visa::VectorOperand::Address(a)) => {
                    (a.addr, u32::from(a.offset) + a.width.lanes().max(record.exec.size.lanes()))
                }
                visa::Operand::Vector(visa::VectorOperand::Indirect(i)) => {
                    // Rows with an address each have a width; what is written has one address.
                    let each = i.region.vstride().is_none() && i.region.width().is_some();
                    let rows = if each { record.exec.size.lanes() } else { 1 };
                    (i.addr, u32::from(i.addr_offset) + rows)
                }
                _ => continue,
            };
            if let Some(known) = used.get_mut(addr.index()) {
                *known = end.max(*known);
            }
        }
    }
}

/// Variables of a register and more start at one; smaller ones never cross a register boundary
/// (vISA specification, "Region Restrictions", rule 6).
fn natural_align(bytes: u32, grf: u32) -> u32 {
    bytes.next_power_of_two().min(grf)
}

/// The Gen type of a vISA type; `Bool` has none.
pub(crate) const fn gen_type(ty: visa::Type) -> Option<Type> {
    Some(match ty {
        visa::Type::UD => Type::Ud,
        visa::Type::D => Type::D,
        visa::Type::UW => Type::Uw,
        visa::Type::W => Type::W,
        visa::Type::UB => Type::Ub,
        visa::Type::B => Type::B,
        visa::Type::DF => Type::Df,
        visa::Type::F => Type::F,
        visa::Type::V => Type::V,
        visa::Type::VF => Type::Vf,
        visa::Type::UQ => Type::Uq,
        visa::Type::UV => Type::Uv,
        visa::Type::Q => Type::Q,
        visa::Type::HF => Type::Hf,
        visa::Type::BF => Type::Bf,
        visa::Type::Bool => return None,
    })
}
