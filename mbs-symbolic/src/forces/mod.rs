//! Applied forces: what each force element does to the links.

mod bushing;
mod contact;
mod joint;
mod line;
mod load;

use crate::dynamics::{Element, SourceNote, Wrench};
use crate::expr::{BinaryOp, Graph, Node, Symbol, UnaryOp};
use crate::ids::{ExprId, FrameId, LinkId};
use crate::kinematics::{Column, FrameOnLink, Kinematics, Transform, VecJet};
use crate::lower::EquationContext;
use crate::model::ForceKind;
use crate::spatial::{Rot3, Vec3};

/// All applied forces but gravity.
#[derive(Debug, Clone, Default)]
pub(crate) struct Applied {
    /// On links, about their origins, in their axes.
    pub(crate) on_links: Vec<LinkLoad>,
    /// Along velocities.
    pub(crate) along: Vec<(Element, u32, ExprId)>,
    /// Energy stored, J.
    pub(crate) potential: Vec<(Element, ExprId)>,
    /// What takes energy out.
    pub(crate) damping: Vec<Damping>,
    /// Elements whose work is neither stored nor damping: laws of the model's author.
    pub(crate) without_potential: Vec<Element>,
}

/// A force that resists a rate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Damping {
    pub(crate) element: Element,
    /// All of the force …
    pub(crate) force: ExprId,
    /// … and the part that the stored energy accounts for.
    pub(crate) elastic: ExprId,
    /// Along which it acts.
    pub(crate) rate: ExprId,
}

/// A force and torque one element puts on one link, as a reference link sees them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkLoad {
    pub(crate) element: Element,
    pub(crate) link: LinkId,
    pub(crate) reference_link: LinkId,
    /// Whether all loads of the element together are in equilibrium.
    pub(crate) balanced: bool,
    /// From the reference link's axes to the link's.
    to_link: Rot3,
    /// N, reference link's axes.
    f: Vec3,
    /// Where it acts, link axes.
    r: Vec3,
    /// A torque beside, N·m, reference link's axes.
    n: Vec3,
}

impl LinkLoad {
    /// The load about the link's origin, in the link's axes or in those `turned` leads to.
    pub(crate) fn wrench(&self, graph: &mut Graph, turned: Option<Rot3>) -> Wrench {
        let (rot, r) = match turned {
            Some(turned) => (turned.compose(graph, self.to_link), turned.apply(graph, self.r)),
            None => (self.to_link, self.r),
        };
        let f = rot.apply(graph, self.f);
        let lever = r.cross(graph, f);
        let n = rot.apply(graph, self.n);
        Wrench { force: f, moment: n.add(graph, lever) }
    }

    /// The load along everything that moves its link relative to the reference link.
    pub(crate) fn along(
        &self,
        context: &mut EquationContext<'_>,
        kinematics: &mut Kinematics,
    ) -> Vec<(Column, ExprId)> {
        let graph = &mut context.graph;
        let mut list = Vec::new();
        if !self.f.is_zero(graph) {
            let axes = self.r.axes;
            let at_point = Transform { r: self.r, ..Transform::identity(graph, axes, axes) };
            let place = FrameOnLink { link: self.link, in_link: at_point };
            for (column, partial) in kinematics.partial_velocities(context, self.reference_link, place) {
                list.push((column, dot(&mut context.graph, self.f, partial)));
            }
        }
        if !self.n.is_zero(&context.graph) {
            for (column, partial) in kinematics.spin(context, self.reference_link, self.link).columns {
                list.push((column, self.n.dot(&mut context.graph, partial)));
            }
        }
        list
    }
}

