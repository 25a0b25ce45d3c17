//! The one binary buffer of a GLB file.

use serde_json::{Value, json};

/// Target of a buffer view that holds vertices.
pub(super) const VERTICES: u32 = 34962;
const ELEMENTS: u32 = 34963;
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;

/// What an accessor counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar,
    Vec3,
    Vec4,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Scalar => "SCALAR",
            Self::Vec3 => "VEC3",
            Self::Vec4 => "VEC4",
        }
    }
}

/// Bytes with their views and accessors.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl Buffer {
    /// Puts numbers in and gives the index of their accessor.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        list: &[[f32; N]],
        kind: Kind,
        bounds: bool,
        target: Option<u32>,
    ) -> usize {
        let view = self.view(list.iter().flatten().flat_map(|x| x.to_le_bytes()), target);
        let mut accessor =
            json!({"bufferView": view, "componentType": FLOAT, "count": list.len(), "type": kind.name()});
        if bounds {
            let fold = |pick: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
                (0..N).map(|k| list.iter().map(|item| item[k]).fold(start, pick)).collect()
            };
            accessor["min"] = json!(fold(f32::min, f32::INFINITY));
            accessor["max"] = json!(fold(f32::max, f32::NEG_INFINITY));
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Puts triangles in and gives the index of their accessor.
    pub(super) fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let view = self.view(triangles.iter().flatten().flat_map(|k| k.to_le_bytes()), Some(ELEMENTS));
        let count = 3 * triangles.len();
        self.accessors.push(
            json!({"bufferView": view, "componentType": UNSIGNED_INT, "count": count, "type": "SCALAR"}),
        );
        self.accessors.len() - 1
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view = json!({"buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }
}
