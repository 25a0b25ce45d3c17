//! Composite-body momenta expressed at a common base frame: M of long chains.
//!
//! Carried back from link to link, a momentum is turned and shifted at every ancestor, whether much
//! of it is needed there or not. For long chains it is cheaper to see all steps from one link near
//! the root, the base O. The momentum a step's unit rate gives to all that hangs on it, P and L in the
//! step's own axes, is brought there once,
//!
//! ```text
//! P_O = R P,   L_O = R L + r × P_O
//! ```
//!
//! with R from the step's axes to those of O, and r from O to the step. A step about or along e_O at s
//! meets it with its partial velocity as O sees it:
//!
//! ```text
//! e_O · L_O + (s × e_O) · P_O   for a turn,      e_O · P_O   for a slide
//! ```
//!
//! The base is the first link whose axes turn: its own steps and those next to it are simplest as it sees
//! them, and how far from ground it is does not matter. From there on momenta are carried from link to link
//! again. A link that does not turn with what it hangs on is a base of its own, since what hangs on
//! it moves as a point with all before it, not as a rigid part.

use crate::expr::Graph;
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Link, Move, Transform};
use crate::spatial::{Rot3, Vec3};

/// Below a base there are at least this many links that move one after the other: of shorter chains
/// carrying is always cheaper.
const TALL: usize = 4;

/// Momentum in the axes of a base, angular momentum about its origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Momentum {
    pub(super) linear: Vec3,
    pub(super) angular: Vec3,
}

/// The partial velocity of a step in the axes of a base: of turning, and of what passes its origin.
#[derive(Debug, Clone, Copy)]
pub(super) enum Partial {
    Slide { e: Vec3 },
    Turn { e: Vec3, v: Vec3 },
}

/// The bases, and the places on the way from them.
#[derive(Debug)]
pub(super) struct Bases {
    of: IdVec<LinkId, Option<LinkId>>,
    /// As the base sees them: the places before each move of a link, and its own.
    places: IdVec<LinkId, Vec<Transform>>,
    /// Whether the axes of a link turn against those of its parent.
    pub(super) turns: IdVec<LinkId, bool>,
    /// How many links a momentum is carried through before it is met as the base sees it.
    pub(super) transported_links: usize,
}

impl Bases {
    /// No bases: momenta are carried all the way.
    pub(super) fn none(chain: &Chain) -> Self {
        let of = chain.links.iter().map(|_| None).collect();
        let places = chain.links.iter().map(|_| Vec::new()).collect();
        let turns = chain.links.iter().map(|_| false).collect();
        Self { of, places, turns, transported_links: 0 }
    }

    pub(super) fn new(graph: &mut Graph, chain: &Chain, transported_links: usize) -> Self {
        let turns = chain.links.iter().map(|link| turns_axes(graph, link)).collect();
        let mut bases = Self { of: of_links(graph, chain), places: IdVec::new(), turns, transported_links };
        for (id, link) in chain.links.iter_enumerated() {
            let places = match (bases.of[id], link.parent) {
                (None, _) => Vec::new(),
                (Some(base), Some(parent)) if base != id => {
                    let start = bases.places[parent].last().expect("a base comes before what it is base of");
                    way(graph, *start, link)
                }
                (Some(_), _) => vec![Transform::identity(graph, link.axes, link.axes)],
            };
            bases.places.push(places);
        }
        bases
    }

    /// Whether momenta meet the steps of a link as its base sees them.
    pub(super) fn sees(&self, link: LinkId) -> bool {
        self.of[link].is_some_and(|base| base != link)
    }

    /// A momentum at a place as the base sees it: before move `index` of a link, or at the link if there are
    /// no more.
    pub(super) fn momentum(
        &self,
        graph: &mut Graph,
        (link, index): (LinkId, usize),
        linear: Vec3,
        angular: Vec3,
    ) -> Option<Momentum> {
        let place = self.places[link].get(index)?;
        let linear = place.rot.apply(graph, linear);
        let angular = place.rot.apply(graph, angular);
        let lever = place.r.cross(graph, linear);
        Some(Momentum { linear, angular: angular.add(graph, lever) })
    }

