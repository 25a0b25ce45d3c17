//! A scene as JSON. Poses are base64 of little-endian numbers: positions in double, and
//! quaternions in single precision.

use super::{Body, Colour, Link, LinkKind, Marker, Motion, Road, Role, Scene, Shape, Solid, View};
use crate::base64;
use serde_json::{Value, json};

impl Scene {
    /// Everything a drawing needs.
    pub(crate) fn json(&self) -> Value {
        json!({
            "bodies": self.bodies.iter().map(body).collect::<Value>(),
            "links": self.links.iter().map(link).collect::<Value>(),
            "road": self.road.as_ref().filter(|road| road.has_profile()).map(road),
            "view": view(&self.view),
            "motion": motion(&self.motion),
        })
    }
}

impl Colour {
    fn text(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

fn body(body: &Body) -> Value {
    let marker = |marker: &Marker| json!({"name": marker.name, "p": marker.position, "q": marker.rotation});
    json!({
        "name": body.name,
        "colour": body.colour.text(),
        "solids": body.solids.iter().map(solid).collect::<Value>(),
        "frames": body.frames.iter().map(marker).collect::<Value>(),
    })
}

fn solid(solid: &Solid) -> Value {
    let mut value = match &solid.shape {
        Shape::Cylinder { from, to, radius } => {
            json!({"shape": "cylinder", "from": from, "to": to, "radius": radius})
        }
        Shape::Sphere { center, radius } => json!({"shape": "sphere", "center": center, "radius": radius}),
        Shape::Box { center, size, rotation } => {
            json!({"shape": "box", "center": center, "size": size, "q": rotation})
        }
        Shape::Wheel { from, to, radius } => {
            json!({"shape": "wheel", "from": from, "to": to, "radius": radius})
        }
    };
    value["colour"] = json!(solid.colour.text());
    value["role"] = json!(match solid.role {
        Role::Shape => "shape",
        Role::Joint => "joint",
        Role::Anchor => "anchor",
        Role::Mass => "mass",
    });
    value
}

fn link(link: &Link) -> Value {
    let kind = match link.kind {
        LinkKind::Spring => "spring",
        LinkKind::Damper => "damper",
        LinkKind::SpringDamper => "spring_damper",
        LinkKind::Force => "force",
        LinkKind::Rod => "rod",
    };
    let ends = link.ends.map(|(body, point)| json!({"body": body, "p": point}));
    json!({"name": link.name, "kind": kind, "ends": ends, "radius": link.radius})
}

fn road(road: &Road) -> Value {
    let over_time = || {
        let all = road.heights_over_time.iter().flatten();
        base64::encode(all.flat_map(|&height| (height as f32).to_le_bytes()))
    };
    json!({
        "origin": road.origin,
        "along": road.along,
        "speed": road.speed,
        "width": road.width,
        "start": road.start,
        "step": road.step,
        "heights": road.heights.iter().map(|&height| height as f32).collect::<Vec<f32>>(),
        // Frame by frame as those of the motion.
        "over_time": (!road.heights_over_time.is_empty()).then(over_time),
    })
}

fn view(view: &View) -> Value {
    let (floor, normal) = view.floor;
    json!({
        "up": view.up,
        "eye": view.eye,
        "center": view.center,
        "radius": view.radius,
        "floor": {"p": floor, "normal": normal},
        "follow": view.follow,
    })
}

fn motion(motion: &Motion) -> Value {
    let positions = motion.positions.iter().flatten().flat_map(|x| x.to_le_bytes());
    let rotations = motion.rotations.iter().flatten().flat_map(|&x| (x as f32).to_le_bytes());
    json!({
        "times": base64::encode(motion.times.iter().flat_map(|t| t.to_le_bytes())),
        "bodies": motion.bodies,
        "positions": base64::encode(positions),
        "rotations": base64::encode(rotations),
    })
}
