//! Which integrators a run was made with, and whether it turned stiff.

use super::Run;
use mbs_runtime::integrate::{Auto, Remedy, Stiffness};
use serde_json::{Value, json};

/// The integrators in turn, each with the time it began at.
fn in_turn<'r>(run: &'r Run<'_>) -> Vec<(&'r str, f64)> {
    let start = run.settings.t_start;
    if run.method != Auto::NAME {
        return vec![(&run.method, start)];
    }
    let mut methods = vec![(Auto::EXPLICIT, start)];
    if let Some(Stiffness { t, remedy: Remedy::Switched { to }, until }) = run.trajectory.stiffness {
        methods.push((to, t));
        methods.extend(until.map(|until| (Auto::EXPLICIT, until)));
    }
    methods
}

/// In words: `auto: mdop5, from t = 0.0103 s on radau5`.
pub(super) fn text(run: &Run<'_>) -> String {
    if run.method != Auto::NAME {
        return run.method.clone();
    }
    let mut out = String::from(Auto::NAME);
    for (index, (name, t)) in in_turn(run).into_iter().enumerate() {
        out += &if index == 0 { format!(": {name}") } else { format!(", from t = {t:.6} s on {name}") };
    }
    out
}

/// The integrators in turn.
pub(super) fn json(run: &Run<'_>) -> Value {
    in_turn(run).into_iter().map(|(name, from)| json!({"name": name, "from": from})).collect()
}

/// When the run turned stiff and what was done about it, or null.
pub(crate) fn stiffness(found: Option<Stiffness>) -> Value {
    found.map_or(Value::Null, |Stiffness { t, remedy, .. }| {
        let remedy = match remedy {
            Remedy::Nothing => "none",
            Remedy::NoJacobian => "no-jacobian",
            Remedy::Switched { .. } => "switched",
        };
        json!({"t": t, "remedy": remedy})
    })
}

/// What to do about a stiff run nothing was done about.
pub(super) fn warning(run: &Run<'_>) -> Option<String> {
    let Stiffness { t, remedy, until } = run.trajectory.stiffness?;
    let explicit = if run.method == Auto::NAME { Auto::EXPLICIT } else { &run.method };
    let help = match remedy {
        Remedy::Switched { to } => {
            let until = until?;
            return Some(format!(
                "warning: `{to}` found no step from t = {until:.6} s on, and `{explicit}` took over again, though the run is \
                 stiff"
            ));
        }
        Remedy::NoJacobian => {
            "no Jacobian of this model could be compiled for `radau5`, so it went on".to_owned()
        }
        Remedy::Nothing if run.method == Auto::NAME => {
            "to show the drift it went on; `radau5`, which keeps to the constraints, takes longer ones"
                .to_owned()
        }
        Remedy::Nothing => "`--method auto` or `radau5` takes longer ones".to_owned(),
    };
    Some(format!(
        "warning: stiff from t = {t:.6} s on: stability, not accuracy, limits the steps of `{explicit}`; {help}"
    ))
}