    /// A momentum that has come to a link, as its base sees it.
    pub(super) fn arrived(
        &self,
        graph: &mut Graph,
        link: LinkId,
        linear: Vec3,
        angular: Vec3,
    ) -> Option<Momentum> {
        let last = self.places[link].len().checked_sub(1)?;
        self.momentum(graph, (link, last), linear, angular).filter(|_| self.sees(link))
    }

    /// The partial velocity of a slide along principal axis `axis` of a place.
    pub(super) fn slide(&self, (link, index): (LinkId, usize), axis: usize) -> Option<Partial> {
        let place = self.places[link].get(index).filter(|_| self.sees(link))?;
        Some(Partial::Slide { e: place.rot.column(axis) })
    }

    /// The partial velocity of a turn about principal axis `axis` of a place.
    pub(super) fn turn(
        &self,
        graph: &mut Graph,
        (link, index): (LinkId, usize),
        axis: usize,
    ) -> Option<Partial> {
        let place = self.places[link].get(index).filter(|_| self.sees(link))?;
        let e = place.rot.column(axis);
        Some(Partial::Turn { e, v: place.r.cross(graph, e) })
    }
}

impl Partial {
    /// The component of a momentum along the step.
    pub(super) fn along(self, graph: &mut Graph, momentum: Momentum) -> ExprId {
        match self {
            Self::Slide { e } => e.dot(graph, momentum.linear),
            Self::Turn { e, v } => {
                // Parallel axes share the first.
                let (turning, moving) = (e.dot(graph, momentum.angular), v.dot(graph, momentum.linear));
                graph.add(turning, moving)
            }
        }
    }
}

/// Whether there is anything a base would see.
pub(super) fn any(graph: &Graph, chain: &Chain) -> bool {
    of_links(graph, chain).iter().any(|base| base.is_some())
}

/// The base of each link: the first on the way from ground whose axes turn. None before it, and none
/// for short ends.
fn of_links(graph: &Graph, chain: &Chain) -> IdVec<LinkId, Option<LinkId>> {
    let mut height: IdVec<LinkId, usize> = chain.links.iter().map(|_| 0).collect();
    for id in chain.links.ids().rev() {
        let link = &chain.links[id];
        if let Some(parent) = link.parent {
            let own = height[id] + usize::from(link.moves.iter().any(moves));
            height[parent] = height[parent].max(own);
        }
    }
    let mut of: IdVec<LinkId, Option<LinkId>> = IdVec::new();
    for (id, link) in chain.links.iter_enumerated() {
        let inherited = link.parent.and_then(|parent| of[parent]).filter(|_| !link.reorients);
        let own = (turns_axes(graph, link) && height[id] >= TALL).then_some(id);
        of.push(inherited.or(own));
    }
    of
}

fn moves(step: &Move) -> bool {
    match step {
        Move::Translate { motion, .. } => motion.is_some(),
        Move::Rotate { motion, .. } => motion.is_some(),
        Move::Spherical { .. } | Move::WorldAligned { .. } => true,
        Move::FixedRotation { .. } => false,
    }
}

/// Whether the axes of a link turn against those of its parent: not where parallel joints share axes.
fn turns_axes(graph: &Graph, link: &Link) -> bool {
    link.moves.iter().any(|step| match step {
        Move::Rotate { motion, rot, .. } => motion.is_some() && !rot.is_identity(graph),
        Move::Spherical { .. } | Move::WorldAligned { .. } => true,
        Move::Translate { .. } | Move::FixedRotation { .. } => false,
    })
}

