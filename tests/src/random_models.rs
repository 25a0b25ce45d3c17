//! Random mechanisms as model text: every joint type, constraint and force mixed.

use std::fmt::Write as _;

use crate::states::Random;

/// What a random model may contain.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Moving bodies, at least three if there are loops.
    pub bodies: usize,
    /// Joints that close loops.
    pub loops: usize,
    /// Constraint elements without coordinates.
    pub constraints: usize,
    /// Force elements.
    pub forces: usize,
    /// Whether most bodies hang on the one before, in a long chain.
    pub long: bool,
    /// Whether joints follow others.
    pub mimics: bool,
}

/// Joints with one coordinate of the same name, for springs, drives and couplings.
struct Model {
    random: Random,
    bodies: usize,
    /// Parent of body i + 1.
    parents: Vec<usize>,
    scalar_coordinates: Vec<String>,
    /// Whether joints follow others, and what else they may follow than joints with one coordinate.
    mimics: bool,
    other_coordinates: Vec<String>,
    /// Reactions are not defined beside free equations, which name no forces.
    has_equations: bool,
    text: String,
}

/// A random model for this seed.
pub fn random_model(kind: Kind, seed: u64) -> String {
    let mut model = Model {
        random: Random::new(seed),
        bodies: kind.bodies,
        parents: Vec::new(),
        scalar_coordinates: Vec::new(),
        mimics: kind.mimics,
        other_coordinates: Vec::new(),
        has_equations: false,
        text: String::new(),
    };
    model.head(seed);
    model.bodies(kind.constraints == 0);
    model.joints(kind);
    model.constraints(kind.constraints);
    model.forces(kind.forces);
    model.outputs();
    model.text
}

const TREE_TYPES: &[&str] = &[
    "fixed",
    "revolute",
    "revolute",
    "prismatic",
    "screw",
    "cylindrical",
    "universal",
    "spherical",
    "angles",
    "ground_angles",
    "free",
    "free_angles",
    "planar",
    "curve",
    "compound",
];
const LOOP_TYPES: &[&str] = &[
    "fixed",
    "revolute",
    "prismatic",
    "screw",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "curve",
    "compound",
];
const SEQUENCES: &[&str] = &["xyz", "zyx", "zxz", "yxy", "xzy"];

