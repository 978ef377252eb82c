//! Variables, as an instruction that is lowered asks for them: where they are, and what surfaces and samplers hold.

use gen_ir::{Dst, Op, Src, Type, VarId, scratch};

use super::{Lowered, Lowerer, Unsupported, declarations::Handle, location::Location};
use crate::build::{self, Lanes, VReg};

impl Lowerer<'_> {
    /// The place of a general variable, or why there is none.
    pub(crate) fn location(&self, id: visa::VarId) -> Lowered<Location> {
        match self.vars.location(id) {
            Location::Missing(why) => Err(Unsupported::NoVariable(why).into()),
            location => Ok(location),
        }
    }

    /// The variable of one of [`super::declarations::COMPUTED`], if the kernel names it.
    pub(crate) fn identity_var(&self, i: usize) -> Option<VarId> {
        self.vars.identity[i]
    }

    /// `r0` at byte `byte`.
    pub(crate) fn r0(&self, byte: u32) -> VReg {
        VReg::var_at(self.vars.r0, byte)
    }

    /// The flag variable of a predicate, wide enough for the channels of an instruction.
    pub(crate) fn flag(&mut self, id: visa::PredId, lanes: Lanes) -> Lowered<VarId> {
        if let Some(flag) = self.moved.find(id) {
            return Ok(flag);
        }
        let Some(&flag) = id.declared().and_then(|i| self.vars.lists.preds.get(i)) else {
            return Err(Unsupported::NoSuch("predicate").into());
        };
        if u32::from(lanes.chan) + lanes.exec.lanes() > 16 {
            let var = &mut self.out.vars[flag.index()];
            (var.bytes, var.align) = (4, 4);
        }
        Ok(flag)
    }

    /// The address variable.
    pub(crate) fn address(&self, id: visa::AddrId) -> Lowered<VarId> {
        self.vars
            .lists
            .addrs
            .get(id.index())
            .copied()
            .ok_or_else(|| Unsupported::NoSuch("address variable").into())
    }

    /// The handle of a surface.
    pub(crate) fn surface_handle(&mut self, id: visa::SurfaceId) -> Lowered<Handle> {
        match id.predefined_bti(self.caps.memory.stack_surfaces) {
            Some(bti) => Ok(Handle { known: Some(u32::from(bti)), ..Handle::default() }),
            None => {
                self.vars.surface(id).copied().ok_or_else(|| Unsupported::NoSuch("surface variable").into())
            }
        }
    }

    /// The thread's scratch surface, a variable: until the program sets it, the state that `r0.5` names
    /// (Intel's finalizer makes its own spills so).
    pub(crate) fn scratch_surface(&mut self) {
        let Some(var) = self.vars.surface(visa::SurfaceId::TSS).and_then(|h| h.var) else { return };
        let to = VReg::var_at(var, 0);
        let from = Src::scalar(self.r0(scratch::BASE_BYTE), Type::Ud);
        let srcs = [from, Src::ud(scratch::SURFACE_STATE)];
        self.emit(build::op(Op::And, Lanes::SCALAR, Dst::packed(to, Type::Ud), &srcs));
        if self.caps.sends.surface_offsets {
            let srcs = [Src::scalar(to, Type::Ud), Src::uw(scratch::SURFACE_SHIFT)];
            self.emit(build::op(Op::Shr, Lanes::SCALAR, Dst::packed(to, Type::Ud), &srcs));
        }
    }

    /// The handle of a sampler.
    pub(crate) fn sampler_handle(&mut self, id: visa::SamplerId) -> Lowered<Handle> {
        self.vars.sampler(id).copied().ok_or_else(|| Unsupported::NoSuch("sampler variable").into())
    }

    /// Notes what a surface or sampler holds from here on.
    pub(crate) fn set_surface(&mut self, id: visa::SurfaceId, known: Option<u32>) {
        self.vars.some_known |= known.is_some();
        if let Some(handle) = self.vars.surface(id) {
            handle.known = known.filter(|_| !handle.in_memory);
        }
    }

    /// Notes what a sampler holds from here on.
    pub(crate) fn set_sampler(&mut self, id: visa::SamplerId, known: Option<u32>) {
        self.vars.some_known |= known.is_some();
        if let Some(handle) = self.vars.sampler(id) {
            handle.known = known.filter(|_| !handle.in_memory);
        }
    }
}
