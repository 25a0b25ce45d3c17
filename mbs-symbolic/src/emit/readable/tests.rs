//! What is written must read well and mean what the graph means.

use super::super::{latex, mathml, text};
use crate::dynamics::{Equations, Layout, Mode, ModeKind};
use crate::expr::{BinaryOp, Environment, Graph, Symbol, UnaryOp, evaluate};
use crate::ids::ExprId;
use rustc_hash::FxHashMap;

/// Equations without bodies or loops: forces `f` of coordinates x0, x1, … with the
/// parameters a0, a1, …
fn equations(mut graph: Graph, layout: Layout, mass: Vec<ExprId>, forces: Vec<ExprId>) -> Equations {
    let p_dot = (0..layout.velocities.len() as u32).map(|i| graph.symbol(Symbol::V(i))).collect();
    Equations { p_dot, mass_matrix: mass, forces, ..Equations::empty(graph, layout) }
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// A pendulum on a cart, written by hand.
fn cart_pendulum() -> Equations {
    let mut g = Graph::new();
    let [m1, m2, l, gravity, k] = [0, 1, 2, 3, 4].map(|i| g.symbol(Symbol::Theta(i)));
    let [s, phi] = [0, 1].map(|i| g.symbol(Symbol::P(i)));
    let phi_dot = g.symbol(Symbol::V(1));
    let (sine, cosine) = (g.sin(phi), g.cos(phi));
    let m = g.add(m1, m2);
    let ml = g.mul(m2, l);
    let coupling = g.mul(ml, cosine);
    let mll = g.mul(ml, l);
    let inertia = g.scale(1.0 / 3.0, mll);
    let square = g.mul(phi_dot, phi_dot);
    let swing = g.mul(ml, sine);
    let centrifugal = g.mul(swing, square);
    let spring = g.mul(k, s);
    let f0 = g.sub(centrifugal, spring);
    let weight = g.mul(swing, gravity);
    let f1 = g.neg(weight);
    let layout = Layout {
        model: "cart_pendulum".to_owned(),
        description: "A rod that swings on a sprung cart".to_owned(),
        positions: names(&["s", "phi"]),
        position_units: names(&["m", "rad"]),
        velocities: names(&["s", "phi"]),
        velocity_units: names(&["m/s", "rad/s"]),
        parameters: names(&["m1", "m2", "l", "g", "k"]),
        parameter_defaults: vec![2.0, 0.5, 0.4, 9.81, 120.0],
        parameter_docs: vec![(Some("kg".to_owned()), None), (Some("kg".to_owned()), None)],
        ..Layout::default()
    };
    equations(g, layout, vec![m, coupling, coupling, inertia], vec![f0, f1])
}

#[test]
fn a_small_model_as_text() {
    insta::assert_snapshot!(text::emit(&cart_pendulum()));
}

#[test]
fn a_small_model_as_latex() {
    insta::assert_snapshot!(latex::emit(&cart_pendulum()));
}

#[test]
fn a_small_model_as_mathml() {
    insta::assert_snapshot!(mathml::fragment(&cart_pendulum()));
}

#[test]
fn modes_and_logic() {
    let mut g = Graph::new();
    let [k, c] = [0, 1].map(|i| g.symbol(Symbol::Theta(i)));
    let [z, rate] = [g.symbol(Symbol::P(0)), g.symbol(Symbol::V(0))];
    let mut layout = Layout {
        model: "stop".to_owned(),
        positions: names(&["z"]),
        position_units: names(&["m"]),
        velocities: names(&["z"]),
        velocity_units: names(&["m/s"]),
        parameters: names(&["k", "c"]),
        parameter_defaults: vec![1e5, 20.0],
        ..Layout::default()
    };
    let element = crate::dynamics::Element::Force(crate::ids::Id::new(0));
    let mode = layout.modes.push(Mode {
        name: "bump".to_owned(),
        element,
        kind: ModeKind::Negative,
        decision: crate::dynamics::Decision::Touch,
        is_time_event: false,
        uses: vec![Vec::new()],
    });
    let touching = g.symbol(Symbol::Mode(mode));
    let (spring, damper) = (g.mul(k, z), g.mul(c, rate));
    let both = g.add(spring, damper);
    let push = g.neg(both);
    let zero = g.zero();
    let force = g.select(touching, push, zero);
    let one = g.one();
    let mut model = equations(g, layout, vec![one], vec![force]);
    model.switching = vec![z];
    insta::assert_snapshot!(text::emit(&model));
    insta::assert_snapshot!(latex::emit(&model));
}

/// Values of `label = expression` lines of a text, in order; lines that continue
/// another are indented deeper.
fn read_back(text: &str, known: &mut FxHashMap<String, f64>) {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().skip_while(|line| !line.starts_with("Quantities") && !line.starts_with("Mass")) {
        match line.strip_prefix("  ") {
            Some(rest) if rest.starts_with(' ') => {
                if let Some(last) = lines.last_mut() {
                    last.push(' ');
                    last.push_str(rest.trim());
                }
            }
            Some(rest) => lines.push(rest.to_owned()),
            None => {}
        }
    }
    for line in lines {
        let (label, expression) = line.split_once(" = ").unwrap_or_else(|| panic!("no equation: {line}"));
        let mut reader = Reader { rest: expression, known };
        let value = reader.or();
        assert_eq!(reader.rest.trim(), "", "left over in: {line}");
        known.insert(label.trim().to_owned(), value);
    }
}

/// Evaluates the model language's expressions with its usual precedence.
struct Reader<'a> {
    rest: &'a str,
    known: &'a FxHashMap<String, f64>,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(token) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn or(&mut self) -> f64 {
        let mut value = self.and();
        while self.eat("or ") {
            value = BinaryOp::Or.eval(value, self.and());
        }
        value
    }

    fn and(&mut self) -> f64 {
        let mut value = self.comparison();
        while self.eat("and ") {
            value = BinaryOp::And.eval(value, self.comparison());
        }
        value
    }

    fn comparison(&mut self) -> f64 {
        if self.eat("not ") {
            return UnaryOp::Not.eval(self.atom());
        }
        let value = self.sum();
        if self.eat("<=") {
            BinaryOp::LessEqual.eval(value, self.sum())
        } else if self.eat("<") {
            BinaryOp::Less.eval(value, self.sum())
        } else {
            value
        }
    }

    fn sum(&mut self) -> f64 {
        let mut value = if self.eat("-") { -self.product() } else { self.product() };
        loop {
            if self.eat("+") {
                value += self.product();
            } else if self.eat("-") {
                value -= self.product();
            } else {
                return value;
            }
        }
    }

    fn product(&mut self) -> f64 {
        let mut value = self.power();
        loop {
            if self.eat("*") {
                value *= self.power();
            } else if self.eat("/") {
                value /= self.power();
            } else {
                return value;
            }
        }
    }

    fn power(&mut self) -> f64 {
        let base = self.atom();
        if self.eat("^") { mbs_math::pow(base, self.power()) } else { base }
    }

    fn atom(&mut self) -> f64 {
        if self.eat("(") {
            let value = self.or();
            assert!(self.eat(")"), "no closing parenthesis before: {}", self.rest);
            return value;
        }
        let rest = self.rest.trim_start();
        let exponent =
            |i: usize| matches!(rest.as_bytes()[i - 1], b'e') && rest.as_bytes()[0].is_ascii_digit();
        let end = rest
            .char_indices()
            .find(|&(i, c)| !(c.is_alphanumeric() || "_.".contains(c) || (c == '-' && i > 0 && exponent(i))));
        let (word, after) = rest.split_at(end.map_or(rest.len(), |(i, _)| i));
        self.rest = after;
        if self.eat("(") {
            let mut arguments = vec![self.or()];
            while self.eat(",") {
                arguments.push(self.or());
            }
            assert!(self.eat(")"));
            return call(word, &arguments);
        }
        if word == "pi" {
            return std::f64::consts::PI;
        }
        let known = self.known.get(word).copied();
        known.or_else(|| word.parse().ok()).unwrap_or_else(|| panic!("unknown name `{word}`"))
    }
}

