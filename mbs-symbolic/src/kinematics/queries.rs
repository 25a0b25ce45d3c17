//! Answers to questions about the motion, in the user's frames.

use super::chain::{Chain, Placement};
use super::inward::{self, Carries, Followed};
use super::jet::{Jet, VecJet};
use super::motion::Column;
use super::relative::{self, Seen, Views};
use crate::expr::{Graph, Symbol};
use crate::ids::{ExprId, FrameId, Id, LinkId};
use crate::lower::{Lowering, Queries};
use crate::model::Query;
use crate::spatial::Vec3;

/// The laid-out chain and everything already asked of it.
#[derive(Debug)]
pub(crate) struct Kinematics {
    pub(crate) chain: Chain,
    views: Views,
    /// Whether jets carry the virtual motions that reactions need.
    pub(crate) with_virtual_motions: bool,
}

/// Angular velocity and acceleration of a link.
#[derive(Debug, Clone)]
pub(crate) struct Spin {
    pub(crate) omega: Vec3,
    pub(crate) alpha_bias: Vec3,
    /// ∂ω/∂column.
    pub(crate) columns: Vec<(Column, Vec3)>,
}

/// The origin of a placed frame as an observer sees it.
struct Origin {
    /// Position, velocity and acceleration (v' = 0).
    motion: [Vec3; 3],
    /// Its rate per unit rate of every step between, outermost first.
    directions: Vec<Vec3>,
}

/// The way that takes least operations.
fn cheapest(graph: &Graph, choices: Vec<Origin>) -> Origin {
    let cost = |origin: &Origin| {
        let [r, _, a] = origin.motion;
        let roots = origin.directions.iter().chain([&r, &a]).flat_map(|vector| vector.xyz);
        graph.operations(&roots.collect::<Vec<ExprId>>())
    };
    choices.into_iter().min_by_key(cost).expect("at least one way")
}

impl Kinematics {
    pub(crate) fn new(chain: Chain) -> Self {
        Self { chain, views: Views::default(), with_virtual_motions: false }
    }

    /// The link that observes all the given frames.
    pub(crate) fn observer(&self, frames: &[FrameId]) -> LinkId {
        let links = frames.iter().map(|&frame| self.chain.frames[frame].link);
        links.reduce(|a, b| relative::observer(&self.chain, a, b)).unwrap_or(LinkId::new(0))
    }

    /// A link seen from an ancestor.
    pub(crate) fn see(&mut self, lowering: &mut Lowering<'_>, observer: LinkId, link: LinkId) -> Seen {
        self.views.see(&mut lowering.graph, &self.chain, observer, link).clone()
    }

    /// The origin of a placed frame: its position, velocity and acceleration (v' = 0) carried
    /// with its link or followed from inside out, whichever is cheaper.
    fn origin(&mut self, lowering: &mut Lowering<'_>, observer: LinkId, place: Placement) -> Origin {
        let seen = self.see(lowering, observer, place.link);
        let influences = self.views.influences(&self.chain, observer, place.link);
        let graph = &mut lowering.graph;
        let r_l = place.in_link.r;
        let carried = seen.point(graph, r_l);
        let crossed = |graph: &mut Graph, r: Vec3| -> Vec<Vec3> {
            influences.iter().map(|influence| influence.on_point(graph, r)).collect()
        };
        let mut choices = vec![Origin { motion: carried, directions: crossed(graph, carried[0]) }];
        if let Some(motion) = inward::point(graph, &self.chain, observer, place.link, r_l) {
            choices.push(Origin { motion, directions: crossed(graph, motion[0]) });
        }
        if let Some(followed) = inward::follow(graph, &self.chain, observer, place.link, r_l, Carries::Point)
        {
            // What lies before a reorientation moves the point as it moves its place.
            let n_before = influences.len() - followed.directions.len();
            let before = influences[..n_before].iter().map(|influence| influence.on_point(graph, carried[0]));
            let directions: Vec<Vec3> = before.chain(followed.directions).collect();
            if followed.about_origin {
                let motion = seen.carried(graph, followed.r);
                choices.push(Origin { motion, directions: directions.clone() });
            }
            for index in 0..choices.len() {
                let motion = choices[index].motion;
                choices.push(Origin { motion, directions: directions.clone() });
            }
        }
        cheapest(graph, choices)
    }

    /// How the origin of a placed frame moves with everything between it and the observer.
    pub(crate) fn partial_velocities(
        &mut self,
        lowering: &mut Lowering<'_>,
        observer: LinkId,
        place: Placement,
    ) -> Vec<(Column, Vec3)> {
        let Origin { directions, .. } = self.origin(lowering, observer, place);
        self.columns(lowering, observer, place, directions)
    }

