//! What to change so that no constraint is redundant.
//!
//! Every advice is tried before it is given: the change is made in memory, the equations are
//! derived anew, and their constraints are looked at like those of the model itself. It is given
//! only if the degrees of freedom stay and what was redundant in the element is gone, alone and
//! together with the advice given before.

use super::change::{Change, candidates, rows};
use super::{Counts, counts};
use mbs_symbolic::dynamics::Element;
use mbs_symbolic::ids::{BodyId, Id, JointId};
use mbs_symbolic::model::{JointKind, Model};
use mbs_symbolic::topology::Topology;

/// Changes that are tried at most.
const TRIALS: usize = 40;
/// The sum of (n_v + n_λ)² over all trials, which cost about that: of large models only some
/// elements are examined.
const SIZE: usize = 150_000;

/// Looks for advice, element by element.
pub(super) struct Releases<'m> {
    model: &'m Model,
    topology: &'m Topology,
    /// Of the model as it is.
    before: Counts,
    /// (n_v + n_λ)².
    size: usize,
    trials: usize,
    /// Whether no more trials are left.
    is_exhausted: bool,
    /// All advice so far followed at once, with what is left redundant.
    followed: (Model, usize),
    given: Vec<(String, String)>,
}

impl<'m> Releases<'m> {
    pub(super) fn new(model: &'m Model, topology: &'m Topology, before: Counts, size: usize) -> Self {
        let followed = (model.clone(), before.total());
        let size = size.saturating_mul(size);
        Self { model, topology, before, size, trials: 0, is_exhausted: false, followed, given: Vec::new() }
    }

    /// Advice for each element that has redundant rows, with its name, and how many of them were
    /// left for want of trials.
    pub(super) fn find(mut self, elements: &[Element]) -> (Vec<(String, String)>, usize) {
        let mut left = std::collections::BTreeSet::new();
        for &element in elements {
            self.advise(element);
            let name = element.name(self.model);
            if self.is_exhausted && self.given.iter().all(|(known, _)| known != name) {
                left.insert(name);
            }
        }
        (self.given, left.len())
    }

    fn advise(&mut self, element: Element) {
        let name = element.name(self.model).to_owned();
        let own = self.before.of_element(&name);
        // What others were advised may have made this one necessary.
        if self.is_exhausted || own == 0 || self.given.iter().any(|(known, _)| *known == name) {
            return;
        }
        if let Some(words) = self.sliding(element, own) {
            self.given.push((name, words));
            return;
        }
        let all = rows(self.model, element, None);
        for (change, words) in candidates(self.model, element) {
            let left = rows(self.model, element, Some(&change));
            let fits = all.zip(left).is_none_or(|(all, left)| all.checked_sub(left) == Some(own));
            let leaves_out = matches!(change, Change::LeaveOut(_) | Change::Open(_));
            if (fits || leaves_out) && self.holds(&name, own, &[change]) {
                self.given.push((name, words));
                return;
            }
        }
    }

    /// A revolute joint whose loop needs another of its joints to slide: three rows too many.
    fn sliding(&mut self, element: Element, own: usize) -> Option<String> {
        let Element::Joint(id) = element else { return None };
        if own != 3 || !matches!(self.model.joints[id].kind, JointKind::Revolute { .. }) {
            return None;
        }
        let name = element.name(self.model).to_owned();
        let ball = Change::Joint(id, super::change::Type::Spherical);
        let mut sliding = Vec::new();
        for other in others_of_loop(self.model, self.topology, id) {
            let changes = [ball.clone(), Change::Slide(other)];
            let works = match sliding.is_empty() {
                true => self.holds(&name, own, &changes),
                false => self.holds_alone(&name, own, &changes),
            };
            if works {
                sliding.push(self.model.joints[other].name.text.clone());
            }
        }
        match sliding.as_slice() {
            [] => None,
            [one] => Some(format!("make it `spherical`, and {one} `cylindrical`")),
            several => Some(format!("make it `spherical`, and one of {} `cylindrical`", several.join(", "))),
        }
    }

    /// Whether changes do what they should, alone and with those before; then they are followed.
    fn holds(&mut self, name: &str, own: usize, changes: &[Change]) -> bool {
        if !self.holds_alone(name, own, changes) {
            return false;
        }
        if self.given.is_empty() {
            self.followed = (self.made(self.model, changes), self.before.total() - own);
            return true;
        }
        // Constraints that went moved the places of others.
        let Some(moved) =
            changes.iter().map(|change| self.after_followed(change)).collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        let together = self.made(&self.followed.0, &moved);
        let Some(after) = self.counts_of(&together) else { return false };
        let left = self.followed.1.saturating_sub(own);
        if after.degrees_of_freedom != self.before.degrees_of_freedom || after.total() > left {
            return false;
        }
        self.followed = (together, left);
        true
    }

    fn holds_alone(&mut self, name: &str, own: usize, changes: &[Change]) -> bool {
        let changed = self.made(self.model, changes);
        let Some(after) = self.counts_of(&changed) else { return false };
        after.degrees_of_freedom == self.before.degrees_of_freedom
            && after.of_element(name) == 0
            && after.total() + own <= self.before.total()
    }

    fn made(&self, model: &Model, changes: &[Change]) -> Model {
        let cut = &self.topology.cut_joints;
        changes.iter().fold(model.clone(), |model, change| change.made(&model, cut))
    }

    /// The same change in the model in which all advice so far is followed.
    fn after_followed(&self, change: &Change) -> Option<Change> {
        let place = |id| {
            let name: &str = &self.model.constraints[id].name.text;
            let constraints = &self.followed.0.constraints;
            constraints.ids().find(|&id| constraints[id].name.text == name)
        };
        Some(match change {
            Change::LeaveOut(id) => Change::LeaveOut(place(*id)?),
            Change::Constraint(id, kind) => Change::Constraint(place(*id)?, kind.clone()),
            other => other.clone(),
        })
    }

    fn counts_of(&mut self, model: &Model) -> Option<Counts> {
        self.trials += 1;
        if self.trials > TRIALS || self.trials.saturating_mul(self.size) > SIZE {
            self.is_exhausted = true;
            return None;
        }
        counts(model)
    }
}

/// The other revolute joints of the loop a cut joint closes.
fn others_of_loop(model: &Model, topology: &Topology, id: JointId) -> Vec<JointId> {
    let joint = &model.joints[id];
    let line = |mut body: BodyId| {
        let mut line = Vec::new();
        while let Some(inboard) = topology.inboard[body] {
            line.push(inboard.joint);
            body = inboard.parent;
        }
        line
    };
    let (a, b) = (line(model.frames[joint.from].body), line(model.frames[joint.to].body));
    let mut joints: Vec<JointId> = a
        .iter()
        .filter(|joint| !b.contains(joint))
        .chain(b.iter().filter(|joint| !a.contains(joint)))
        .copied()
        .collect();
    joints.sort_by_key(|joint| joint.index());
    joints.retain(|&joint| matches!(model.joints[joint].kind, JointKind::Revolute { .. }));
    joints
}
