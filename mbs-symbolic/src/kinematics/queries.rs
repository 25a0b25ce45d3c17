//! Answers to questions about the motion, in the user's frames.

use super::chain::{Chain, FrameOnLink};
use super::inward::{self, Carries, InwardMotion};
use super::jet::{Jet, VecJet};
use super::motion::Column;
use super::relative::{self, RelativeMotion, RelativeMotions};
use crate::expr::{Graph, Symbol};
use crate::ids::{ExprId, FrameId, Id, LinkId};
use crate::lower::{EquationContext, Queries};
use crate::model::Query;
use crate::spatial::Vec3;

/// The laid-out chain and everything already asked of it.
#[derive(Debug)]
pub(crate) struct Kinematics {
    pub(crate) chain: Chain,
    relative_motions: RelativeMotions,
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

/// The origin of a placed frame as a reference link sees it.
struct Origin {
    /// Position, velocity and acceleration (v' = 0).
    motion: [Vec3; 3],
    /// Its rate per unit rate of every step between, outermost first.
    directions: Vec<Vec3>,
}

/// The cheapest alternative.
fn cheapest_origin(graph: &Graph, choices: Vec<Origin>) -> Origin {
    let cost = |origin: &Origin| {
        let [r, _, a] = origin.motion;
        let roots = origin.directions.iter().chain([&r, &a]).flat_map(|vector| vector.xyz);
        graph.operations(&roots.collect::<Vec<ExprId>>())
    };
    choices.into_iter().min_by_key(cost).expect("at least one way")
}

impl Kinematics {
    pub(crate) fn new(chain: Chain) -> Self {
        Self { chain, relative_motions: RelativeMotions::default(), with_virtual_motions: false }
    }

    /// The link that observes all the given frames.
    pub(crate) fn common_ancestor(&self, frames: &[FrameId]) -> LinkId {
        let links = frames.iter().map(|&frame| self.chain.frames[frame].link);
        links.reduce(|a, b| relative::common_ancestor(&self.chain, a, b)).unwrap_or(LinkId::new(0))
    }

    /// A link seen from an ancestor.
    pub(crate) fn link_motion(
        &mut self,
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        link: LinkId,
    ) -> RelativeMotion {
        self.relative_motions.of(&mut context.graph, &self.chain, reference_link, link).clone()
    }

    /// The origin of a placed frame: its position, velocity and acceleration (v' = 0) carried
    /// with its link or followed from inside out, whichever is cheaper.
    fn origin(
        &mut self,
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        place: FrameOnLink,
    ) -> Origin {
        let relative = self.link_motion(context, reference_link, place.link);
        let joint_axes = self.relative_motions.joint_axes(&self.chain, reference_link, place.link);
        let graph = &mut context.graph;
        let r_l = place.in_link.r;
        let carried = relative.point(graph, r_l);
        let crossed = |graph: &mut Graph, r: Vec3| -> Vec<Vec3> {
            joint_axes.iter().map(|joint_axis| joint_axis.partial_velocity(graph, r)).collect()
        };
        let mut choices = vec![Origin { motion: carried, directions: crossed(graph, carried[0]) }];
        if let Some(motion) = inward::point(graph, &self.chain, reference_link, place.link, r_l) {
            choices.push(Origin { motion, directions: crossed(graph, motion[0]) });
        }
        if let Some(followed) =
            inward::follow(graph, &self.chain, reference_link, place.link, r_l, Carries::Point)
        {
            // What lies before a reorientation moves the point as it moves its place.
            let n_before = joint_axes.len() - followed.directions.len();
            let before = joint_axes[..n_before]
                .iter()
                .map(|joint_axis| joint_axis.partial_velocity(graph, carried[0]));
            let directions: Vec<Vec3> = before.chain(followed.directions).collect();
            if followed.about_origin {
                let motion = relative.carried(graph, followed.r);
                choices.push(Origin { motion, directions: directions.clone() });
            }
            for index in 0..choices.len() {
                let motion = choices[index].motion;
                choices.push(Origin { motion, directions: directions.clone() });
            }
        }
        cheapest_origin(graph, choices)
    }

