//! A scene as glTF 2.0 in its binary form (GLB), with the motion as an animation.
//!
//! glTF has y up and metres, as scenes do but for what is up: one node above all turns the
//! ground axes. Every body is a node that moves; springs are nodes that are stretched.

mod buffer;

use crate::scene::mesh::{Surface, stretched};
use crate::scene::vector::{IDENTITY, Quaternion, Vec3, between, scale};
use crate::scene::{Colour, Road, Role, Scene};
use buffer::{Buffer, Kind};
use serde_json::{Value, json};

/// Corners around a circle.
const AROUND: usize = 28;

/// The scene as a GLB file.
pub(crate) fn glb(scene: &Scene, name: &str) -> Vec<u8> {
    let mut document = Document::new(scene, name);
    for body in 0..scene.bodies.len() {
        document.body(scene, body);
    }
    for link in 0..scene.links.len() {
        document.link(scene, link);
    }
    if let Some(road) = scene.road.as_ref().filter(|road| road.has_profile()) {
        document.road(road, &scene.motion.times);
    }
    document.finish()
}

struct Document {
    buffer: Buffer,
    materials: Vec<Colour>,
    meshes: Vec<Value>,
    /// The first is the one above all.
    nodes: Vec<Value>,
    children: Vec<usize>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    /// Accessor of the times of all frames, and which frames they are.
    times: usize,
    frames: Vec<usize>,
    name: String,
}

impl Document {
    fn new(scene: &Scene, name: &str) -> Self {
        // Single precision: times that would coincide are left out.
        let mut frames: Vec<usize> = Vec::new();
        for (frame, &t) in scene.motion.times.iter().enumerate() {
            if frames.last().is_none_or(|&last| t as f32 > scene.motion.times[last] as f32) {
                frames.push(frame);
            }
        }
        let first = frames.first().map_or(0.0, |&frame| scene.motion.times[frame]);
        let mut buffer = Buffer::default();
        // Animations begin at zero.
        let times: Vec<[f32; 1]> =
            frames.iter().map(|&frame| [(scene.motion.times[frame] - first) as f32]).collect();
        let times = buffer.numbers(&times, Kind::Scalar, true, None);
        let up = between(scene.view.up, [0.0, 1.0, 0.0]);
        Self {
            buffer,
            materials: Vec::new(),
            meshes: Vec::new(),
            nodes: vec![json!({"name": name, "rotation": xyzw(up)})],
            children: Vec::new(),
            samplers: Vec::new(),
            channels: Vec::new(),
            times,
            frames,
            name: name.to_owned(),
        }
    }

    fn material(&mut self, colour: Colour) -> usize {
        match self.materials.iter().position(|&other| other == colour) {
            Some(index) => index,
            None => {
                self.materials.push(colour);
                self.materials.len() - 1
            }
        }
    }

    /// A mesh of surfaces, those of one colour in one piece; `None` of nothing.
    fn mesh(&mut self, name: &str, surfaces: Vec<Surface>) -> Option<usize> {
        let mut pieces: Vec<Surface> = Vec::new();
        for surface in surfaces.into_iter().filter(|surface| !surface.mesh.triangles.is_empty()) {
            match pieces.iter_mut().find(|piece| piece.colour == surface.colour) {
                Some(piece) => piece.mesh.append(&surface.mesh),
                None => pieces.push(surface),
            }
        }
        if pieces.is_empty() {
            return None;
        }
        let primitives: Vec<Value> = pieces
            .into_iter()
            .map(|Surface { mesh, colour }| {
                let single =
                    |list: &[Vec3]| -> Vec<[f32; 3]> { list.iter().map(|v| v.map(|x| x as f32)).collect() };
                let positions =
                    self.buffer.numbers(&single(&mesh.positions), Kind::Vec3, true, Some(buffer::VERTICES));
                let normals =
                    self.buffer.numbers(&single(&mesh.normals), Kind::Vec3, false, Some(buffer::VERTICES));
                let indices = self.buffer.indices(&mesh.triangles);
                json!({
                    "attributes": {"POSITION": positions, "NORMAL": normals},
                    "indices": indices,
                    "material": self.material(colour),
                })
            })
            .collect();
        self.meshes.push(json!({"name": name, "primitives": primitives}));
        Some(self.meshes.len() - 1)
    }