    fn columns(
        &mut self,
        lowering: &mut Lowering<'_>,
        observer: LinkId,
        place: Placement,
        directions: Vec<Vec3>,
    ) -> Vec<(Column, Vec3)> {
        let graph = &mut lowering.graph;
        let mut columns = Vec::new();
        let influences = self.views.influences(&self.chain, observer, place.link);
        for (influence, direction) in influences.iter().zip(directions) {
            for &(column, partial) in &influence.partials {
                columns.push((column, direction.scale(graph, partial)));
            }
        }
        columns
    }

    /// The origin of a placed frame.
    pub(crate) fn point(
        &mut self,
        lowering: &mut Lowering<'_>,
        observer: LinkId,
        place: Placement,
    ) -> VecJet {
        let Origin { motion: [r, v, a], directions } = self.origin(lowering, observer, place);
        let mut columns = self.columns(lowering, observer, place, directions);
        let graph = &mut lowering.graph;
        if self.with_virtual_motions {
            for k in 0..3 {
                let e = Vec3::unit(graph, r.axes, k);
                let link = place.link.index() as u32;
                columns.push((Column::Virtual(link, k as u8), e));
                columns.push((Column::Virtual(link, k as u8 + 3), e.cross(graph, r)));
            }
        }
        Jet::vector(graph, [r, v, a], columns)
    }

    /// A direction fixed in a placed frame, given in that frame's axes.
    pub(crate) fn direction(
        &mut self,
        lowering: &mut Lowering<'_>,
        observer: LinkId,
        place: Placement,
        e_f: Vec3,
    ) -> VecJet {
        let seen = self.see(lowering, observer, place.link);
        let graph = &mut lowering.graph;
        let e_l = place.in_link.rot.apply(graph, e_f.relabelled(place.in_link.rot.from));
        let influences = self.views.influences(&self.chain, observer, place.link);
        let turned = seen.rot.apply(graph, e_l);
        let crossed = influences.iter().map(|influence| match influence.on_orientation() {
            Some(axis) => axis.cross(graph, turned),
            None => Vec3::zero(graph, turned.axes),
        });
        let crossed: Vec<Vec3> = crossed.collect();
        let mut choices = vec![Origin { motion: seen.turning(graph, turned), directions: crossed }];
        let followed = inward::follow(graph, &self.chain, observer, place.link, e_l, Carries::Direction);
        if let Some(Followed { r: e, directions, .. }) = followed {
            // What lies before a reorientation does not turn it.
            let n_before = influences.len() - directions.len();
            let before = std::iter::repeat_n(Vec3::zero(graph, e.axes), n_before);
            let directions: Vec<Vec3> = before.chain(directions).collect();
            for e in [turned, e] {
                choices.push(Origin { motion: seen.turning(graph, e), directions: directions.clone() });
            }
        }
        let Origin { motion: [e, rate, second], directions } = cheapest(graph, choices);
        let mut columns = self.columns(lowering, observer, place, directions);
        let graph = &mut lowering.graph;
        if self.with_virtual_motions {
            for k in 0..3 {
                let unit = Vec3::unit(graph, e.axes, k);
                columns.push((Column::Virtual(place.link.index() as u32, k as u8 + 3), unit.cross(graph, e)));
            }
        }
        Jet::vector(graph, [e, rate, second], columns)
    }

    /// Principal direction `index` of a frame.
    pub(crate) fn unit(
        &mut self,
        lowering: &mut Lowering<'_>,
        observer: LinkId,
        place: Placement,
        index: usize,
    ) -> VecJet {
        let e = Vec3::unit(&mut lowering.graph, place.in_link.rot.from, index);
        self.direction(lowering, observer, place, e)
    }

    /// Angular motion of a link relative to an ancestor.
    pub(crate) fn spin(&mut self, lowering: &mut Lowering<'_>, observer: LinkId, link: LinkId) -> Spin {
        let seen = self.see(lowering, observer, link);
        let graph = &mut lowering.graph;
        let mut columns = Vec::new();
        for influence in self.views.influences(&self.chain, observer, link) {
            if let Some(axis) = influence.on_orientation() {
                for &(column, partial) in &influence.partials {
                    columns.push((column, axis.scale(graph, partial)));
                }
            }
        }
        if self.with_virtual_motions {
            for k in 0..3 {
                let unit = Vec3::unit(graph, seen.omega.axes, k);
                columns.push((Column::Virtual(link.index() as u32, k as u8 + 3), unit));
            }
        }
        Spin { omega: seen.omega, alpha_bias: seen.alpha_bias, columns }
    }

    /// The vector from one frame's origin to another's.
    pub(crate) fn between(
        &mut self,
        lowering: &mut Lowering<'_>,
        observer: LinkId,
        from: FrameId,
        to: FrameId,
    ) -> VecJet {
        let (from, to) = (self.chain.frames[from], self.chain.frames[to]);
        let start = self.point(lowering, observer, from);
        let end = self.point(lowering, observer, to);
        Jet::difference(&mut lowering.graph, &end, &start)
    }