/// The places along the moves of a link, from `start` at its parent on.
fn way(graph: &mut Graph, start: Transform, link: &Link) -> Vec<Transform> {
    let mut at = start;
    let mut places = vec![at];
    for step in &link.moves {
        at = match step {
            Move::Translate { r, .. } => Transform { r: at.point(graph, *r), ..at },
            // Joined with another turn it would need the sine and cosine of one more angle.
            Move::Rotate { rot, .. } => at.turned(graph, Rot3 { turn: None, ..*rot }),
            Move::FixedRotation { rot } | Move::Spherical { rot, .. } | Move::WorldAligned { rot, .. } => {
                at.turned(graph, *rot)
            }
        };
        places.push(at);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::axes::Candidate;
    use crate::dynamics::base_parameters::Inertias;
    use crate::dynamics::frame_choice::{FrameChoice, RewrittenTree};
    use crate::dynamics::mass_matrix::mass_matrix;
    use crate::expr::{Environment, evaluate};
    use crate::kinematics::chain;
    use crate::lower::EquationContext;
    use crate::model::{self, NoFiles};
    use crate::topology;
    use std::fmt::Write;

    /// Joints one behind the other, by type and whether they run against the tree; every third body has a
    /// pendulum on the side.
    fn text(joints: &[(&str, bool)]) -> String {
        let mut bodies = "  ground: {frames: {tip: {position: [0.1, 0.2, 0.3]}}}\n".to_owned();
        let mut list = String::new();
        let inertia = "inertia: {xx: 0.4, yy: 0.5, zz: 0.6, xy: 0.03, xz: -0.02, yz: 0.05}";
        for (index, (keys, reversed)) in joints.iter().enumerate() {
            let (body, tilt) = (index + 1, 0.3 + 0.2 * index as f64);
            let _ = writeln!(
                bodies,
                "  b{body}: {{mass: {body}.5, com: [0.2, {tilt:?}, -0.1], {inertia}, frames: {{tip: {{position: [0.3, -0.2, \
                 {tilt:?}], rotation: [{{axis: x, angle: {tilt:?}}}, {{axis: y, angle: 0.7}}]}}, side: {{position: [0.1, 0.5, 0.4]}}}}}}"
            );
            let inner = if index == 0 { "ground.tip".to_owned() } else { format!("b{index}.tip") };
            let (from, to) =
                if *reversed { (format!("b{body}"), inner) } else { (inner, format!("b{body}")) };
            let _ = writeln!(list, "  j{body}: {{from: {from}, to: {to}, {keys}}}");
            if index % 3 == 0 {
                let _ = writeln!(bodies, "  s{body}: {{mass: 1.2, com: [0.3, 0.1, 0.2], {inertia}}}");
                let _ =
                    writeln!(list, "  k{body}: {{from: b{body}.side, to: s{body}, type: revolute, axis: z}}");
            }
        }
        format!("model: m\nbodies:\n{bodies}joints:\n{list}")
    }

    /// M is the same whether momenta are carried or seen from a base, in axes of each link's own and in
    /// those shared by parallel joints, and differs in form.
    fn check(joints: &[(&str, bool)]) {
        let text = text(joints);
        let (model, _) = model::read("m.yaml", &text, &NoFiles).result.expect("a correct model");
        let topology = topology::build(&model).expect("a tree");
        let mut context = EquationContext::new(&model, &topology);
        let chain = chain::build(&mut context, &topology);
        let graph = &mut context.graph;
        let inertias = Inertias::regrouped(graph, &chain);
        let n_v = topology.velocities.len();
        // Quaternions have norm one, which is what makes their matrices rotations.
        let mut unit = [0.1, 0.7, -0.5, 0.5].into_iter().cycle();
        let mut next = 0.4;
        let positions = topology.positions.iter().map(|&id| match model.coordinates[id].rate {
            Some(_) => {
                next = (next + 0.35) % 2.8;
                next
            }
            None => unit.next().unwrap_or_default(),
        });
        let p: Vec<f64> = positions.collect();
        let values = |graph: &Graph, roots: &[ExprId]| {
            let environment = Environment { p: &p, t: 0.3, ..Environment::default() };
            evaluate(graph, &environment, &|_, _, _, _| unreachable!("the model reads no table"), roots)
        };
        for plan in [FrameChoice::own(&chain), FrameChoice::parallel(graph, &chain)] {
            let RewrittenTree { chain, inertias, .. } =
                Candidate::build(graph, &chain, &inertias, &plan).mass;
            let carried = mass_matrix(graph, &chain, &inertias, None, n_v);
            let expected = values(graph, &carried);
            let largest = expected.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
            for transported_links in 0..4 {
                let seen = mass_matrix(graph, &chain, &inertias, Some(transported_links), n_v);
                assert_ne!(seen, carried, "no momentum is seen from a base: {joints:?}");
                for (entry, (found, expected)) in values(graph, &seen).iter().zip(&expected).enumerate() {
                    let error = (found - expected).abs();
                    assert!(
                        error < 1e-13 * largest,
                        "entry {entry}, transported_links {transported_links}: {found} {expected}\n{text}"
                    );
                }
            }
        }
    }

    const REVOLUTE: &str = "type: revolute, axis: z";

    #[test]
    fn every_joint_far_from_a_base() {
        for keys in [
            REVOLUTE,
            "type: revolute, axis: [1, 2, 3]",
            "type: prismatic, axis: x",
            "type: cylindrical, axis: y",
            "type: screw, axis: z, pitch: 0.3",
            "type: universal, axes: [z, y]",
            "type: spherical",
            "type: spherical, sequence: zxz",
            "type: free",
            "type: free, sequence: xyz",
            "type: planar, normal: z",
            "type: compound, coordinates: [q, s], steps: [{rotate: x, by: q}, {translate: y, by: q*s}, {rotate: z, by: s + t}]",
        ] {
            for reversed in [false, true] {
                let mut joints = vec![(REVOLUTE, false); 8];
                joints[5] = (keys, reversed);
                check(&joints);
                // As the base itself.
                joints[0] = (keys, reversed);
                joints.remove(5);
                check(&joints);
            }
        }
    }

    /// What hangs on the ball is a point for all before it.
    #[test]
    fn links_that_do_not_turn_with_what_they_hang_on() {
        let mut joints = vec![(REVOLUTE, false); 12];
        joints[6] = ("type: spherical, sequence: xyz, relative_to: ground", false);
        check(&joints);
        joints.truncate(9);
        check(&joints);
    }

    #[test]
    fn planar_chains_have_no_base() {
        let parallel = "model: m\nbodies: {b1: {mass: 1}, b2: {mass: 1}, b3: {mass: 1}, b4: {mass: 1}, b5: {mass: 1}, b6: {mass: 1}}
joints: {q1: {type: revolute, from: ground, to: b1, axis: z}, q2: {type: revolute, from: b1, to: b2, axis: z},
 q3: {type: revolute, from: b2, to: b3, axis: z}, q4: {type: revolute, from: b3, to: b4, axis: z},
 q5: {type: revolute, from: b4, to: b5, axis: z}, q6: {type: revolute, from: b5, to: b6, axis: z}}";
        let (model, _) = model::read("m.yaml", parallel, &NoFiles).result.expect("a correct model");
        let topology = topology::build(&model).expect("a tree");
        let mut context = EquationContext::new(&model, &topology);
        let chain = chain::build(&mut context, &topology);
        let graph = &mut context.graph;
        let inertias = Inertias::regrouped(graph, &chain);
        let plan = FrameChoice::parallel(graph, &chain);
        let RewrittenTree { chain, .. } = Candidate::build(graph, &chain, &inertias, &plan).mass;
        assert!(!any(graph, &chain));
    }
}