/// Forms the forces of all elements.
pub(crate) fn applied(context: &mut EquationContext<'_>, kinematics: &mut Kinematics) -> Applied {
    let model = context.model;
    let mut applied = Applied::default();
    for (id, force) in model.forces.iter_enumerated() {
        let balanced = is_balanced(&force.kind);
        let mut site =
            Site { context, kinematics, applied: &mut applied, element: Element::Force(id), balanced };
        let span = force.name.span;
        match &force.kind {
            ForceKind::SpringDamper { from, to, stiffness, damping, length, preload } => {
                line::spring_damper(&mut site, [*from, *to], [stiffness, damping, length, preload], span);
            }
            ForceKind::PointForce { from, to, force } => {
                line::point_force(&mut site, [*from, *to], force, span)
            }
            ForceKind::JointForce { velocity, value } => joint::force(&mut site, *velocity, value),
            ForceKind::JointSpring { coordinate, stiffness, damping, rest, preload } => {
                joint::spring(&mut site, *coordinate, [stiffness, damping, rest, preload]);
            }
            ForceKind::JointFriction { coordinate, coulomb, regularisation, viscous } => {
                joint::friction(&mut site, *coordinate, [coulomb, regularisation, viscous]);
            }
            ForceKind::Force { on, axes, force, reaction } => {
                load::force(&mut site, *on, *axes, force, *reaction)
            }
            ForceKind::Torque { on, axes, torque, reaction } => {
                load::torque(&mut site, *on, *axes, torque, *reaction);
            }
            ForceKind::Bushing { from, to, stiffness, damping, rotational_stiffness, rotational_damping } => {
                let laws = [stiffness, damping, rotational_stiffness, rotational_damping];
                bushing::bushing(&mut site, *from, *to, laws);
            }
            ForceKind::Contact { on, radius, road, stiffness, damping } => {
                contact::contact(&mut site, *on, [radius, road, stiffness, damping], span);
            }
            ForceKind::PointContactTyre { on, radius, road, stiffness, damping } => {
                contact::point_contact_tyre(&mut site, *on, [radius, road, stiffness, damping], span);
            }
        }
        if is_given_by_value(&force.kind) {
            applied.without_potential.push(Element::Force(id));
        }
    }
    applied
}

/// f·partial; s d·partial as s (d·partial), which is the same for every law along d.
fn dot(graph: &mut Graph, f: Vec3, partial: Vec3) -> ExprId {
    let parts = |graph: &Graph, component: ExprId| match graph.node(component) {
        Node::Binary(BinaryOp::Mul, x, y) => vec![(x, y), (y, x)],
        _ => Vec::new(),
    };
    let is_negative = |component: &ExprId| matches!(graph.node(*component), Node::Unary(UnaryOp::Neg, _));
    if f.xyz.iter().all(is_negative) {
        let opposite = f.neg(graph);
        let product = dot(graph, opposite, partial);
        return graph.neg(product);
    }
    for (common, _) in parts(graph, f.xyz[0]) {
        let rest = f.xyz.map(|component| {
            let mut both = parts(graph, component).into_iter();
            both.find(|(factor, _)| *factor == common).map(|(_, rest)| rest)
        });
        if let [Some(x), Some(y), Some(z)] = rest {
            let along = Vec3::new(f.axes, [x, y, z]).dot(graph, partial);
            return graph.mul(common, along);
        }
    }
    f.dot(graph, partial)
}

/// Whether what an element does to all bodies is in equilibrium.
fn is_balanced(kind: &ForceKind) -> bool {
    match kind {
        ForceKind::SpringDamper { .. } | ForceKind::PointForce { .. } | ForceKind::Bushing { .. } => true,
        ForceKind::Force { reaction, .. } | ForceKind::Torque { reaction, .. } => reaction.is_some(),
        // Along a velocity there are no points the two sides act at; the road is no body.
        ForceKind::JointForce { .. } | ForceKind::JointSpring { .. } | ForceKind::JointFriction { .. } => {
            false
        }
        ForceKind::Contact { .. } | ForceKind::PointContactTyre { .. } => false,
    }
}

/// Whether the model's author wrote the law, of which nothing is known but its value.
fn is_given_by_value(kind: &ForceKind) -> bool {
    matches!(
        kind,
        ForceKind::PointForce { .. }
            | ForceKind::JointForce { .. }
            | ForceKind::Force { .. }
            | ForceKind::Torque { .. }
    )
}

/// Where one element's force is being formed.
struct Site<'s, 'm> {
    context: &'s mut EquationContext<'m>,
    kinematics: &'s mut Kinematics,
    applied: &'s mut Applied,
    element: Element,
    balanced: bool,
}

