//! Names and dimensions of a model.
//!
//! Generated models keep them in a `static`, models built at run time own them;
//! [`Names`] and [`List`] serve both.

use core::fmt;
use core::ops::Deref;

/// A list that is part of the program or owned.
#[derive(Clone, PartialEq)]
pub struct List<T: 'static>(Items<T>);

#[derive(Clone, PartialEq)]
enum Items<T: 'static> {
    Static(&'static [T]),
    #[cfg(feature = "std")]
    Owned(std::vec::Vec<T>),
}

impl<T> List<T> {
    /// A list that is part of the program.
    pub const fn from_static(items: &'static [T]) -> Self {
        Self(Items::Static(items))
    }
}

#[cfg(feature = "std")]
impl<T> From<std::vec::Vec<T>> for List<T> {
    fn from(items: std::vec::Vec<T>) -> Self {
        Self(Items::Owned(items))
    }
}

impl<T> Deref for List<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match &self.0 {
            Items::Static(items) => items,
            #[cfg(feature = "std")]
            Items::Owned(items) => items,
        }
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::from_static(&[])
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

/// Names that are part of the program or owned.
#[derive(Clone)]
pub struct Names(Texts);

#[derive(Clone)]
enum Texts {
    Static(&'static [&'static str]),
    #[cfg(feature = "std")]
    Owned(std::vec::Vec<std::string::String>),
}

impl Names {
    /// Names that are part of the program.
    pub const fn from_static(names: &'static [&'static str]) -> Self {
        Self(Texts::Static(names))
    }

    /// How many.
    pub fn len(&self) -> usize {
        match &self.0 {
            Texts::Static(names) => names.len(),
            #[cfg(feature = "std")]
            Texts::Owned(names) => names.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name at a position.
    pub fn get(&self, index: usize) -> Option<&str> {
        match &self.0 {
            Texts::Static(names) => names.get(index).copied(),
            #[cfg(feature = "std")]
            Texts::Owned(names) => names.get(index).map(|name| name.as_str()),
        }
    }

    /// All names in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// Where a name stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.iter().position(|own| own == name)
    }
}

#[cfg(feature = "std")]
impl From<std::vec::Vec<std::string::String>> for Names {
    fn from(names: std::vec::Vec<std::string::String>) -> Self {
        Self(Texts::Owned(names))
    }
}

impl Default for Names {
    fn default() -> Self {
        Self::from_static(&[])
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Rows and columns of entries.
#[cfg(feature = "std")]
type Pattern = std::vec::Vec<(usize, usize)>;

/// Names and dimensions of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// The model's name, alone in its list.
    pub model: Names,
    /// Names of p.
    pub positions: Names,
    /// Units of p.
    pub position_units: Names,
    /// Names of v.
    pub velocities: Names,
    /// Units of v.
    pub velocity_units: Names,
    /// Names of x.
    pub states: Names,
    /// Name of the input of each slot of u; an input passed with its derivatives has
    /// three slots.
    pub inputs: Names,
    /// 0, 1 or 2 for u, u' or u'', slot by slot.
    pub input_derivatives: List<u8>,
    /// Names of the given parameters θ.
    pub parameters: Names,
    /// Defaults of θ, SI.
    pub parameter_defaults: List<f64>,
    /// Names of the derived parameters.
    pub derived: Names,
    /// Length of the array of prepared values.
    pub n_prepared: usize,
    /// Names of the constraint rows and of λ, holonomic ones first.
    pub rows: Names,
    /// What each row constrains.
    pub row_kinds: List<RowKind>,
    /// Number of holonomic rows.
    pub n_g: usize,
    /// Quaternions among p, which the driver normalises.
    pub quaternions: List<Quaternion>,
    /// Names of the conditionals frozen within a step.
    pub modes: Names,
    /// How each switching function decides its mode.
    pub mode_kinds: List<ModeKind>,
    /// Whether each switching function is affine in time and depends on nothing else, or belongs
    /// to a table of such an argument.
    pub time_modes: List<bool>,
    /// Where modes have an influence; empty if every mode always has.
    pub mode_uses: List<ModeUse>,
    /// Modes and the values they must have, for `mode_uses`.
    pub mode_conditions: List<(u32, bool)>,
    /// Tables whose kinks are events.
    pub kinks: List<Kinks>,
    /// Their names, after element and table.
    pub kink_names: Names,
    /// Where their kinks are, for `kinks`.
    pub kink_points: List<f64>,
    /// Names of the outputs.
    pub outputs: Names,
    /// Units of the outputs, empty where none is given.
    pub output_units: Names,
    /// Names of the bodies, in the order of their poses.
    pub bodies: Names,
    /// Rows and columns of M that are not always zero, column by column.
    pub mass_pattern: List<(u32, u32)>,
    /// Rows and columns of G that are not always zero, column by column.
    pub jacobian_pattern: List<(u32, u32)>,
    /// Names of the joints that close loops and hold an orientation; see
    /// [`System::closure_cosines`](crate::System::closure_cosines).
    pub closures: Names,
    /// Indices into p of initial values that are held, in the order listed.
    pub held_positions: List<u32>,
    /// Indices into v of initial values that are held, in the order listed.
    pub held_velocities: List<u32>,
}

impl Layout {
    /// The model's name.
    pub fn model(&self) -> &str {
        self.model.get(0).unwrap_or_default()
    }

