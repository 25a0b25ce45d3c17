//! XML → [`Robot`].

use super::prefixes;
use super::robot::{Geometry, Inertial, Joint, Kind, Limit, Link, Mimic, Named, Num, Pose, Robot, Visual};
use super::xml::{Reader, check_size, parse};
use crate::diag::{Diagnostics, Problem};
use crate::model::suggest::nearest;
use roxmltree::Node;

const KINDS: [(&str, Kind); 6] = [
    ("revolute", Kind::Revolute),
    ("continuous", Kind::Continuous),
    ("prismatic", Kind::Prismatic),
    ("fixed", Kind::Fixed),
    ("floating", Kind::Floating),
    ("planar", Kind::Planar),
];

/// The robot in `text`, as far as it is right, with everything found; only what is not a robot
/// at all gives none.
pub(super) fn robot(text: &str, lenient: bool) -> Result<(Robot, Diagnostics), Diagnostics> {
    check_size(text).map_err(|diagnostic| Diagnostics::from(*diagnostic))?;
    let mut reader = Reader::new(text, lenient);
    let (joined, undeclared) = prefixes::join(text, reader.doubtful(), &mut reader.problems);
    reader.undeclared = undeclared;
    let document = parse(&joined).map_err(|diagnostic| Diagnostics::from(*diagnostic))?;
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        let found = root.tag_name().name().to_owned();
        reader.problems.error(reader.tag(root), Problem::NotARobot { found });
        return Err(reader.problems);
    }
    reader.check(root);
    let name = reader.spare(|reader| reader.name(root, "name"));
    let links = reader.children(root, "link").filter_map(|node| reader.link(node)).collect();
    let joints = reader.children(root, "joint").filter_map(|node| reader.joint(node)).collect();
    let name = name.unwrap_or(Named { text: "robot".to_owned(), span: reader.tag(root) });
    Ok((Robot { name, links, joints }, reader.finish()))
}