    /// How the origin of a placed frame moves with everything between it and the reference link.
    pub(crate) fn partial_velocities(
        &mut self,
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        place: FrameOnLink,
    ) -> Vec<(Column, Vec3)> {
        let Origin { directions, .. } = self.origin(context, reference_link, place);
        self.columns(context, reference_link, place, directions)
    }

    fn columns(
        &mut self,
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        place: FrameOnLink,
        directions: Vec<Vec3>,
    ) -> Vec<(Column, Vec3)> {
        let graph = &mut context.graph;
        let mut columns = Vec::new();
        let joint_axes = self.relative_motions.joint_axes(&self.chain, reference_link, place.link);
        for (joint_axis, direction) in joint_axes.iter().zip(directions) {
            for &(column, partial) in &joint_axis.partials {
                columns.push((column, direction.scale(graph, partial)));
            }
        }
        columns
    }

    /// The origin of a placed frame.
    pub(crate) fn point(
        &mut self,
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        place: FrameOnLink,
    ) -> VecJet {
        let Origin { motion: [r, v, a], directions } = self.origin(context, reference_link, place);
        let mut columns = self.columns(context, reference_link, place, directions);
        let graph = &mut context.graph;
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
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        place: FrameOnLink,
        e_f: Vec3,
    ) -> VecJet {
        let relative = self.link_motion(context, reference_link, place.link);
        let graph = &mut context.graph;
        let e_l = place.in_link.rot.apply(graph, e_f.relabelled(place.in_link.rot.from));
        let joint_axes = self.relative_motions.joint_axes(&self.chain, reference_link, place.link);
        let turned = relative.rot.apply(graph, e_l);
        let crossed = joint_axes.iter().map(|joint_axis| match joint_axis.on_orientation() {
            Some(axis) => axis.cross(graph, turned),
            None => Vec3::zero(graph, turned.axes),
        });
        let crossed: Vec<Vec3> = crossed.collect();
        let mut choices = vec![Origin { motion: relative.turning(graph, turned), directions: crossed }];
        let followed =
            inward::follow(graph, &self.chain, reference_link, place.link, e_l, Carries::Direction);
        if let Some(InwardMotion { r: e, directions, .. }) = followed {
            // What lies before a reorientation does not turn it.
            let n_before = joint_axes.len() - directions.len();
            let before = std::iter::repeat_n(Vec3::zero(graph, e.axes), n_before);
            let directions: Vec<Vec3> = before.chain(directions).collect();
            for e in [turned, e] {
                choices.push(Origin { motion: relative.turning(graph, e), directions: directions.clone() });
            }
        }
        let Origin { motion: [e, rate, second], directions } = cheapest_origin(graph, choices);
        let mut columns = self.columns(context, reference_link, place, directions);
        let graph = &mut context.graph;
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
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        place: FrameOnLink,
        index: usize,
    ) -> VecJet {
        let e = Vec3::unit(&mut context.graph, place.in_link.rot.from, index);
        self.direction(context, reference_link, place, e)
    }

    /// Angular motion of a link relative to an ancestor.
    pub(crate) fn spin(
        &mut self,
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        link: LinkId,
    ) -> Spin {
        let relative = self.link_motion(context, reference_link, link);
        let graph = &mut context.graph;
        let mut columns = Vec::new();
        for joint_axis in self.relative_motions.joint_axes(&self.chain, reference_link, link) {
            if let Some(axis) = joint_axis.on_orientation() {
                for &(column, partial) in &joint_axis.partials {
                    columns.push((column, axis.scale(graph, partial)));
                }
            }
        }
        if self.with_virtual_motions {
            for k in 0..3 {
                let unit = Vec3::unit(graph, relative.omega.axes, k);
                columns.push((Column::Virtual(link.index() as u32, k as u8 + 3), unit));
            }
        }
        Spin { omega: relative.omega, alpha_bias: relative.alpha_bias, columns }
    }

