//! The memory that structurization works in.

use crate::{layout, plan, structured, unthread};
use gen_ir::{Block, BlockId, Cfg, End, Virtual};

/// Memory that [`structurize_in`](crate::structurize_in) works in. What is in it between two kernels does not matter.
#[derive(Debug, Default)]
pub struct StructurizeMemory {
    pub(crate) cfg: Cfg,
    pub(crate) ends: Vec<End>,
    /// Blocks that are entered.
    pub(crate) marked: Vec<bool>,
    /// Blocks that stay.
    pub(crate) keep: Vec<bool>,
    pub(crate) renumbered: Vec<BlockId>,
    pub(crate) plans: plan::Plans,
    pub(crate) nodes: Vec<structured::Node>,
    pub(crate) forms: structured::Forms,
    pub(crate) unthread: unthread::Unthread,
    pub(crate) flags: gen_ir::UniformFlags,
    pub(crate) layout: layout::Layout,
    pub(crate) blocks: Vec<Block<Virtual>>,
}