    /// A node below the first one.
    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        let index = self.nodes.len() - 1;
        self.children.push(index);
        index
    }

    fn animate<const N: usize>(&mut self, node: usize, path: &str, kind: Kind, values: &[[f32; N]]) {
        // What stands still needs no animation; one frame makes none.
        if self.frames.len() < 2 || values.windows(2).all(|pair| pair[0] == pair[1]) {
            return;
        }
        let output = self.buffer.numbers(values, kind, false, None);
        self.samplers.push(json!({"input": self.times, "output": output, "interpolation": "LINEAR"}));
        self.channels
            .push(json!({"sampler": self.samplers.len() - 1, "target": {"node": node, "path": path}}));
    }

    fn body(&mut self, scene: &Scene, index: usize) {
        let body = &scene.bodies[index];
        let solids = body.solids.iter().filter(|solid| solid.role != Role::Mass);
        let surfaces: Vec<Surface> = solids.flat_map(|solid| solid.surfaces(AROUND)).collect();
        let motion = &scene.motion;
        let poses: Vec<(Vec3, Quaternion)> = self
            .frames
            .iter()
            .map(|frame| frame * motion.bodies + index)
            .map(|at| (motion.positions[at], motion.rotations[at]))
            .collect();
        let (position, rotation) = poses.first().copied().unwrap_or(([0.0; 3], IDENTITY));
        let mut node = json!({
            "name": body.name,
            "translation": position.map(|x| x as f32),
            "rotation": xyzw(rotation),
        });
        if let Some(mesh) = self.mesh(&body.name, surfaces) {
            node["mesh"] = json!(mesh);
        }
        let node = self.node(node);
        let translations: Vec<[f32; 3]> = poses.iter().map(|(p, _)| p.map(|x| x as f32)).collect();
        let rotations: Vec<[f32; 4]> = poses.iter().map(|(_, q)| xyzw(*q)).collect();
        self.animate(node, "translation", Kind::Vec3, &translations);
        self.animate(node, "rotation", Kind::Vec4, &rotations);
    }

    fn link(&mut self, scene: &Scene, index: usize) {
        let link = &scene.links[index];
        let mut poses: Vec<(Vec3, Quaternion, f64)> = Vec::new();
        for &frame in &self.frames {
            let [from, to] = link.ends.map(|(body, point)| scene.motion.point(frame, body, point));
            let (start, mut turn, long) = stretched(from, to);
            // The shorter way from frame to frame.
            if let Some((_, before, _)) = poses.last()
                && before.iter().zip(turn).map(|(a, b)| a * b).sum::<f64>() < 0.0
            {
                turn = turn.map(|x| -x);
            }
            poses.push((start, turn, long));
        }
        let (start, turn, long) = poses.first().copied().unwrap_or(([0.0; 3], IDENTITY, 1.0));
        let mut node = json!({
            "name": link.name,
            "translation": start.map(|x| x as f32),
            "rotation": xyzw(turn),
            "scale": [1.0, 1.0, long as f32],
        });
        if let Some(mesh) = self.mesh(&link.name, link.surfaces(AROUND)) {
            node["mesh"] = json!(mesh);
        }
        let node = self.node(node);
        let single = |v: Vec3| v.map(|x| x as f32);
        let translations: Vec<[f32; 3]> = poses.iter().map(|(start, ..)| single(*start)).collect();
        let rotations: Vec<[f32; 4]> = poses.iter().map(|(_, turn, _)| xyzw(*turn)).collect();
        let scales: Vec<[f32; 3]> = poses.iter().map(|(.., long)| [1.0, 1.0, *long as f32]).collect();
        self.animate(node, "translation", Kind::Vec3, &translations);
        self.animate(node, "rotation", Kind::Vec4, &rotations);
        self.animate(node, "scale", Kind::Vec3, &scales);
    }

    /// The road comes to meet the vehicle. One that changes its shape is that of the start, as its
    /// name says.
    fn road(&mut self, road: &Road, times: &[f64]) {
        let surface = road.surface(&road.heights);
        let name = if road.heights_over_time.is_empty() { "road" } else { "road at the start" };
        let Some(mesh) = self.mesh(name, vec![surface]) else { return };
        let at = |t: f64| scale(road.along, -road.speed * t).map(|x| x as f32);
        let ways: Vec<[f32; 3]> = self.frames.iter().map(|&frame| at(times[frame])).collect();
        let start = ways.first().copied().unwrap_or_default();
        let node = self.node(json!({"name": name, "mesh": mesh, "translation": start}));
        self.animate(node, "translation", Kind::Vec3, &ways);
    }

    fn finish(mut self) -> Vec<u8> {
        self.nodes[0]["children"] = json!(self.children);
        let materials: Vec<Value> = self.materials.iter().map(|&colour| material(colour)).collect();
        let generator = concat!("mbs ", env!("CARGO_PKG_VERSION"));
        let mut document = json!({
            "asset": {"version": "2.0", "generator": generator},
            "scene": 0,
            "scenes": [{"name": self.name, "nodes": [0]}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": materials,
            "accessors": self.buffer.accessors,
            "bufferViews": self.buffer.views,
            "buffers": [{"byteLength": self.buffer.bytes.len()}],
        });
        if !self.channels.is_empty() {
            document["animations"] =
                json!([{"name": "motion", "samplers": self.samplers, "channels": self.channels}]);
        }
        for empty in ["meshes", "materials"] {
            if document[empty].as_array().is_some_and(Vec::is_empty) {
                document.as_object_mut().and_then(|object| object.remove(empty));
            }
        }
        container(document.to_string().into_bytes(), self.buffer.bytes)
    }
}

fn material(Colour(rgb): Colour) -> Value {
    // sRGB to linear light (IEC 61966-2-1).
    let linear = rgb.map(|c| {
        let c = f64::from(c) / 255.0;
        (if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }) as f32
    });
    let [r, g, b] = linear;
    json!({
        "pbrMetallicRoughness": {
            "baseColorFactor": [r, g, b, 1.0],
            "metallicFactor": 0.1,
            "roughnessFactor": 0.55,
        },
    })
}

/// glTF has the scalar last.
fn xyzw([w, x, y, z]: Quaternion) -> [f32; 4] {
    [x, y, z, w].map(|c| c as f32)
}

/// Header, JSON chunk and binary chunk, each a multiple of four bytes.
fn container(mut json: Vec<u8>, mut binary: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let total = 12 + 8 + json.len() + 8 + binary.len();
    let mut out = Vec::with_capacity(total);
    out.extend(b"glTF");
    out.extend(2_u32.to_le_bytes());
    out.extend((total as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &binary)] {
        out.extend((chunk.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(chunk);
    }
    out
}
