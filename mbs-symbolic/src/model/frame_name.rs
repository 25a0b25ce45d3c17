//! Frames by the names the model gives them.

use super::suggest::nearest;
use super::{Frame, Model};
use crate::diag::Problem;
use crate::ids::FrameId;

impl Model {
    /// A frame as the model writes it: `rod.eye`, or `rod` for its reference frame.
    pub fn frame_name(&self, frame: FrameId) -> String {
        let Frame { name, body, .. } = &self.frames[frame];
        let body = &self.bodies[*body].name.text;
        if name.text == *body { body.clone() } else { format!("{body}.{}", name.text) }
    }

    /// The frame of a name as the model writes it.
    pub fn find_frame(&self, name: &str) -> Result<FrameId, Problem> {
        let names: Vec<String> = self.frames.ids().map(|id| self.frame_name(id)).collect();
        if let Some(id) = self.frames.ids().zip(&names).find_map(|(id, known)| (known == name).then_some(id))
        {
            return Ok(id);
        }
        let owner =
            |(body, frame)| self.bodies.iter().any(|known| known.name.text == body).then_some((body, frame));
        let near = nearest(name, names.iter().map(String::as_str));
        Err(match name.rsplit_once('.').and_then(owner) {
            Some((body, frame)) => {
                Problem::UnknownFrame { body: body.to_owned(), frame: frame.to_owned(), nearest: near }
            }
            None => Problem::UnknownName { kind: "frame", name: name.to_owned(), nearest: near },
        })
    }
}
