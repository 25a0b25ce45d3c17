//! Coefficients of Runge–Kutta formulas, with their sources.

pub(crate) mod dormand_prince;
pub(super) mod half_explicit;
pub(super) mod radau;
