//! Placeholder
use crate::{
    messages::Cx,
    program::{Program, Step},
    thread::{Thread, Trap},
};
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard;
impl Scoreboard {
    pub(crate) fn new(_: &Program) -> Option<Scoreboard> {
        None
    }
    pub(crate) fn step(&mut self, _: &Thread, _: &mut Cx<'_>, _: &Step) -> Result<(), Trap> {
        Ok(())
    }
}
