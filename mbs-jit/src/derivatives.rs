//! Derivatives that are compiled when they are first asked for.

use mbs_runtime::{At, NotGenerated, System};
use mbs_symbolic::program::Program;
use std::fmt;
use std::sync::OnceLock;

/// The same equations with their Jacobian, compiled by the first call that needs it; other threads
/// wait for it.
pub(crate) struct Derivatives {
    derive: Box<dyn Fn() -> Option<Program> + Send + Sync>,
    system: OnceLock<Option<Box<dyn System>>>,
}

impl Derivatives {
    pub(crate) fn new(derive: impl Fn() -> Option<Program> + Send + Sync + 'static) -> Self {
        Self { derive: Box::new(derive), system: OnceLock::new() }
    }

    /// The Jacobian of a model with parameters θ.
    pub(crate) fn jacobian(
        &self,
        theta: &[f64],
        at: &At<'_>,
        v_dot: &[f64],
        lambda: &[f64],
        out: &mut [f64],
    ) -> Result<(), NotGenerated> {
        let compile = || (self.derive)().map(|program| crate::system(&program).0);
        let system = self.system.get_or_init(compile).as_ref().ok_or(NotGenerated)?;
        // Other functions have other work on parameters to share.
        let mut prepared = vec![0.0; system.layout().n_prepared];
        system.prepare(theta, &mut prepared);
        system.jacobian(&At { prepared: &prepared, ..*at }, v_dot, lambda, out)
    }
}

impl fmt::Debug for Derivatives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Derivatives").field("compiled", &self.system.get().is_some()).finish_non_exhaustive()
    }
}