impl Reader<'_> {
    fn link(&mut self, node: Node<'_, '_>) -> Option<Link> {
        self.check(node);
        let name = self.name(node, "name");
        let inertial = self.child(node, "inertial").and_then(|node| self.inertial(node));
        let visuals = self
            .spare(|reader| reader.children(node, "visual").filter_map(|node| reader.visual(node)).collect());
        Some(Link { name: name?, inertial, visuals })
    }

    fn inertial(&mut self, node: Node<'_, '_>) -> Option<Inertial> {
        self.check(node);
        let pose = self.pose(node);
        let mass = self.need(node, "mass").and_then(|node| {
            self.check(node);
            self.need_number(node, "value")
        });
        let inertia = self.need(node, "inertia").and_then(|node| {
            self.check(node);
            // All six at once, so that each mistake is reported.
            let [xx, yy, zz, xy, xz, yz] =
                ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"].map(|name| self.need_number(node, name));
            Some([xx?, yy?, zz?, xy?, xz?, yz?])
        });
        Some(Inertial { pose, mass: mass?, inertia: inertia?, span: self.tag(node) })
    }

    fn pose(&mut self, node: Node<'_, '_>) -> Pose {
        let mut pose = Pose::none(self.tag(node));
        if let Some(origin) = self.child(node, "origin") {
            self.check(origin);
            pose.span = self.tag(origin);
            pose.xyz = self.three(origin, "xyz").unwrap_or(pose.xyz);
            pose.rpy = self.three(origin, "rpy").unwrap_or(pose.rpy);
        }
        pose
    }

    fn visual(&mut self, node: Node<'_, '_>) -> Option<Visual> {
        self.check(node);
        let pose = self.pose(node);
        let geometry = self.need(node, "geometry")?;
        self.check(geometry);
        let shape = ["box", "cylinder", "sphere"].into_iter().find_map(|name| self.child(geometry, name))?;
        self.check(shape);
        let span = self.tag(shape);
        let geometry = self.geometry(shape)?;
        let lengths: &[&Num] = match &geometry {
            Geometry::Box(size) => &size.each_ref(),
            Geometry::Cylinder { radius, .. } | Geometry::Sphere { radius } => &[radius],
        };
        if lengths.iter().any(|length| length.value <= 0.0) {
            self.pass_over(
                "a shape with an edge or radius that is not positive",
                "there is nothing to draw",
                span,
            );
            return None;
        }
        Some(Visual { pose, geometry, span })
    }

    fn geometry(&mut self, shape: Node<'_, '_>) -> Option<Geometry> {
        Some(match shape.tag_name().name() {
            "box" => {
                let size = self.three(shape, "size");
                if shape.attribute_node("size").is_none() {
                    self.need_number(shape, "size");
                }
                Geometry::Box(size?)
            }
            "cylinder" => {
                let (radius, length) = (self.need_number(shape, "radius"), self.need_number(shape, "length"));
                Geometry::Cylinder { radius: radius?, length: length? }
            }
            _ => Geometry::Sphere { radius: self.need_number(shape, "radius")? },
        })
    }

    fn joint(&mut self, node: Node<'_, '_>) -> Option<Joint> {
        self.check(node);
        let name = self.name(node, "name");
        let kind = self.kind(node);
        let pose = self.pose(node);
        let [parent, child] = ["parent", "child"].map(|end| {
            let node = self.need(node, end)?;
            self.check(node);
            self.name(node, "link")
        });
        let here = self.tag(node);
        let axis = self.axis(node, kind);
        // The default of URDF.
        let axis = axis.unwrap_or_else(|| {
            [("1", 1.0), ("0", 0.0), ("0", 0.0)].map(|(text, value)| Num::new(value, text, here))
        });
        let limit = self.spare(|reader| reader.limit(node));
        let dynamics = self.child(node, "dynamics");
        let [damping, friction] = ["damping", "friction"].map(|name| self.number(dynamics?, name));
        if let Some(dynamics) = dynamics {
            self.check(dynamics);
        }
        let mimic = self.child(node, "mimic").and_then(|node| {
            self.check(node);
            let span = self.tag(node);
            let joint = self.name(node, "joint")?;
            let multiplier = self.number(node, "multiplier").unwrap_or(Num::new(1.0, "1", span));
            let offset = self.number(node, "offset").unwrap_or(Num::new(0.0, "0", span));
            Some(Mimic { joint, multiplier, offset, span })
        });
        Some(Joint {
            name: name?,
            kind: kind?,
            pose,
            parent: parent?,
            child: child?,
            axis,
            limit,
            damping,
            friction,
            mimic,
        })
    }

    fn axis(&mut self, joint: Node<'_, '_>, kind: Option<Kind>) -> Option<[Num; 3]> {
        let read = |reader: &mut Self| {
            let node = reader.child(joint, "axis")?;
            reader.check(node);
            reader.three(node, "xyz")
        };
        match kind {
            Some(Kind::Fixed | Kind::Floating) => self.spare(read),
            _ => read(self),
        }
    }

    /// Limits are known to the model and do not act on the motion.
    fn limit(&mut self, joint: Node<'_, '_>) -> Option<Limit> {
        let node = self.child(joint, "limit")?;
        self.check(node);
        let [mut lower, mut upper, velocity, effort] =
            ["lower", "upper", "velocity", "effort"].map(|name| self.number(node, name));
        if let (Some(least), Some(most)) = (&lower, &upper)
            && least.value > most.value
        {
            let span = least.span;
            self.pass_over("a range whose `lower` is above its `upper`", "no position is within it", span);
            (lower, upper) = (None, None);
        }
        let [velocity, effort] = [velocity, effort].map(|number| {
            let number = number?;
            if number.value < 0.0 {
                self.pass_over(
                    "a negative limit of velocity or effort",
                    "limits are magnitudes",
                    number.span,
                );
                return None;
            }
            Some(number)
        });
        Some(Limit { lower, upper, velocity, effort, span: self.tag(node) })
    }

    fn kind(&mut self, node: Node<'_, '_>) -> Option<Kind> {
        let Named { text, span } = self.name(node, "type")?;
        let found = KINDS.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            let names = || KINDS.iter().map(|(name, _)| *name);
            let problem = Problem::UnknownType {
                kind: "URDF joint",
                nearest: nearest(&text, names()),
                known: names().collect::<Vec<_>>().join(", "),
                name: text,
            };
            self.problems.error(span, problem);
        }
        found.map(|(_, kind)| *kind)
    }
}
