//! Nothing but tests: of the attribute `#[multibody]`, in `tests`.