impl Model {
    fn line(&mut self, indent: usize, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    fn number(&mut self, low: f64, high: f64) -> String {
        format!("{:.3}", self.random.between(low, high))
    }

    fn vector(&mut self, size: f64) -> String {
        let [x, y, z] = std::array::from_fn(|_| self.number(-size, size));
        format!("[{x}, {y}, {z}]")
    }

    fn principal(&mut self) -> String {
        (*self.random.pick(&["x", "y", "z", "-x", "-y", "-z"])).to_owned()
    }

    fn axis(&mut self) -> String {
        if self.random.chance(0.3) { self.vector(1.0) } else { self.principal() }
    }

    fn head(&mut self, seed: u64) {
        self.line(0, &format!("model: random_{seed}"));
        self.line(0, "gravity: [0.3, g_y, -9.81]");
        self.line(0, "parameters:");
        self.line(2, "g_y: 0.7");
        self.line(2, "size: 0.8");
        self.line(2, "speed: {value: 1.3, unit: rad/s}");
        for body in 1..=self.bodies {
            let mass = self.number(0.2, 3.0);
            self.line(2, &format!("m{body}: {mass}"));
        }
        self.line(2, "half: size/2");
        self.line(0, "inputs:");
        self.line(2, "drive: 0.2*sin(t)");
        self.line(2, "guide: {value: 0.1*sin(t), derivatives: 2}");
        self.line(0, "states:");
        self.line(2, "lag: {derivative: (drive - lag)/0.3, initial: 0.1}");
    }

    /// Every body has the frames `base`, for its own joint, `a` and `b`, for joints of
    /// others, and `c`, where no joint is. Parallel frames make short equations, but also
    /// constraints that no coordinate changes.
    fn bodies(&mut self, parallel: bool) {
        self.line(0, "bodies:");
        for body in 0..=self.bodies {
            self.line(2, &if body == 0 { "ground:".to_owned() } else { format!("b{body}:") });
            if body > 0 {
                // A sum of point masses is a physical inertia tensor.
                let points: [[f64; 3]; 3] =
                    std::array::from_fn(|_| std::array::from_fn(|_| self.random.between(-0.3, 0.3)));
                let sum = |i: usize, j: usize| points.iter().map(|r| r[i] * r[j]).sum::<f64>();
                let [xx, yy, zz] = [sum(1, 1) + sum(2, 2), sum(0, 0) + sum(2, 2), sum(0, 0) + sum(1, 1)];
                let [xy, xz, yz] = [-sum(0, 1), -sum(0, 2), -sum(1, 2)];
                let com = self.vector(0.4);
                let frame = if self.random.chance(0.3) { ", frame: a" } else { "" };
                self.line(4, &format!("mass: m{body}"));
                self.line(4, &format!("com: {com}"));
                self.line(
                    4,
                    &format!(
                        "inertia: {{xx: {xx:.5}, yy: {yy:.5}, zz: {zz:.5}, xy: {xy:.6}, xz: {xz:.6}, yz: {yz:.6}{frame}}}"
                    ),
                );
            }
            self.line(4, "frames:");
            for frame in ["base", "a", "b", "c"] {
                let [x, z] = std::array::from_fn(|_| self.number(-0.5, 0.5));
                let (axis, angle) = (self.axis(), self.number(-1.5, 1.5));
                let second =
                    if !parallel || self.random.chance(0.3) { ", {axis: [1, 2, 3], angle: 0.4}" } else { "" };
                let rotation = if parallel && self.random.chance(0.4) {
                    String::new()
                } else {
                    format!(", rotation: [{{axis: {axis}, angle: {angle}}}{second}]")
                };
                self.line(6, &format!("{frame}: {{position: [{x}, half, {z}]{rotation}}}"));
            }
        }
    }

    fn name(body: usize) -> String {
        if body == 0 { "ground".to_owned() } else { format!("b{body}") }
    }

    fn joints(&mut self, kind: Kind) {
        let loops = kind.loops;
        // A constraint between bodies that do not move to each other cannot be met.
        let types = if kind.constraints == 0 { TREE_TYPES } else { &TREE_TYPES[1..] };
        self.line(0, "joints:");
        for body in 1..=self.bodies {
            let parent = match (loops, body) {
                (0, 2..) if kind.long && self.random.chance(0.85) => body - 1,
                (0, _) => self.random.below(body),
                (_, 4..) if kind.long && self.random.chance(0.85) => body - 1,
                // Loops close across the spherical joint of body 2, so that no
                // orientation row can be constant.
                (_, 1) => 0,
                (_, 2 | 3) => 1,
                _ => 1 + self.random.below(body - 1),
            };
            self.parents.push(parent);
            let name = match (loops, body) {
                (1.., 2) => *self.random.pick(&["spherical", "angles"]),
                _ => *self.random.pick(types),
            };
            let side = *self.random.pick(&["a", "b"]);
            let ends = [format!("{}.{side}", Self::name(parent)), format!("b{body}.base")];
            let reversed = name != "ground_angles" && self.random.chance(0.25);
            self.joint(&format!("j{body}"), name, ends, reversed, "");
        }
        for closing in 1..=loops {
            let inside: Vec<usize> = (1..=self.bodies).filter(|body| self.descends(*body, 2)).collect();
            let outside: Vec<usize> = (0..=self.bodies).filter(|body| !self.descends(*body, 2)).collect();
            let (from, to) = (*self.random.pick(&inside), *self.random.pick(&outside));
            let kind = *self.random.pick(LOOP_TYPES);
            let ends = [from, to].map(|body| format!("{}.c", Self::name(body)));
            let reversed = self.random.chance(0.5);
            self.joint(&format!("k{closing}"), kind, ends, reversed, ", cut: true");
        }
    }

    fn descends(&self, body: usize, ancestor: usize) -> bool {
        std::iter::successors(Some(body), |body| body.checked_sub(1).map(|index| self.parents[index]))
            .any(|body| body == ancestor)
    }

    fn joint(&mut self, name: &str, kind: &str, ends: [String; 2], reversed: bool, more: &str) {
        let [from, to] = if reversed { [&ends[1], &ends[0]] } else { [&ends[0], &ends[1]] };
        let mut scalar = false;
        let (kind, keys) = match kind {
            "revolute" | "prismatic" => {
                scalar = true;
                (kind, format!(", axis: {}", self.axis()))
            }
            "screw" => {
                scalar = true;
                (kind, format!(", axis: {}, pitch: 0.3*size", self.axis()))
            }
            "cylindrical" => (kind, format!(", axis: {}", self.axis())),
            "universal" => {
                let first = self.random.below(3);
                let second = (first + 1 + self.random.below(2)) % 3;
                let axis = |index: usize| ["x", "y", "z"][index];
                (kind, format!(", axes: [{}, {}]", axis(first), axis(second)))
            }
            "angles" => ("spherical", format!(", sequence: {}", self.random.pick(SEQUENCES))),
            "ground_angles" => {
                let sequence = *self.random.pick(SEQUENCES);
                ("spherical", format!(", sequence: {sequence}, relative_to: ground.a"))
            }
            "free_angles" => ("free", format!(", sequence: {}", self.random.pick(SEQUENCES))),
            "planar" => (kind, format!(", normal: {}", self.principal())),
            "curve" => {
                scalar = true;
                let bend = self.number(0.1, 0.5);
                let (axis, turn) = (self.axis(), self.number(-1.0, 1.0));
                let position = format!("[{name}, {bend}*{name}^2, half*sin({name})]");
                let rotation =
                    format!("[{{axis: {axis}, angle: {turn}*{name}}}, {{axis: x, angle: 0.2*{name}^2}}]");
                (kind, format!(", coordinate: {name}, position: {position}, rotation: {rotation}"))
            }
            "compound" => {
                let axes: [String; 4] = std::array::from_fn(|_| self.axis());
                let [a, b, c, d] = axes;
                let steps = format!(
                    "[{{rotate: {a}, by: {name}_q}}, {{translate: {b}, by: 0.2*{name}_q + guide}}, \
                     {{rotate: {c}, by: {name}_s*cos(speed*t)}}, {{translate: {d}, by: {name}_s}}]"
                );
                (kind, format!(", coordinates: [{name}_q, {name}_s], steps: {steps}"))
            }
            _ => (kind, String::new()),
        };
        let mimic = if scalar && more.is_empty() { self.mimic() } else { String::new() };
        if scalar && more.is_empty() {
            self.scalar_coordinates.push(name.to_owned());
        }
        if let ("cylindrical" | "free", "") = (kind, more) {
            self.other_coordinates.push(format!("{name}.{}", if kind == "free" { "y" } else { "angle" }));
        }
        self.line(2, &format!("{name}: {{type: {kind}, from: {from}, to: {to}{keys}{mimic}{more}}}"));
    }

    /// What a joint follows, if it follows one before it, which may follow another itself.
    fn mimic(&mut self) -> String {
        if !self.mimics || self.random.chance(0.3) {
            return String::new();
        }
        let master = if self.other_coordinates.is_empty() || self.random.chance(0.7) {
            let Some(joint) = self.coordinate() else { return String::new() };
            format!("joint: {joint}")
        } else {
            format!("coordinate: {}", self.random.pick(&self.other_coordinates))
        };
        let ratio = *self.random.pick(&["", ", ratio: -1", ", ratio: 0.7", ", ratio: -1.5*size"]);
        let offset = *self.random.pick(&["", ", offset: 0.2", ", offset: half"]);
        format!(", mimic: {{{master}{ratio}{offset}}}")
    }

    /// Two frames of different bodies.
    fn frames(&mut self, names: &[&str]) -> [String; 2] {
        let first = self.random.below(self.bodies + 1);
        let second = (first + 1 + self.random.below(self.bodies)) % (self.bodies + 1);
        [first, second].map(|body| format!("{}.{}", Self::name(body), self.random.pick(names)))
    }

    fn body_frame(&mut self) -> String {
        format!("b{}.{}", 1 + self.random.below(self.bodies), self.random.pick(&["a", "b", "base"]))
    }

    fn coordinate(&mut self) -> Option<String> {
        if self.scalar_coordinates.is_empty() {
            return None;
        }
        Some(self.random.pick(&self.scalar_coordinates).clone())
    }

    fn constraints(&mut self, count: usize) {
        if count > 0 {
            self.line(0, "constraints:");
        }
        for number in 1..=count {
            // Where no joint is, no two points have a constant distance.
            let [from, to] = self.frames(&["c"]);
            let axis = self.axis();
            let wheel = self.body_frame();
            let coordinate = self.coordinate();
            let text = match (self.random.below(9), coordinate) {
                (0, Some(q)) => format!("type: coupling, coordinates: {{{q}: 1.5*size}}, offset: 0.2"),
                (1, Some(q)) => format!("type: motion, coordinate: {q}, value: 0.3*sin(speed*t) + guide^2"),
                (2, _) => format!("type: point_on_line, point: {from}, line: {to}, axis: {axis}"),
                (3, _) => format!("type: point_on_plane, point: {from}, plane: {to}, normal: {axis}"),
                (4, _) => format!("type: rolling, wheel: {wheel}, axis: {axis}, radius: half, on: ground.c"),
                (5, _) => format!("type: knife_edge, frame: {wheel}, axis: {axis}"),
                (6, _) => format!(
                    "type: equation, value: \"position({from}, relative_to={to}).x*sin(speed*t) + distance({from}, {to})^2 - guide\""
                ),
                (7, _) => format!(
                    "type: equation, level: velocity, value: \"velocity({wheel}, in={to}).y + size*angular_velocity({wheel}).z*position({wheel}).x - sin(t)\""
                ),
                _ => format!("type: distance, from: {from}, to: {to}, length: size"),
            };
            self.has_equations |= text.starts_with("type: equation");
            self.line(2, &format!("c{number}: {{{text}}}"));
        }
    }

    fn forces(&mut self, count: usize) {
        self.line(0, "variables:");
        self.line(2, "sag: position(b1.a).z - half");
        if count > 0 {
            self.line(0, "forces:");
        }
        for number in 1..=count {
            let [from, to] = self.frames(&["c"]);
            let on = self.body_frame();
            let coordinate = self.coordinate();
            let [a, b, c] = std::array::from_fn(|_| self.number(-5.0, 5.0));
            let text = match (self.random.below(10), coordinate) {
                (0, Some(q)) => format!(
                    "type: joint_spring, coordinate: {q}, stiffness: 12, damping: 0.4, rest: 0.2, preload: {a}"
                ),
                (1, Some(q)) => {
                    format!("type: joint_force, coordinate: {q}, force: \"{a}*drive + {b}*lag + der(sag)\"")
                }
                (2, Some(q)) => format!(
                    "type: joint_friction, coordinate: {q}, coulomb: 2, regularisation: 0.5, viscous: 0.3"
                ),
                (3, _) => format!(
                    "type: force, on: {on}, in: {to}, force: [{a}, \"{b}*der(sag)\", \"if(sag > 0, {c}*sag, 2*sag)\"], reaction: {from}"
                ),
                (4, _) => format!(
                    "type: torque, on: {on}, in: {from}, torque: [{a}, {b}, \"max({c}, abs(sag))\"], reaction: {to}"
                ),
                (5, _) => format!(
                    "type: bushing, from: {from}, to: {to}, stiffness: [30, 20, 10], damping: [1, 2, 3], rotational_stiffness: [3, 4, 5], rotational_damping: [0.3, 0.4, 0.5]"
                ),
                (6, _) => format!(
                    "type: contact, on: {on}, radius: 0.1, road: \"0.2*sin(x + t) + 0.1*x*y + if(y > x, 3, 4)\", stiffness: 40, damping: 2"
                ),
                (8, _) => format!(
                    "type: point_contact_tyre, on: {on}, radius: size, road: \"0.1*cos(y + t) + x\", stiffness: 30, damping: 1"
                ),
                (7, _) => format!(
                    "type: spring_damper, from: {from}, to: {to}, force: \"{a}*(size - length) + {b}*rate\""
                ),
                _ => format!(
                    "type: spring_damper, from: {from}, to: {to}, stiffness: 50, damping: 2, length: size, preload: {a}"
                ),
            };
            self.line(2, &format!("f{number}: {{{text}}}"));
        }
    }

    fn outputs(&mut self) {
        self.line(0, "outputs:");
        let [a, b] = self.frames(&["a", "b", "base"]);
        let [c, _] = self.frames(&["a", "b", "base"]);
        let [d, e] = self.frames(&["c"]);
        let joint = 1 + self.random.below(self.bodies);
        for (name, value) in [
            ("o1", format!("position({a}, relative_to={b}, in={c}).y")),
            ("o2", format!("velocity({a}, relative_to={b}, in={c}).x")),
            ("o3", format!("acceleration({a}, relative_to={b}, in={c}).z")),
            ("o4", format!("acceleration({a}).x + acceleration({a}, in={a}).y")),
            ("o5", format!("angular_velocity({a}, relative_to={b}, in={c}).y")),
            ("o6", format!("rotation({a}, relative_to={b}).xz + distance({d}, {e})")),
            ("o7", format!("reaction(j{joint}).fx + 2*reaction(j{joint}).fy - reaction(j{joint}).fz")),
            ("o8", format!("reaction(j{joint}).tx + 2*reaction(j{joint}).ty - reaction(j{joint}).tz")),
            ("o9", "der(sag) + der(lag)*der(guide)".to_owned()),
        ] {
            if !(self.has_equations && value.starts_with("reaction")) {
                self.line(2, &format!("{name}: \"{value}\""));
            }
        }
    }
}