    /// Number of positions.
    pub fn n_p(&self) -> usize {
        self.positions.len()
    }

    /// Number of velocities.
    pub fn n_v(&self) -> usize {
        self.velocities.len()
    }

    /// Number of auxiliary states.
    pub fn n_x(&self) -> usize {
        self.states.len()
    }

    /// Number of slots of u.
    pub fn n_u(&self) -> usize {
        self.inputs.len()
    }

    /// Number of constraint rows, and of multipliers.
    pub fn n_lambda(&self) -> usize {
        self.rows.len()
    }

    /// Room for the factors of [M Gᵀ; G 0] with the first `rows` rows of G.
    #[cfg(feature = "std")]
    pub fn saddle(&self, rows: usize) -> crate::linalg::Saddle {
        let (mass, jacobian) = self.patterns(rows);
        crate::linalg::Saddle::with_patterns(self.n_v(), rows, &mass, &jacobian)
    }

    /// Its sparse factors alone, where they pay.
    #[cfg(feature = "std")]
    pub(crate) fn sparse_saddle(&self, rows: usize) -> Option<crate::linalg::SparseLdlt> {
        let (mass, jacobian) = self.patterns(rows);
        crate::linalg::worthwhile(self.n_v(), rows, &mass, &jacobian)
    }

    /// Rows and columns of M, and of the first `rows` rows of G, that are not always zero.
    #[cfg(feature = "std")]
    fn patterns(&self, rows: usize) -> (Pattern, Pattern) {
        let pair = |&(i, j): &(u32, u32)| (i as usize, j as usize);
        let mass = self.mass_pattern.iter().map(pair).collect();
        let jacobian = self.jacobian_pattern.iter().map(pair).filter(|&(row, _)| row < rows).collect();
        (mass, jacobian)
    }

    /// Whether there are so many unknowns that zeros of matrices are left out.
    #[cfg(feature = "std")]
    pub(crate) fn is_large(&self) -> bool {
        self.n_v() + self.n_lambda() >= crate::linalg::LARGE
    }

    /// out += G v for G (n_λ × n_v) as the system gives it.
    #[cfg(feature = "std")]
    pub(crate) fn add_jacobian_product(&self, g: &[f64], v: &[f64], out: &mut [f64]) {
        let rows = self.n_lambda();
        if self.is_large() && !self.jacobian_pattern.is_empty() {
            for &(row, column) in self.jacobian_pattern.iter() {
                let (row, column) = (row as usize, column as usize);
                out[row] += g[column * rows + row] * v[column];
            }
            return;
        }
        for (column, v) in g.chunks_exact(rows.max(1)).zip(v) {
            for (out, g) in out.iter_mut().zip(column) {
                *out += g * v;
            }
        }
    }

    /// Rows of [`System::jacobian`](crate::System::jacobian): n_v + n_g + n_λ + n_x.
    pub fn jacobian_rows(&self) -> usize {
        self.n_v() + self.n_g + self.n_lambda() + self.n_x()
    }