fn call(name: &str, a: &[f64]) -> f64 {
    let unary = [
        ("sqrt", UnaryOp::Sqrt),
        ("sin", UnaryOp::Sin),
        ("cos", UnaryOp::Cos),
        ("tan", UnaryOp::Tan),
        ("asin", UnaryOp::Asin),
        ("acos", UnaryOp::Acos),
        ("atan", UnaryOp::Atan),
        ("sinh", UnaryOp::Sinh),
        ("cosh", UnaryOp::Cosh),
        ("tanh", UnaryOp::Tanh),
        ("exp", UnaryOp::Exp),
        ("log", UnaryOp::Log),
        ("floor", UnaryOp::Floor),
    ];
    match (name, a) {
        ("atan2", [x, y]) => BinaryOp::Atan2.eval(*x, *y),
        ("mod", [x, y]) => BinaryOp::Mod.eval(*x, *y),
        ("if", [c, x, y]) => {
            if *c != 0.0 {
                *x
            } else {
                *y
            }
        }
        (_, [x]) => {
            let op = unary.iter().find(|(known, _)| *known == name);
            op.unwrap_or_else(|| panic!("unknown function `{name}`")).1.eval(*x)
        }
        _ => panic!("unknown function `{name}`"),
    }
}

/// Random expressions of every operator, written and read back.
#[test]
fn text_means_what_the_graph_means() {
    const SYMBOLS: usize = 4;
    // A small generator of our own: the test must be the same everywhere.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    for _ in 0..60 {
        let mut g = Graph::new();
        let mut pool: Vec<ExprId> = Vec::new();
        for i in 0..SYMBOLS as u32 {
            pool.extend([Symbol::Theta(i), Symbol::P(i), Symbol::V(i)].map(|symbol| g.symbol(symbol)));
        }
        pool.extend([0.5, 2.0, 1.0 / 3.0, 0.7, -3.25e-7].map(|value| g.constant(value)));
        for _ in 0..80 {
            let [a, b, c] = [0; 3].map(|_| pool[draw(pool.len())]);
            let sum = g.add(a, b);
            use {BinaryOp as B, UnaryOp as U};
            let next = match draw(16) {
                0..=2 => sum,
                3 | 4 => g.sub(a, b),
                5..=8 => g.mul(a, b),
                9 => g.div(a, b),
                10 => g.neg(a),
                11 => g.unary([U::Sin, U::Cos, U::Atan, U::Tanh, U::Floor][draw(5)], a),
                12 => {
                    let square = g.mul(a, a);
                    g.unary([U::Sqrt, U::Sinh, U::Cosh][draw(3)], square)
                }
                13 => g.binary([B::Atan2, B::Mod][draw(2)], a, b),
                14 => {
                    let (less, not_more) = (g.binary(B::Less, a, b), g.binary(B::LessEqual, b, c));
                    let opposite = g.unary(U::Not, less);
                    let either = g.binary(B::Or, opposite, not_more);
                    let both = g.binary(B::And, either, not_more);
                    g.select(both, a, sum)
                }
                _ => {
                    let (square, exponent) = (g.mul(a, a), g.constant(1.7));
                    g.binary(B::Pow, square, exponent)
                }
            };
            pool.push(next);
        }
        let forces: Vec<ExprId> = pool.split_off(pool.len() - SYMBOLS);
        let numbered = |letter: &str| (0..SYMBOLS).map(|i| format!("{letter}{i}")).collect::<Vec<_>>();
        let layout = Layout {
            positions: numbered("x"),
            velocities: numbered("x"),
            position_units: numbered("m"),
            velocity_units: numbered("m"),
            parameters: numbered("a"),
            parameter_defaults: vec![1.0; SYMBOLS],
            ..Layout::default()
        };
        let zero = g.zero();
        let model = equations(g, layout, vec![zero; SYMBOLS * SYMBOLS], forces);
        let values = |from: f64| (0..SYMBOLS).map(|i| from + 0.13 * i as f64).collect::<Vec<f64>>();
        let (theta, p, v) = (values(0.61), values(-0.27), values(1.17));
        let mut known = FxHashMap::default();
        for i in 0..SYMBOLS {
            known.insert(format!("a{i}"), theta[i]);
            known.insert(format!("x{i}"), p[i]);
            known.insert(format!("x{i}_dot"), v[i]);
        }
        let written = text::emit(&model);
        read_back(&written, &mut known);
        let environment = Environment { theta: &theta, p: &p, v: &v, ..Environment::default() };
        let no_table = |_, _, _, _| unreachable!("no table in these expressions");
        let expected = evaluate(&model.graph, &environment, &no_table, &model.forces);
        for (i, expected) in expected.into_iter().enumerate() {
            let value = known.get(&format!("f[x{i}]")).copied().unwrap_or(0.0);
            let close = (value - expected).abs() <= 1e-9 * (1.0 + expected.abs());
            let same = value.is_nan() && expected.is_nan() || value == expected;
            assert!(close || same, "f[x{i}]: {value} against {expected} in\n{written}");
        }
        balanced(&latex::emit(&model));
        nested(&mathml::document(&model));
    }
}

