//! Forces along the line of two points.

use super::Site;
use crate::diag::{Problem, Span};
use crate::expr::Symbol;
use crate::ids::{ExprId, FrameId, LinkId};
use crate::kinematics::Column;
use crate::model::Formula;
use crate::spatial::Vec3;

/// The line of two points: the vector from the first to the second in the reference link's
/// axes, its length and the length's rate.
struct Line {
    reference_link: LinkId,
    d: Vec3,
    length: ExprId,
    rate: ExprId,
}

/// F = preload + k (L − l) − c l', pushing apart.
pub(super) fn spring_damper(
    site: &mut Site<'_, '_>,
    ends: [FrameId; 2],
    [stiffness, damping, length, preload]: [&Formula; 4],
    span: Span,
) {
    let Some(line) = line(site, ends, span) else { return };
    let [k, c, rest, preload] = [stiffness, damping, length, preload].map(|formula| site.law(formula, &[]));
    let graph = site.graph();
    let compression = graph.sub(rest, line.length);
    let (elastic, viscous) = (graph.mul(k, compression), graph.mul(c, line.rate));
    let pushed = graph.add(preload, elastic);
    let force = graph.sub(pushed, viscous);
    apply(site, ends, &line, force);
    // V = ½ k (L − l)² − F₀ l, whose derivative by l is −F.
    let graph = site.graph();
    let energy = graph.mul(elastic, compression);
    let energy = graph.scale(0.5, energy);
    let work = graph.mul(preload, line.length);
    let potential = graph.sub(energy, work);
    site.store(potential, &[k, rest, preload]);
    site.damp(viscous, line.rate);
}

/// Any law of length and rate, pushing apart.
pub(super) fn point_force(site: &mut Site<'_, '_>, ends: [FrameId; 2], force: &Formula, span: Span) {
    let Some(line) = line(site, ends, span) else { return };
    let force = site.law(force, &[line.length, line.rate]);
    apply(site, ends, &line, force);
}

fn line(site: &mut Site<'_, '_>, [from, to]: [FrameId; 2], span: Span) -> Option<Line> {
    let reference_link = site.kinematics.common_ancestor(&[from, to]);
    let jets = site.kinematics.between(site.context, reference_link, from, to);
    let (d, d_rate) = (site.values(reference_link, &jets), site.rates(reference_link, &jets));
    let graph = site.graph();
    let square = d.dot(graph, d);
    if graph.is_zero(square) {
        let element = match site.element {
            crate::dynamics::Element::Force(id) => site.context.model.forces[id].name.text.clone(),
            _ => String::new(),
        };
        site.context.problems.error(span, Problem::AlwaysZeroDistance { element });
        return None;
    }
    let length = graph.sqrt(square);
    let work = d.dot(graph, d_rate);
    // d·d' by the partial velocities, which the force is multiplied with too.
    let mut by_columns = graph.zero();
    let mut columns: Vec<Column> = jets.iter().flat_map(|jet| jet.columns.keys().copied()).collect();
    columns.sort_unstable();
    columns.dedup();
    for column in columns {
        let rate = match column {
            Column::V(index) => graph.symbol(Symbol::V(index)),
            Column::Time => graph.one(),
            Column::Virtual(..) => continue,
        };
        let zero = graph.zero();
        let partial = Vec3::new(d.axes, [0, 1, 2].map(|k| *jets[k].columns.get(&column).unwrap_or(&zero)));
        let along = d.dot(graph, partial);
        let product = graph.mul(rate, along);
        by_columns = graph.add(by_columns, product);
    }
    let is_cheaper = graph.operations(&[by_columns]) <= graph.operations(&[work]);
    let work = if is_cheaper { by_columns } else { work };
    let rate = graph.div(work, length);
    site.context.time.seed(length, rate);
    site.note(length, "its length");
    site.note(rate, "the rate of its length");
    Some(Line { reference_link, d, length, rate })
}

fn apply(site: &mut Site<'_, '_>, [from, to]: [FrameId; 2], line: &Line, force: ExprId) {
    let graph = site.graph();
    let per_length = graph.div(force, line.length);
    site.note(per_length, "its direction: two points that coincide have none");
    let graph = site.graph();
    let on_to = line.d.scale(graph, per_length);
    let on_from = on_to.neg(graph);
    site.push(line.reference_link, to, on_to);
    site.push(line.reference_link, from, on_from);
}