    /// Columns of [`System::jacobian`](crate::System::jacobian): n_p + n_v + n_x + n_u.
    pub fn jacobian_columns(&self) -> usize {
        self.n_p() + self.n_v() + self.n_x() + self.n_u()
    }

    /// Whether a mode has an influence while the others are as `modes` says: a conditional on
    /// a branch that is not taken has none.
    pub fn is_active(&self, mode: usize, modes: &[bool]) -> bool {
        let applies = |place: &ModeUse| {
            let (first, count) = (place.first as usize, place.count as usize);
            let mut conditions = self.mode_conditions.iter().skip(first).take(count);
            conditions.all(|&(other, value)| modes.get(other as usize) == Some(&value))
        };
        let mut places = self.mode_uses.iter().filter(|place| place.mode as usize == mode);
        self.mode_uses.is_empty() || places.any(applies)
    }

    /// Where the kinks of a table are.
    pub fn kinks_of(&self, table: &Kinks) -> &[f64] {
        let first = table.first as usize;
        self.kink_points.get(first..first + table.count as usize).unwrap_or_default()
    }

    /// Name of the model element a constraint row belongs to.
    pub fn row_element(&self, row: usize) -> &str {
        let name = self.rows.get(row).unwrap_or_default();
        name.split('.').next().unwrap_or_default()
    }
}

/// What a constraint row constrains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what it says")]
pub enum RowKind {
    Position,
    Orientation,
    Distance,
    Coordinate,
    Equation,
    Nonholonomic,
}

/// How a switching function decides a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeKind {
    /// The mode holds where the function is below zero.
    Negative,
    /// The mode holds where the function is zero or below.
    NotPositive,
}

impl ModeKind {
    /// Whether the mode holds where its switching function has this value.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Negative => value < 0.0,
            Self::NotPositive => value <= 0.0,
        }
    }
}

/// A place where a mode has an influence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModeUse {
    /// The mode.
    pub mode: u32,
    /// First of its conditions among [`Layout::mode_conditions`].
    pub first: u32,
    /// How many; all must hold, none is always.
    pub count: u32,
}

/// A linear table at one argument whose kinks are events.
///
/// Its modes hold the number of the piece that counts, from 0, as a Gray code, lowest bit first.
/// The function of the highest bit is what is left of the argument to that bit's one kink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinks {
    /// First of its modes.
    pub first_mode: u32,
    /// How many.
    pub n_modes: u32,
    /// First of its kinks among [`Layout::kink_points`].
    pub first: u32,
    /// How many; increasing.
    pub count: u32,
}

impl Kinks {
    /// Its modes.
    pub fn modes(&self) -> core::ops::Range<usize> {
        self.first_mode as usize..(self.first_mode + self.n_modes) as usize
    }

    /// The number of the piece that modes say.
    pub fn piece(&self, modes: &[bool]) -> usize {
        let code = modes.get(self.modes()).unwrap_or_default();
        // From the highest bit down, each bit tells whether that of the number differs from
        // the one above.
        let next = |number: usize, &bit: &bool| number << 1 | (number & 1 ^ usize::from(bit));
        let piece = code.iter().rev().fold(0, next);
        piece.min(self.count as usize)
    }
}

/// Where a quaternion lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quaternion {
    /// Index of its scalar part in p; four in a row.
    pub p: u32,
    /// Index of the first angular velocity in v; three in a row.
    pub v: u32,
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec;

    #[test]
    fn owned_and_static_names_are_alike() {
        let owned: Names = vec!["a".to_string(), "b".to_string()].into();
        let fixed = Names::from_static(&["a", "b"]);
        assert_eq!(owned, fixed);
        assert_eq!((owned.position("b"), fixed.get(2), fixed.len()), (Some(1), None, 2));
        let list: List<u32> = vec![1, 2].into();
        assert_eq!(list[..], [1, 2]);
    }

    #[test]
    fn modes_spell_pieces() {
        let table = Kinks { first_mode: 1, n_modes: 3, first: 0, count: 5 };
        // The reflected code of 0 to 5, lowest bit first, behind a mode of something else.
        let codes = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1]]
            .map(|code| code.map(|bit| bit == 1));
        for (piece, [a, b, c]) in codes.into_iter().enumerate() {
            assert_eq!(table.piece(&[true, a, b, c]), piece);
        }
    }
}
