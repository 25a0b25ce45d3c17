//! How large a model may be. Each limit has an error of its own, so that nothing in
//! a file can make the compiler hang or run out of memory.

/// Bytes of the model file.
pub const FILE_BYTES: usize = 4 << 20;
/// Levels of nesting in YAML. The reader recurses, and without optimisation takes some 30 KiB of
/// stack for a level, so that this fits into the 2 MiB of a thread twice.
pub const YAML_DEPTH: usize = 32;
/// Elements and texts of one XML file.
pub const XML_NODES: u32 = 1_000_000;
/// Attributes of one XML element.
pub const ATTRIBUTES: usize = 1000;
/// Events that YAML aliases may expand to.
pub const ALIAS_EVENTS: usize = 100_000;
/// Bytes of one formula.
pub const FORMULA_BYTES: usize = 64 << 10;
/// Levels of nesting in one formula.
pub const FORMULA_DEPTH: usize = 128;
/// Terms of one formula after user functions are written out.
pub const FORMULA_TERMS: usize = 100_000;
/// Terms of all formulas together after user functions are written out.
pub const MODEL_TERMS: usize = 2_000_000;
/// Bodies besides ground.
pub const BODIES: usize = 2000;
/// Joints, forces, constraints and the like, each.
pub const ELEMENTS: usize = 20_000;
/// Files that include files.
pub const INCLUDE_DEPTH: usize = 16;
/// Files included in all.
pub const INCLUDED_FILES: usize = 1000;
/// Uses of assemblies.
pub const INSTANCES: usize = 20_000;
/// Assemblies in assemblies.
pub const INSTANCE_DEPTH: usize = 16;
/// Entries of all uses of assemblies together.
pub const INSTANCE_NODES: usize = 1_000_000;
/// Nodes of the graph all equations of a model are made of.
pub const NODES: usize = 5_000_000;
/// Entries of the mass matrix and the constraint Jacobian, zeros included: n_v² + n_λ n_v.
pub const ENTRIES: usize = 20_000_000;
/// Arguments of one user function.
pub const ARGUMENTS: usize = 16;
/// Coordinates, and steps, of one compound joint.
pub const COMPOUND: usize = 100;
/// Circles of one kind that are reported.
pub const CIRCLES: usize = 20;
/// Points of one table.
pub const TABLE_POINTS: usize = 1_000_000;
/// Bytes of one table file.
pub const TABLE_BYTES: usize = 64 << 20;
