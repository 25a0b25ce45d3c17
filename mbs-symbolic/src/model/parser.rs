//! Formula text → syntax, names not yet resolved.
//!
//! Binding, loosest first: `or`, `and`, `not`, comparisons, `+ -`, `* /`, unary
//! minus, `^` (to the right). Recursion is bounded by the nesting limit; chains of
//! left-binding operators are loops.

use super::builtin;
use super::lexer::{FormulaText, Token, TokenKind, tokens};
use super::limits;
use super::units::Dimension;
use super::{BinaryOperator, Comparison};
use crate::diag::{Diagnostic, Problem, Span};

/// A formula as written; operands come before what uses them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Syntax {
    pub(super) nodes: Vec<SyntaxNode>,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct SyntaxNode {
    pub(super) kind: SyntaxKind,
    pub(super) span: Span,
}

type NodeId = u32;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum SyntaxKind {
    /// In SI; with what it measures if a unit was written.
    Number(f64, Option<Dimension>),
    /// A name whose value is meant.
    Name(String),
    /// A name that points at a frame, joint or table.
    Reference(String),
    Neg(NodeId),
    Binary(BinaryOperator, NodeId, NodeId),
    Compare(Comparison, NodeId, NodeId),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Not(NodeId),
    Call(Box<Call>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) name_span: Span,
    pub(super) arguments: Vec<NodeId>,
    /// `relative_to=frame` and the like.
    pub(super) options: Vec<(String, Span, NodeId)>,
    /// What follows the parenthesis: `.x`.
    pub(super) component: Option<(String, Span)>,
}

