//! Pictures, figures and glTF from the command line.

mod common;

use common::{Scratch, fail, succeed};
use serde_json::Value;

const PENDULUM: &str = "models/pendulum.yaml";

fn path(folder: &Scratch, name: &str) -> String {
    folder.0.join(name).display().to_string()
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(path).expect("the file was written")
}

/// Width, height and all pixels of a PNG file.
fn decoded(path: &str) -> (usize, usize, Vec<u8>) {
    let bytes = read(path);
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("its pixels");
    (info.width as usize, info.height as usize, pixels)
}

#[test]
fn a_png_shows_the_mechanism_where_it_is() {
    let folder = Scratch::new("png");
    let pictures = ["0", "0.4"].map(|t| {
        let file = path(&folder, &format!("{t}.png"));
        succeed(&["picture", PENDULUM, "--t", t, "--size", "320x200", "-o", &file]);
        decoded(&file)
    });
    for (width, height, pixels) in &pictures {
        assert_eq!((*width, *height, pixels.len()), (320, 200, 3 * 320 * 200));
        // Paper is nearly white; the mechanism is not.
        let dark = pixels.chunks_exact(3).filter(|pixel| pixel.iter().all(|&c| c < 0xb0)).count();
        assert!(dark > 50, "{dark} pixels are dark");
    }
    assert_ne!(pictures[0].2, pictures[1].2, "the pendulum has moved");
}

#[test]
fn an_svg_is_the_same_every_time() {
    let folder = Scratch::new("svg");
    let texts = ["a.svg", "b.svg"].map(|name| {
        let file = path(&folder, name);
        succeed(&["picture", PENDULUM, "-o", &file]);
        String::from_utf8(read(&file)).expect("text")
    });
    assert!(texts[0].starts_with("<svg ") && texts[0].ends_with("</svg>\n") && texts[0].contains("<path"));
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let folder = Scratch::new("wrong");
    let error = fail(&["picture", PENDULUM, "-o", &path(&folder, "a.gif")]);
    assert!(error.contains("MBS-C060") && error.contains(".svg or .png"), "{error}");
    let error = fail(&["picture", PENDULUM, "--t", "1e9", "-o", &path(&folder, "a.png")]);
    assert!(error.contains("MBS-C061"), "{error}");
    let error = fail(&["simulate", PENDULUM, "--plot", &path(&folder, "a.svg"), "--curves", "nothing"]);
    assert!(error.contains("MBS-C062") && error.contains("there are"), "{error}");
    assert_eq!(std::fs::read_dir(&folder.0).expect("the folder").count(), 0, "no file is left behind");
}

#[test]
fn figures_have_the_curves_asked_for() {
    let folder = Scratch::new("plot");
    let (svg, png) = (path(&folder, "a.svg"), path(&folder, "a.png"));
    succeed(&["simulate", "models/five_link.yaml", "--plot", &svg, "--curves", "wc_z,F_tyre"]);
    let text = String::from_utf8(read(&svg)).expect("text");
    assert!([">wc_z<", ">F_tyre<", ">[m]<", ">[N]<", ">t [s]<"].iter().all(|label| text.contains(label)));
    succeed(&["simulate", "models/five_link.yaml", "--plot", &png, "--curves", "wc_z,F_tyre"]);
    let (width, _, pixels) = decoded(&png);
    assert_eq!(width, 1800);
    assert!(pixels.chunks_exact(3).any(|pixel| pixel == [0x1f, 0x6f, 0xc4]), "the first curve is blue");
}

/// JSON and binary part of a GLB file.
fn parts(bytes: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (b"glTF".as_slice(), 2, bytes.len()));
    let long = word(12);
    assert_eq!((&bytes[16..20], &bytes[24 + long..28 + long]), (b"JSON".as_slice(), b"BIN\0".as_slice()));
    let json = serde_json::from_slice(&bytes[20..20 + long]).expect("JSON");
    (json, bytes[28 + long..].to_vec())
}

/// A body in free fall is where Galilei says, in every frame of the animation.
#[test]
fn the_animation_of_a_glb_is_the_motion() {
    let folder = Scratch::new("glb");
    let text = "model: fall\nbodies: {stone: {mass: 1}}\n\
                joints: {way: {type: prismatic, from: ground, to: stone, axis: z, coordinate: h}}\n";
    let (model, glb) = (folder.file("fall.yaml", text), path(&folder, "fall.glb"));
    succeed(&["simulate", &model, "--t-end", "2", "--gltf", &glb]);
    let (json, binary) = parts(&read(&glb));
    let nodes = json["nodes"].as_array().expect("nodes");
    let stone = nodes.iter().position(|node| node["name"] == "stone").expect("the stone");
    let animation = &json["animations"][0];
    let channels = animation["channels"].as_array().expect("channels");
    let falls = |channel: &&Value| {
        channel["target"]["node"] == stone as u64 && channel["target"]["path"] == "translation"
    };
    let sampler = &animation["samplers"]
        [channels.iter().find(falls).expect("it falls")["sampler"].as_u64().unwrap() as usize];
    let numbers = |accessor: &Value| -> Vec<f64> {
        let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let [start, long] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
        let floats = binary[start..start + long].chunks_exact(4);
        floats.map(|bytes| f64::from(f32::from_le_bytes(bytes.try_into().unwrap()))).collect()
    };
    let (times, places) = (numbers(&sampler["input"]), numbers(&sampler["output"]));
    assert!(times.len() > 100 && places.len() == 3 * times.len());
    for (t, place) in times.iter().zip(places.chunks_exact(3)) {
        let fallen = -0.5 * 9.81 * t * t;
        assert!((place[2] - fallen).abs() < 2e-5, "at {t} s it is at {place:?}, not {fallen}");
    }
}

/// The gallery shows every model.
#[test]
fn the_gallery_is_complete() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/gallery.md")).expect("the gallery");
    for entry in std::fs::read_dir(root.join("models")).expect("the models") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "yaml") {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            assert!(page.contains(&format!("(gallery/{name}.png)")), "{name} is not in docs/gallery.md");
            let picture = root.join(format!("docs/gallery/{name}.png"));
            assert!(picture.exists(), "scripts/gallery.sh draws {name}");
        }
    }
}