/// Every element of a page is closed in its turn.
fn nested(page: &str) {
    let mut open = Vec::new();
    for tag in page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default()) {
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{page}");
        } else if !tag.ends_with('/') && !tag.starts_with("!DOCTYPE") && !tag.starts_with("meta") {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    assert!(open.is_empty(), "{open:?} stay open in {page}");
}

/// Every brace and every `\left` of a LaTeX text is closed.
fn balanced(text: &str) {
    let count = |pattern: &str| text.matches(pattern).count();
    assert_eq!(count("{") - count("\\{"), count("}") - count("\\}"), "{text}");
    assert_eq!(count("\\left(") + count("\\left\\"), count("\\right)") + count("\\right\\"), "{text}");
    assert_eq!(count("\\begin{"), count("\\end{"), "{text}");
}

/// A chain of functions as deep as a model can make it neither overflows the stack nor
/// hides in one line.
#[test]
fn depth_is_bounded() {
    let mut g = Graph::new();
    let mut value = g.symbol(Symbol::P(0));
    for _ in 0..10_000 {
        value = g.sin(value);
    }
    let layout = Layout {
        positions: names(&["x"]),
        velocities: names(&["x"]),
        position_units: names(&["m"]),
        velocity_units: names(&["m/s"]),
        ..Layout::default()
    };
    let one = g.one();
    let model = equations(g, layout, vec![one], vec![value]);
    let written = text::emit(&model);
    assert!(written.lines().all(|line| line.len() < 400), "{written}");
}