    fn dot_unit(
        &mut self,
        lowering: &mut Lowering<'_>,
        observer: LinkId,
        frame: FrameId,
        index: u8,
        vector: &VecJet,
    ) -> Jet {
        let unit = self.unit(lowering, observer, self.chain.frames[frame], usize::from(index));
        Jet::dot(&mut lowering.graph, &unit, vector)
    }

    /// Velocity of a frame as an observer fixed in another sees it, and, with v' as
    /// symbols, its acceleration; in the axes of the link that observes all.
    fn relative_motion(
        &mut self,
        lowering: &mut Lowering<'_>,
        observer: LinkId,
        of: FrameId,
        relative_to: FrameId,
    ) -> [Vec3; 2] {
        let d = self.between(lowering, observer, relative_to, of);
        let base = self.spin(lowering, observer, self.chain.frames[relative_to].link);
        let graph = &mut lowering.graph;
        let axes = base.omega.axes;
        let vector = |pick: &dyn Fn(&Jet) -> ExprId| Vec3::new(axes, [0, 1, 2].map(|k| pick(&d[k])));
        let position = vector(&|jet| jet.value);
        let rate = vector(&|jet| jet.rate);
        let acceleration = Vec3::new(axes, [0, 1, 2].map(|k| d[k].acceleration(graph)));
        // u = d' − ω×d; a = d'' − α×d − ω×(ω×d) − 2 ω×u
        let carried = base.omega.cross(graph, position);
        let u = rate.sub(graph, carried);
        let mut alpha = base.alpha_bias;
        for (column, axis) in &base.columns {
            if let Column::V(index) = column {
                let v_dot = graph.symbol(Symbol::VDot(*index));
                let part = axis.scale(graph, v_dot);
                alpha = alpha.add(graph, part);
            }
        }
        let tangential = alpha.cross(graph, position);
        let centripetal = base.omega.cross(graph, carried);
        let two = graph.constant(2.0);
        let coriolis = base.omega.cross(graph, u).scale(graph, two);
        let a = acceleration.sub(graph, tangential).sub(graph, centripetal).sub(graph, coriolis);
        [u, a]
    }

    /// A vector's component along a unit vector of a frame.
    fn component(
        &mut self,
        lowering: &mut Lowering<'_>,
        observer: LinkId,
        frame: FrameId,
        index: u8,
        vector: Vec3,
    ) -> ExprId {
        let unit = self.unit(lowering, observer, self.chain.frames[frame], usize::from(index));
        let unit = Vec3::new(vector.axes, [0, 1, 2].map(|k| unit[k].value));
        unit.dot(&mut lowering.graph, vector)
    }

    /// A jet's value, after teaching `d/dt` its rate and acceleration.
    fn answer(&self, lowering: &mut Lowering<'_>, jet: &Jet) -> ExprId {
        let acceleration = jet.acceleration(&mut lowering.graph);
        lowering.time.seed(jet.value, jet.rate);
        lowering.time.seed(jet.rate, acceleration);
        jet.value
    }
}

impl Queries for Kinematics {
    fn query(&mut self, lowering: &mut Lowering<'_>, query: Query) -> ExprId {
        match query {
            Query::Position { of, relative_to, axes, component } => {
                let observer = self.observer(&[of, relative_to, axes]);
                let d = self.between(lowering, observer, relative_to, of);
                let jet = self.dot_unit(lowering, observer, axes, component, &d);
                self.answer(lowering, &jet)
            }
            Query::Distance { from, to } => {
                let observer = self.observer(&[from, to]);
                let d = self.between(lowering, observer, from, to);
                let square = Jet::dot(&mut lowering.graph, &d, &d);
                let jet = square.sqrt(&mut lowering.graph);
                self.answer(lowering, &jet)
            }
            Query::Rotation { of, relative_to, row, column } => {
                let observer = self.observer(&[of, relative_to]);
                let moved = self.unit(lowering, observer, self.chain.frames[of], usize::from(column));
                let jet = self.dot_unit(lowering, observer, relative_to, row, &moved);
                self.answer(lowering, &jet)
            }
            Query::Velocity { of, relative_to, axes, component } => {
                let observer = self.observer(&[of, relative_to, axes]);
                let [velocity, _] = self.relative_motion(lowering, observer, of, relative_to);
                self.component(lowering, observer, axes, component, velocity)
            }
            Query::Acceleration { of, relative_to, axes, component } => {
                let observer = self.observer(&[of, relative_to, axes]);
                let [_, acceleration] = self.relative_motion(lowering, observer, of, relative_to);
                self.component(lowering, observer, axes, component, acceleration)
            }
            Query::AngularVelocity { of, relative_to, axes, component } => {
                let observer = self.observer(&[of, relative_to, axes]);
                let outer = self.spin(lowering, observer, self.chain.frames[of].link);
                let inner = self.spin(lowering, observer, self.chain.frames[relative_to].link);
                let omega = outer.omega.sub(&mut lowering.graph, inner.omega);
                self.component(lowering, observer, axes, component, omega)
            }
            Query::Reaction { .. } => unreachable!("reactions are answered where multipliers are known"),
        }
    }
}
