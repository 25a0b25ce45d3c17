//! Names of frames, joints and tables inside formulas.

use super::Resolver;
use super::formulas::Draft;
use super::names::Entity;
use crate::diag::{Diagnostic, Problem, Span};
use crate::ids::{FrameId, Id, TableId};
use crate::model::Query;
use crate::model::builtin::QueryKind;
use crate::model::parser::{Call, SyntaxKind};

impl<'a> Resolver<'a> {
    fn reference<'s>(draft: &Draft<'s>, node: u32) -> Option<(&'s str, Span)> {
        let node = &draft.syntax.nodes[node as usize];
        match &node.kind {
            SyntaxKind::Reference(name) => Some((name, node.span)),
            _ => None,
        }
    }

    pub(super) fn table_reference(&mut self, draft: &Draft<'_>, node: u32) -> Option<TableId> {
        let (name, span) = Self::reference(draft, node)?;
        match self.lookup(name, span) {
            Some(Entity::Table(id)) => Some(id),
            Some(other) => {
                let found = other.describe();
                self.error(
                    span,
                    Problem::WrongKindOfName { name: name.to_owned(), expected: "a table", found },
                );
                None
            }
            None => {
                let nearest = self.nearest(name, self.names.tables());
                self.error(span, Problem::UnknownName { kind: "table", name: name.to_owned(), nearest });
                None
            }
        }
    }

    pub(super) fn query(
        &mut self,
        draft: &Draft<'_>,
        call: &Call,
        kind: QueryKind,
        span: Span,
    ) -> Option<Query> {
        let component = self.component(call, kind, span);
        let mut relative_to = None;
        let mut axes = None;
        for (option, option_span, node) in &call.options {
            let slot = match option.as_str() {
                "relative_to" if kind.options().contains("relative_to") => &mut relative_to,
                "in" if kind.options().contains("`in`") => &mut axes,
                _ => {
                    let problem = Problem::UnknownOption {
                        query: call.name.clone(),
                        option: option.clone(),
                        options: kind.options(),
                    };
                    self.error(*option_span, problem);
                    return None;
                }
            };
            let (name, span) = Self::reference(draft, *node)?;
            *slot = Some(self.find_frame(name, span)?);
        }
        let (first, first_span) = Self::reference(draft, call.arguments[0])?;
        if kind == QueryKind::Reaction {
            let joint = self.find_joint(first, first_span)?;
            return Some(Query::Reaction { joint, component: component? });
        }
        let of = self.find_frame(first, first_span)?;
        let relative_to = relative_to.unwrap_or(FrameId::new(0));
        let axes = axes.unwrap_or(relative_to);
        let query = match kind {
            QueryKind::Position => Query::Position { of, relative_to, axes, component: component? },
            QueryKind::Velocity => Query::Velocity { of, relative_to, axes, component: component? },
            QueryKind::Acceleration => Query::Acceleration { of, relative_to, axes, component: component? },
            QueryKind::AngularVelocity => {
                Query::AngularVelocity { of, relative_to, axes, component: component? }
            }
            QueryKind::Rotation => {
                let entry = component?;
                Query::Rotation { of, relative_to, row: entry / 3, column: entry % 3 }
            }
            QueryKind::Distance | QueryKind::Reaction => {
                let (second, second_span) = Self::reference(draft, *call.arguments.get(1)?)?;
                let to = self.find_frame(second, second_span)?;
                component?;
                Query::Distance { from: of, to }
            }
        };
        Some(query)
    }

    /// Index of the component asked for; 0 for a query that is a number.
    fn component(&mut self, call: &Call, kind: QueryKind, span: Span) -> Option<u8> {
        let Some((component, component_span)) = &call.component else {
            if kind == QueryKind::Distance {
                return Some(0);
            }
            let problem = Problem::NeedsComponent { query: call.name.clone(), components: kind.components() };
            self.error(span, problem);
            return None;
        };
        let letter = |byte: u8| matches!(byte, b'x'..=b'z').then(|| byte - b'x');
        let index = match (kind, component.as_bytes()) {
            (QueryKind::Rotation, [row, column]) => {
                letter(*row).zip(letter(*column)).map(|(row, column)| 3 * row + column)
            }
            (QueryKind::Reaction, [b'f', axis]) => letter(*axis),
            (QueryKind::Reaction, [b't', axis]) => letter(*axis).map(|axis| axis + 3),
            (QueryKind::Rotation | QueryKind::Reaction | QueryKind::Distance, _) => None,
            (_, [axis]) => letter(*axis),
            _ => None,
        };
        if index.is_none() {
            let problem = Problem::UnknownComponent {
                query: call.name.clone(),
                component: component.clone(),
                components: kind.components(),
            };
            self.problems.push(Diagnostic::error(*component_span, problem));
        }
        index
    }
}