    /// The vector from one frame's origin to another's.
    pub(crate) fn between(
        &mut self,
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        from: FrameId,
        to: FrameId,
    ) -> VecJet {
        let (from, to) = (self.chain.frames[from], self.chain.frames[to]);
        let start = self.point(context, reference_link, from);
        let end = self.point(context, reference_link, to);
        Jet::difference(&mut context.graph, &end, &start)
    }

    fn dot_unit(
        &mut self,
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        frame: FrameId,
        index: u8,
        vector: &VecJet,
    ) -> Jet {
        let unit = self.unit(context, reference_link, self.chain.frames[frame], usize::from(index));
        Jet::dot(&mut context.graph, &unit, vector)
    }

    /// Velocity of a frame as a reference link fixed in another sees it, and, with v' as
    /// symbols, its acceleration; in the axes of the link that observes all.
    fn relative_motion(
        &mut self,
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        of: FrameId,
        relative_to: FrameId,
    ) -> [Vec3; 2] {
        let d = self.between(context, reference_link, relative_to, of);
        let base = self.spin(context, reference_link, self.chain.frames[relative_to].link);
        let graph = &mut context.graph;
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
        context: &mut EquationContext<'_>,
        reference_link: LinkId,
        frame: FrameId,
        index: u8,
        vector: Vec3,
    ) -> ExprId {
        let unit = self.unit(context, reference_link, self.chain.frames[frame], usize::from(index));
        let unit = Vec3::new(vector.axes, [0, 1, 2].map(|k| unit[k].value));
        unit.dot(&mut context.graph, vector)
    }

    /// A jet's value, after teaching `d/dt` its rate and acceleration.
    fn answer(&self, context: &mut EquationContext<'_>, jet: &Jet) -> ExprId {
        let acceleration = jet.acceleration(&mut context.graph);
        context.time.seed(jet.value, jet.rate);
        context.time.seed(jet.rate, acceleration);
        jet.value
    }
}

impl Queries for Kinematics {
    fn query(&mut self, context: &mut EquationContext<'_>, query: Query) -> ExprId {
        match query {
            Query::Position { of, relative_to, axes, component } => {
                let reference_link = self.common_ancestor(&[of, relative_to, axes]);
                let d = self.between(context, reference_link, relative_to, of);
                let jet = self.dot_unit(context, reference_link, axes, component, &d);
                self.answer(context, &jet)
            }
            Query::Distance { from, to } => {
                let reference_link = self.common_ancestor(&[from, to]);
                let d = self.between(context, reference_link, from, to);
                let square = Jet::dot(&mut context.graph, &d, &d);
                let jet = square.sqrt(&mut context.graph);
                self.answer(context, &jet)
            }
            Query::Rotation { of, relative_to, row, column } => {
                let reference_link = self.common_ancestor(&[of, relative_to]);
                let moved = self.unit(context, reference_link, self.chain.frames[of], usize::from(column));
                let jet = self.dot_unit(context, reference_link, relative_to, row, &moved);
                self.answer(context, &jet)
            }
            Query::Velocity { of, relative_to, axes, component } => {
                let reference_link = self.common_ancestor(&[of, relative_to, axes]);
                let [velocity, _] = self.relative_motion(context, reference_link, of, relative_to);
                self.component(context, reference_link, axes, component, velocity)
            }
            Query::Acceleration { of, relative_to, axes, component } => {
                let reference_link = self.common_ancestor(&[of, relative_to, axes]);
                let [_, acceleration] = self.relative_motion(context, reference_link, of, relative_to);
                self.component(context, reference_link, axes, component, acceleration)
            }
            Query::AngularVelocity { of, relative_to, axes, component } => {
                let reference_link = self.common_ancestor(&[of, relative_to, axes]);
                let outer = self.spin(context, reference_link, self.chain.frames[of].link);
                let inner = self.spin(context, reference_link, self.chain.frames[relative_to].link);
                let omega = outer.omega.sub(&mut context.graph, inner.omega);
                self.component(context, reference_link, axes, component, omega)
            }
            Query::Reaction { .. } => unreachable!("reactions are answered where multipliers are known"),
        }
    }
}
