//! A run as one HTML page that needs nothing else: the motion in three dimensions, curves
//! over time, and what the run was.
//!
//! The page is made of the files in `assets`, joined here, and of one JSON object with the
//! numbers. Nothing is loaded from anywhere, and its content security policy forbids it to.

pub(crate) mod curves;
mod sections;
pub(crate) mod units;

use crate::commands::simulate::accuracy::Accuracy;
use crate::commands::simulate::events::NamedEvent;
use crate::scene::Scene;
use mbs_runtime::{State, System, Trajectory};
use mbs_symbolic::emit::mathml;
use mbs_symbolic::model::Model;
use mbs_symbolic::program::Program;
use mbs_symbolic::topology::Topology;
use serde_json::{Value, json};

/// The program of the page, in the order in which its parts build on each other.
const SCRIPTS: [&str; 9] = [
    include_str!("assets/math.js"),
    include_str!("assets/data.js"),
    include_str!("assets/mesh.js"),
    include_str!("assets/shaders.js"),
    include_str!("assets/renderer.js"),
    include_str!("assets/camera.js"),
    include_str!("assets/plot.js"),
    include_str!("assets/curves.js"),
    include_str!("assets/page.js"),
];
/// What sliders need.
const LIVE: &str = include_str!("assets/live.js");
const STYLE: &str = include_str!("assets/page.css");
const PAGE: &str = include_str!("assets/page.html");

/// Events the page lists; plots mark them all.
const MAX_EVENTS: usize = 500;

/// What a page is made of.
pub(crate) struct Report<'r> {
    /// With the parameters of the run; outputs past `own_outputs` are reactions.
    pub(crate) model: &'r Model,
    pub(crate) own_outputs: usize,
    pub(crate) topology: &'r Topology,
    pub(crate) program: &'r Program,
    pub(crate) system: &'r dyn System,
    pub(crate) scenario: Option<&'r str>,
    /// The run as it was asked for.
    pub(crate) trajectory: &'r Trajectory,
    pub(crate) events: Vec<NamedEvent>,
    /// Whether `trajectory` has every step, not points at distances asked for.
    pub(crate) has_every_step: bool,
    /// The same run at even distances of time, close enough for pictures.
    pub(crate) dense: &'r [State],
    /// What the run was, in words: what, and what about it.
    pub(crate) summary: Vec<(String, String)>,
    pub(crate) warnings: Vec<String>,
    /// The agreement with a tighter run, if asked for.
    pub(crate) accuracy: Option<&'r Accuracy>,
    /// The equations as HTML.
    pub(crate) equations: String,
}

/// The numbers a page shows.
pub(crate) fn data(report: &Report<'_>) -> Value {
    let model = report.model;
    let scene = Scene::new(model, report.system, report.dense);
    json!({
        "model": model.name,
        "description": model.description,
        "scenario": report.scenario,
        "scene": scene.json(),
        "tables": curves::tables(report),
        "events": report.events.iter().map(event).collect::<Value>(),
    })
}

/// The whole page.
pub(crate) fn html(report: &Report<'_>) -> String {
    filled(report, None)
}

/// The page with sliders, which asks whoever served it for other runs.
pub(crate) fn live_html(report: &Report<'_>, live: &Value) -> String {
    filled(report, Some(live))
}

fn filled(report: &Report<'_>, live: Option<&Value>) -> String {
    let model = report.model;
    let data = data(report);
    let live_script = live.map_or("", |_| LIVE);
    let script = format!("(() => {{\n\"use strict\";\n{}{live_script}}})();\n", SCRIPTS.concat());
    let panel = live.map_or(String::new(), |live| {
        format!(
            "<section id=\"live\" class=\"card live\" aria-label=\"Parameters and initial values\"></section>\n\
             <script type=\"application/json\" id=\"mbs-live\">{}</script>",
            embedded(live)
        )
    });
    let title = match report.scenario {
        Some(scenario) => format!("{} · {scenario}", model.name),
        None => model.name.clone(),
    };
    fill(
        PAGE,
        &[
            ("title", &escape(&title)),
            ("description", &escape(&model.description)),
            ("style", &format!("{STYLE}{}", mathml::STYLE)),
            ("notices", &sections::notices(report)),
            ("summary", &sections::summary(report)),
            ("accuracy", &sections::accuracy(report)),
            ("events", &sections::events(report)),
            ("parameters", &sections::parameters(report)),
            ("statistics", &sections::statistics(report)),
            ("operations", &sections::operations(report)),
            ("topology", &sections::topology(report)),
            ("equations", &report.equations),
            ("version", env!("CARGO_PKG_VERSION")),
            ("connections", live.map_or("", |_| "; connect-src 'self'")),
            ("live", &panel),
            (
                "remark",
                live.map_or("This file is complete and loads nothing.", |_| "Served to this machine alone."),
            ),
            ("data", &embedded(&data)),
            ("script", &script),
        ],
    )
}

/// A page that says what is wrong, and looks again when the model was saved.
pub(crate) fn problem_html(text: &str, version: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>mbs</title>\
         <style>:root {{ color-scheme: light dark }} body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2em }}\
         pre {{ overflow: auto }}</style></head>\n<body><h1>The model does not run yet</h1>\n<pre>{}</pre>\n\
         <script>setInterval(async () => {{ const {{ version }} = await (await fetch(\"/version\")).json(); \
         if (version !== \"{version}\") location.reload(); }}, 1000);</script></body></html>\n",
        escape(text)
    )
}

/// JSON inside an element for scripts: a text that ends such an element would end ours.
fn embedded(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

fn event(event: &NamedEvent) -> Value {
    json!({"t": event.t, "name": event.element, "meaning": event.meaning})
}

/// Puts texts in the place of `<!--mbs:NAME-->`, in one pass, so that nothing put in is
/// looked at again.
fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut pieces = template.split("<!--mbs:");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("-->").unwrap_or((piece, ""));
        let part = parts.iter().find(|(own, _)| *own == name);
        debug_assert!(part.is_some(), "the page asks for `{name}`");
        out += part.map_or("", |(_, text)| text);
        out += rest;
    }
    out
}

/// Text as HTML.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let page = fill("a<!--mbs:x-->b<!--mbs:y-->c", &[("x", "<!--mbs:y-->"), ("y", "2")]);
        assert_eq!(page, "a<!--mbs:y-->b2c");
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<b>\"1\" & '2'</b>"), "&lt;b&gt;&quot;1&quot; &amp; &#39;2&#39;&lt;/b&gt;");
    }

    /// Scripts stand in one function and inside one element of the page.
    #[test]
    fn scripts_do_not_end_their_element() {
        assert!(SCRIPTS.iter().chain([&STYLE]).all(|part| !part.contains("</")), "use another spelling");
    }
}