impl<'m> Site<'_, 'm> {
    fn graph(&mut self) -> &mut Graph {
        &mut self.context.graph
    }

    /// Says what an expression is that no formula of the model gives.
    fn note(&mut self, expr: ExprId, words: &'static str) {
        let (element, span) = (self.element, self.element.span(self.context.model));
        self.context.places.push((expr, SourceNote { span, element: Some(element), words: Some(words) }));
    }

    /// A formula of the law.
    fn law(&mut self, formula: &crate::model::Formula, locals: &[ExprId]) -> ExprId {
        self.context.law(formula, locals, self.kinematics, self.element)
    }

    /// Stores energy in the element, where what its law is made of does not depend on the motion: the
    /// force is not the slope of ½ k(q) q².
    fn store(&mut self, energy: ExprId, laws: &[ExprId]) {
        let moves = |symbol| matches!(symbol, Symbol::P(_) | Symbol::V(_));
        if laws.iter().any(|&law| self.context.depends_on(law, moves)) {
            self.applied.without_potential.push(self.element);
        } else {
            self.applied.potential.push((self.element, energy));
        }
    }

    /// A damper, which stores nothing.
    fn damp(&mut self, force: ExprId, rate: ExprId) {
        let elastic = self.graph().zero();
        self.applied.damping.push(Damping { element: self.element, force, elastic, rate });
    }

    /// A force, in the reference link's axes, on the origin of a frame.
    fn push(&mut self, reference_link: LinkId, on: FrameId, force: Vec3) {
        let place = self.kinematics.chain.frames[on];
        if self.kinematics.chain.links[place.link].parent.is_none() {
            return;
        }
        let relative = self.kinematics.link_motion(self.context, reference_link, place.link);
        let graph = &mut self.context.graph;
        let to_link = relative.rot.inverse(graph);
        let (element, link, r) = (self.element, place.link, place.in_link.r);
        let n = Vec3::zero(graph, force.axes);
        self.applied.on_links.push(LinkLoad {
            element,
            link,
            reference_link,
            balanced: self.balanced,
            to_link,
            f: force,
            r,
            n,
        });
    }

    /// A force, in the reference link's axes, that acts on a frame's link at a point given in
    /// the reference link's axes.
    fn push_at(&mut self, reference_link: LinkId, on: FrameId, force: Vec3, point: Vec3) {
        let link = self.kinematics.chain.frames[on].link;
        if self.kinematics.chain.links[link].parent.is_none() {
            return;
        }
        let relative = self.kinematics.link_motion(self.context, reference_link, link);
        let graph = &mut self.context.graph;
        let lever = point.sub(graph, relative.r);
        let n = lever.cross(graph, force);
        let to_link = relative.rot.inverse(graph);
        let r = Vec3::zero(graph, to_link.to);
        let (element, balanced) = (self.element, self.balanced);
        self.applied.on_links.push(LinkLoad {
            element,
            link,
            reference_link,
            balanced,
            to_link,
            f: force,
            r,
            n,
        });
    }

    /// A torque, in the reference link's axes, on a frame's link.
    fn twist(&mut self, reference_link: LinkId, on: FrameId, torque: Vec3) {
        let link = self.kinematics.chain.frames[on].link;
        if self.kinematics.chain.links[link].parent.is_none() {
            return;
        }
        let relative = self.kinematics.link_motion(self.context, reference_link, link);
        let graph = &mut self.context.graph;
        let to_link = relative.rot.inverse(graph);
        let (f, r) = (Vec3::zero(graph, torque.axes), Vec3::zero(graph, to_link.to));
        let (element, balanced) = (self.element, self.balanced);
        self.applied.on_links.push(LinkLoad {
            element,
            link,
            reference_link,
            balanced,
            to_link,
            f,
            r,
            n: torque,
        });
    }

    /// Components in a frame's axes as a vector in the reference link's axes.
    fn in_reference_axes(&mut self, reference_link: LinkId, axes: FrameId, components: [ExprId; 3]) -> Vec3 {
        let place = self.kinematics.chain.frames[axes];
        let relative = self.kinematics.link_motion(self.context, reference_link, place.link);
        let graph = &mut self.context.graph;
        let in_link = place.in_link.rot.apply(graph, Vec3::new(place.in_link.rot.from, components));
        relative.rot.apply(graph, in_link)
    }

    /// Components of a jet vector as a vector in the reference link's axes.
    fn values(&self, reference_link: LinkId, jets: &VecJet) -> Vec3 {
        Vec3::new(self.kinematics.chain.links[reference_link].axes, [0, 1, 2].map(|k| jets[k].value))
    }

    /// Rates of a jet vector.
    fn rates(&self, reference_link: LinkId, jets: &VecJet) -> Vec3 {
        Vec3::new(self.kinematics.chain.links[reference_link].axes, [0, 1, 2].map(|k| jets[k].rate))
    }
}