/// Parses a formula.
pub(super) fn parse(formula: FormulaText<'_>) -> Result<Syntax, Box<Diagnostic>> {
    if formula.text.len() > limits::FORMULA_BYTES {
        let problem = Problem::FormulaTooLong { bytes: formula.text.len(), limit: limits::FORMULA_BYTES };
        return Err(Box::new(Diagnostic::error(formula.span, problem)));
    }
    let tokens = tokens(formula)?;
    let mut parser = Parser { tokens, at: 0, nodes: Vec::new(), depth: 0 };
    parser.expression(0)?;
    match parser.peek().kind {
        TokenKind::End => Ok(Syntax { nodes: parser.nodes, span: formula.span }),
        _ => Err(parser.unexpected("an operator or the end of the formula").into()),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    nodes: Vec<SyntaxNode>,
    depth: usize,
}

/// What an operator between two operands makes of them.
#[derive(Clone, Copy)]
enum Infix {
    Or,
    And,
    Compare(Comparison),
    Arithmetic(BinaryOperator),
}

const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const UNARY: u8 = 7;
const POWER: u8 = 8;

impl Parser {
    fn peek(&self) -> &Token {
        // The last token is `End` and is never passed.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn accept(&mut self, kind: &TokenKind) -> bool {
        let found = self.peek().kind == *kind;
        self.at += usize::from(found);
        found
    }

    fn push(&mut self, kind: SyntaxKind, span: Span) -> NodeId {
        self.nodes.push(SyntaxNode { kind, span });
        // At most one node per byte of a formula of limited length.
        (self.nodes.len() - 1) as NodeId
    }

    fn span(&self, node: NodeId) -> Span {
        self.nodes[node as usize].span
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let token = self.peek();
        let problem = Problem::Syntax { expected: expected.to_owned(), found: token.kind.describe() };
        Diagnostic::error(token.span, problem)
    }

    fn infix(&self) -> Option<(Infix, u8)> {
        Some(match &self.peek().kind {
            TokenKind::Name(name) if name == "or" => (Infix::Or, 1),
            TokenKind::Name(name) if name == "and" => (Infix::And, 2),
            TokenKind::Less => (Infix::Compare(Comparison::Less), COMPARISON),
            TokenKind::LessEqual => (Infix::Compare(Comparison::LessEqual), COMPARISON),
            TokenKind::Greater => (Infix::Compare(Comparison::Greater), COMPARISON),
            TokenKind::GreaterEqual => (Infix::Compare(Comparison::GreaterEqual), COMPARISON),
            TokenKind::Plus => (Infix::Arithmetic(BinaryOperator::Add), 5),
            TokenKind::Minus => (Infix::Arithmetic(BinaryOperator::Sub), 5),
            TokenKind::Times => (Infix::Arithmetic(BinaryOperator::Mul), 6),
            TokenKind::Over => (Infix::Arithmetic(BinaryOperator::Div), 6),
            TokenKind::Power => (Infix::Arithmetic(BinaryOperator::Pow), POWER),
            _ => return None,
        })
    }

    /// An expression of operators that bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<NodeId, Box<Diagnostic>> {
        self.depth += 1;
        if self.depth > limits::FORMULA_DEPTH {
            let problem = Problem::FormulaTooDeep { limit: limits::FORMULA_DEPTH };
            return Err(Box::new(Diagnostic::error(self.peek().span, problem)));
        }
        let mut left = self.operand()?;
        while let Some((infix, binding)) = self.infix() {
            if binding < least {
                break;
            }
            self.advance();
            let right = self.expression(match binding {
                // To the right, and `2^-x` is allowed.
                POWER => UNARY,
                other => other + 1,
            })?;
            let kind = match infix {
                Infix::Or => SyntaxKind::Or(left, right),
                Infix::And => SyntaxKind::And(left, right),
                Infix::Compare(comparison) => SyntaxKind::Compare(comparison, left, right),
                Infix::Arithmetic(operator) => SyntaxKind::Binary(operator, left, right),
            };
            let span = self.span(left).to(self.span(right));
            left = self.push(kind, span);
            if binding == COMPARISON && self.infix().is_some_and(|(_, next)| next == COMPARISON) {
                return Err(self.unexpected("`and` between comparisons").into());
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<NodeId, Box<Diagnostic>> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Number(value, dimension) => {
                self.advance();
                Ok(self.push(SyntaxKind::Number(value, dimension), token.span))
            }
            TokenKind::Name(name) if name == "not" => {
                self.advance();
                let operand = self.expression(NOT)?;
                let span = token.span.to(self.span(operand));
                Ok(self.push(SyntaxKind::Not(operand), span))
            }
            TokenKind::Name(name) if name != "and" && name != "or" => {
                self.advance();
                if self.accept(&TokenKind::Open) {
                    return self.call(name, token.span);
                }
                Ok(self.push(SyntaxKind::Name(name), token.span))
            }
            TokenKind::Minus => {
                self.advance();
                let operand = self.expression(UNARY)?;
                let span = token.span.to(self.span(operand));
                Ok(self.push(SyntaxKind::Neg(operand), span))
            }
            TokenKind::Plus => {
                self.advance();
                self.expression(UNARY)
            }
            TokenKind::Open => {
                self.advance();
                let inner = self.expression(0)?;
                if !self.accept(&TokenKind::Close) {
                    return Err(self.unexpected("`)`").with(token.span, "opened here").into());
                }
                Ok(inner)
            }
            _ => Err(self.unexpected("a value").into()),
        }
    }

    /// The arguments of a call, after its parenthesis.
    fn call(&mut self, name: String, name_span: Span) -> Result<NodeId, Box<Diagnostic>> {
        let references = builtin::find(&name).map_or(0, builtin::Builtin::references);
        let mut arguments = Vec::new();
        let mut options = Vec::new();
        if !self.accept(&TokenKind::Close) {
            loop {
                if let Some((option, span)) = self.option_name() {
                    options.push((option, span, self.reference()?));
                } else if arguments.len() < references {
                    arguments.push(self.reference()?);
                } else {
                    arguments.push(self.expression(0)?);
                }
                if self.accept(&TokenKind::Close) {
                    break;
                }
                if !self.accept(&TokenKind::Comma) {
                    return Err(self
                        .unexpected("`,` or `)`")
                        .with(name_span, "in the arguments of this")
                        .into());
                }
            }
        }
        let close = self.tokens[self.at - 1].span;
        let mut span = name_span.to(close);
        let mut component = None;
        if self.accept(&TokenKind::Dot) {
            let token = self.advance();
            let TokenKind::Name(text) = token.kind else {
                self.at -= 1;
                return Err(self.unexpected("a component such as `x`").into());
            };
            span = span.to(token.span);
            component = Some((text, token.span));
        }
        let call = Call { name, name_span, arguments, options, component };
        Ok(self.push(SyntaxKind::Call(Box::new(call)), span))
    }

    /// `name =`, if that is what comes next.
    fn option_name(&mut self) -> Option<(String, Span)> {
        let Token { kind: TokenKind::Name(name), span } = self.peek().clone() else { return None };
        if self.tokens.get(self.at + 1)?.kind != TokenKind::Assign {
            return None;
        }
        self.at += 2;
        Some((name, span))
    }

    /// A bare name, or whatever else stands there for the resolver to complain about.
    fn reference(&mut self) -> Result<NodeId, Box<Diagnostic>> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Name(name) => {
                self.advance();
                Ok(self.push(SyntaxKind::Reference(name), token.span))
            }
            _ => Err(self.unexpected("a name").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::lexer::Places;

    /// The formula with every operation in parentheses.
    fn show(text: &str) -> String {
        let formula = FormulaText { text, span: Span::default(), places: Places::Contiguous };
        let syntax = match parse(formula) {
            Ok(syntax) => syntax,
            Err(error) => return format!("{} at {}", error.problem.code(), error.span.start),
        };
        let mut shown: Vec<String> = Vec::new();
        for node in &syntax.nodes {
            let s = |id: &NodeId| shown[*id as usize].clone();
            let text = match &node.kind {
                SyntaxKind::Number(value, _) => value.to_string(),
                SyntaxKind::Name(name) | SyntaxKind::Reference(name) => name.clone(),
                SyntaxKind::Neg(a) => format!("(-{})", s(a)),
                SyntaxKind::Binary(operator, a, b) => {
                    let sign = ["+", "-", "*", "/", "^"][*operator as usize];
                    format!("({}{sign}{})", s(a), s(b))
                }
                SyntaxKind::Compare(comparison, a, b) => {
                    format!("({}{}{})", s(a), ["<", "<=", ">", ">="][*comparison as usize], s(b))
                }
                SyntaxKind::And(a, b) => format!("({} and {})", s(a), s(b)),
                SyntaxKind::Or(a, b) => format!("({} or {})", s(a), s(b)),
                SyntaxKind::Not(a) => format!("(not {})", s(a)),
                SyntaxKind::Call(call) => {
                    let mut arguments: Vec<String> = call.arguments.iter().map(s).collect();
                    arguments.extend(call.options.iter().map(|(name, _, id)| format!("{name}={}", s(id))));
                    let component = call.component.as_ref().map_or(String::new(), |(c, _)| format!(".{c}"));
                    format!("{}({}){component}", call.name, arguments.join(", "))
                }
            };
            shown.push(text);
        }
        shown.pop().unwrap_or_default()
    }

    #[test]
    fn operators_bind_as_documented() {
        assert_eq!(show("1 + 2*3"), "(1+(2*3))");
        assert_eq!(show("-a^2"), "(-(a^2))");
        assert_eq!(show("2^-x^y"), "(2^(-(x^y)))");
        assert_eq!(show("a^b^c"), "(a^(b^c))");
        assert_eq!(show("a-b-c"), "((a-b)-c)");
        assert_eq!(show("-a*b"), "((-a)*b)");
        assert_eq!(show("a*-b"), "(a*(-b))");
        assert_eq!(show("not a < b and c > d or e >= 1"), "(((not (a<b)) and (c>d)) or (e>=1))");
        assert_eq!(show("1e-3 + .5 + 2."), "((0.001+0.5)+2)");
    }

    #[test]
    fn units_stand_behind_numbers() {
        assert_eq!(show("30 km/h"), (30.0 / 3.6).to_string());
        assert_eq!(show("-5mm + x"), "((-0.005)+x)");
        assert_eq!(show("75 N/mm * x"), "(75000*x)");
        assert_eq!(show("2 m^2"), "2");
        assert_eq!(show("2 mm ^2"), "(0.002^2)");
        assert_eq!(show("max(5 N/(m*s), 1)"), "max(5, 1)");
        assert_eq!(show("3 1/min - a"), "(0.05-a)");
        assert_eq!(show("5 % * a"), "(0.05*a)");
        assert_eq!(show("x > 0 and y < 1 or not z < 2"), "(((x>0) and (y<1)) or (not (z<2)))");
        assert_eq!(show("2 m-x"), "(2-x)");
        assert_eq!(show("a/2 s / b"), "((a/2)/b)");
    }

    #[test]
    fn calls_have_options_and_components() {
        assert_eq!(
            show("position(wheel.hub, relative_to=car, in=ground).x - 1"),
            "(position(wheel.hub, relative_to=car, in=ground).x-1)"
        );
        assert_eq!(show("if(a<b, sin(x), J.wx)"), "if((a<b), sin(x), J.wx)");
    }

    #[test]
    fn mistakes_are_placed() {
        assert_eq!(show("1 +"), "MBS-F001 at 3");
        assert_eq!(show("2 3"), "MBS-F001 at 2");
        assert_eq!(show("2 x"), "MBS-U001 at 2");
        assert_eq!(show("5 N/mm*x"), "MBS-U001 at 7");
        assert_eq!(show("(1 + 2"), "MBS-F001 at 6");
        assert_eq!(show("a ** b"), "MBS-F002 at 2");
        assert_eq!(show("a < b < c"), "MBS-F001 at 6");
        assert_eq!(show("1e999"), "MBS-F005 at 0");
        assert_eq!(show(""), "MBS-F001 at 0");
        assert_eq!(show("µ"), "MBS-F002 at 0");
        assert_eq!(show("f(a, )"), "MBS-F001 at 5");
    }

    #[test]
    fn nesting_and_length_are_limited() {
        assert!(show(&format!("{}1{}", "(".repeat(120), ")".repeat(120))).starts_with('1'));
        for hostile in ["(", "-", "not ", "2^", "sin(", "+"] {
            assert!(show(&hostile.repeat(10_000)).starts_with("MBS-L005"), "{hostile}");
        }
        assert!(show(&"1+".repeat(40_000)).starts_with("MBS-L004"));
        assert!(!show(&format!("{}1", "1+".repeat(30_000))).starts_with("MBS"));
    }
}
