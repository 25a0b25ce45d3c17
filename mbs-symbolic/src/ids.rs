//! Typed indices and vectors indexed by them.
//!
//! Entities refer to each other by small ids, never by pointer or by name. The
//! `Debug` form (`b3`, `j0`) is the one used in dumps and snapshots.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into one kind of [`IdVec`].
pub trait Id: Copy + Eq + Ord {
    /// The id at position `index`.
    fn new(index: usize) -> Self;
    /// The position in its [`IdVec`].
    fn index(self) -> usize;
}

macro_rules! define_ids {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl Id for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than 4 billion entities"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

define_ids! {
    /// A rigid body. Ground is `b0`.
    BodyId, "b";
    /// A frame fixed in a body. The reference frame of body `bN` is `fN`.
    FrameId, "f";
    /// A joint.
    JointId, "j";
    /// A constraint element (distance, rolling, ...).
    ConstraintId, "c";
    /// A force element.
    ForceId, "a";
    /// A parameter, given or derived.
    ParamId, "th";
    /// A signal set from outside.
    InputId, "in";
    /// An auxiliary state.
    StateId, "x";
    /// A table.
    TableId, "tab";
    /// A named expression.
    VariableId, "var";
    /// A named output.
    OutputId, "out";
    /// A position coordinate some joint declares. Joints that are cut lose theirs.
    CoordinateId, "p";
    /// A velocity some joint declares.
    VelocityId, "v";
    /// A conditional frozen within a step.
    ModeId, "mode";
    /// A link of the kinematic chain: a body, or the massless end of a joint that is
    /// welded to close a loop.
    LinkId, "l";
    /// A node of the expression graph.
    ExprId, "e";
}

/// A vector indexed by one kind of id.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }

    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// All items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items with their ids, in order.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (I::new(index), item))
    }

    /// The item, or `None` past the end.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        Self { items: items.into_iter().collect(), id: PhantomData }
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<I: Id + std::fmt::Debug, T: std::fmt::Debug> std::fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter_enumerated()).finish()
    }
}
