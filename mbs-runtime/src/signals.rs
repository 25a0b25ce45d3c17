//! Inputs as functions of time.

/// Signals for the inputs of a system as functions of time.
///
/// Integrators take signals for smooth between breakpoints. One that jumps or has a kink
/// announces where, and a step ends there:
///
/// ```
/// use mbs_runtime::Signals;
///
/// /// 2 N on the first input from 0.25 s on, nothing before.
/// struct Push;
///
/// impl Signals for Push {
///     fn set(&mut self, t: f64, u: &mut [f64]) {
///         u[0] = if t >= 0.25 { 2.0 } else { 0.0 };
///     }
///     fn next_breakpoint(&self, after: f64) -> Option<f64> {
///         Some(0.25).filter(|t| *t > after)
///     }
/// }
///
/// let mut push = Push;
/// assert_eq!(push.next_breakpoint(0.0), Some(0.25));
/// assert_eq!(push.next_breakpoint(0.25), None);
/// # let mut u = [0.0];
/// # push.set(0.3, &mut u);
/// # assert_eq!(u, [2.0]);
/// ```
pub trait Signals: Send {
    /// Fills all slots of u at time t; what is there already are the model's defaults.
    ///
    /// At a breakpoint itself it is not asked: the step before gets the signal at the
    /// neighbouring number below, the step after that at the neighbouring number above.
    fn set(&mut self, t: f64, u: &mut [f64]);

    /// When the next breakpoint after a time is, s: a jump of a signal, or of a derivative that
    /// matters for the accuracy. None by default.
    fn next_breakpoint(&self, after: f64) -> Option<f64> {
        let _ = after;
        None
    }
}

/// Inputs as the model defaults them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Defaults;

impl Signals for Defaults {
    fn set(&mut self, _: f64, _: &mut [f64]) {}
}
