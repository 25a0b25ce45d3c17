//! The page of `mbs simulate --report`, in a real browser.
//!
//! Where there is no Chromium these tests say that they are skipped; with
//! `MBS_REQUIRE_BROWSER` set, as the gate does, its absence is a failure.

mod browser;
mod common;

use browser::Browser;
use common::server::Server;
use common::{Scratch, Table, succeed};
use serde_json::json;
use std::path::PathBuf;

/// Writes the report of a run, and its motion as a table.
fn report(scratch: &Scratch, model: &str, more: &[&str]) -> (PathBuf, Table) {
    let page = scratch.0.join("page.html");
    let csv = scratch.0.join("motion.csv");
    let [page_text, csv_text] = [&page, &csv].map(|path| path.display().to_string());
    let mut arguments = vec!["simulate", model, "--report", &page_text, "--csv", &csv_text];
    arguments.extend(more);
    succeed(&arguments);
    (page, Table::read(&csv_text))
}

fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance, "{what}: {a} is not {b}");
}

/// The page of the model the README begins with: opens from a file without an error and
/// without a request, moves, scrubs, zooms, answers to keys.
#[test]
fn the_page_works() {
    let Some(mut browser) = Browser::start("works") else { return };
    let scratch = Scratch::new("page-works");
    let (page, _) = report(&scratch, "models/five_link.yaml", &["--scenario", "stair"]);
    let size = std::fs::metadata(&page).expect("the page").len();
    assert!(size < 3_000_000, "{size} bytes");
    browser.resize(1400, 900, 1.0);
    browser.open(&page);
    assert_eq!(browser.files().len(), 1, "{:?}", browser.files());

    // Playing moves the bodies, in numbers and in pixels.
    assert_eq!(browser.evaluate("[mbs.time, mbs.playing]"), json!([0, false]));
    let before = (browser.picture(".picture"), browser.evaluate("mbs.pose('wheel')"));
    let [x, y, ..] = browser.place("#play");
    browser.drag([x, y], [x, y]);
    browser.wait("mbs.playing && mbs.time > 0.25");
    browser.evaluate("mbs.pause()");
    let after = (browser.picture(".picture"), browser.evaluate("mbs.pose('wheel')"));
    assert!(before.0 != after.0, "the picture does not change");
    assert!(before.1 != after.1, "the wheel does not move");

    // The slider sets the time, and the cursor of the plots follows.
    browser.evaluate(
        "(() => { const s = document.getElementById('scrub'); s.value = 500; s.dispatchEvent(new Event('input')); })()",
    );
    close(browser.number("mbs.time"), 0.3, 1e-4, "time after scrubbing");
    close(browser.number("mbs.cursor"), 0.3, 1e-4, "cursor after scrubbing");
    let plot = browser.picture(".plot-canvas");
    browser.evaluate("mbs.setTime(0.45)");
    assert!(plot != browser.picture(".plot-canvas"), "the cursor of the plot stands still");

    // A click in a plot sets the time; dragging zooms, a double click shows all again.
    let [x, y, width, _] = browser.place(".plot-canvas");
    browser.drag([x, y], [x, y]);
    // Margins of the plot: 58 on the left and 12 on the right.
    close(
        browser.number("mbs.time"),
        0.6 * (width / 2.0 - 58.0) / (width - 70.0),
        0.6 / width,
        "clicked time",
    );
    browser.drag([x - 60.0, y], [x + 60.0, y]);
    let zoom = browser.evaluate("mbs.zoom");
    let [from, to] = [0, 1].map(|k| zoom[k].as_f64().expect("a range"));
    close(to - from, 0.6 * 120.0 / (width - 70.0), 0.01, "zoomed range");
    browser.evaluate("document.getElementById('zoom-reset').click()");
    assert_eq!(browser.evaluate("mbs.zoom"), json!([0, 0.6]));

    // An event in the list is one click away.
    browser.evaluate("document.querySelector('.jump').click()");
    let event = browser.number("Number(document.querySelector('.jump').dataset.time)");
    close(browser.number("mbs.time"), event, 0.0, "time of the event");
    close(event, 0.1, 1e-12, "t_bump");

    keys(&mut browser);
    curves(&mut browser);
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

fn keys(browser: &mut Browser) {
    browser.evaluate("mbs.setTime(0); document.getElementById('view').focus()");
    browser.key(" ");
    browser.wait("mbs.playing && mbs.time > 0.01");
    browser.key(" ");
    assert_eq!(browser.evaluate("mbs.playing"), json!(false));
    browser.key("End");
    close(browser.number("mbs.time"), 0.6, 1e-9, "End");
    browser.key("Home");
    browser.key("ArrowRight");
    close(browser.number("mbs.time"), 0.001, 1e-9, "one frame");
    let speed = browser.number("mbs.speed");
    browser.key("ArrowUp");
    assert!(browser.number("mbs.speed") > speed);
    let distance = browser.number("mbs.camera.distance");
    browser.key("+");
    assert!(browser.number("mbs.camera.distance") < distance);
    browser.key("-");
    close(browser.number("mbs.camera.distance"), distance, 1e-9 * distance, "nearer and farther");
    browser.key("f");
    assert_eq!(browser.evaluate("mbs.follow"), json!("rod1"));
    browser.evaluate("mbs.setFollow(null)");
    browser.key("t");
    assert!(browser.evaluate("mbs.trace").is_string());
    browser.key("?");
    assert_eq!(browser.evaluate("document.getElementById('help-dialog').open"), json!(true));
    browser.key("Escape");
    browser.wait("!document.getElementById('help-dialog').open");
    // The mouse turns the picture.
    let azimuth = browser.number("mbs.camera.azimuth");
    let [x, y, ..] = browser.place("#view");
    browser.drag([x, y], [x + 50.0, y]);
    assert!((browser.number("mbs.camera.azimuth") - azimuth).abs() > 0.1);
    // Whatever can be used with the keyboard shows that it has the focus, and has a name.
    let nameless = browser.evaluate(
        "[...document.querySelectorAll('button, select, input, canvas')].filter((e) => \
         !(e.textContent.trim() || e.ariaLabel || (e.labels && e.labels.length) || e.title)).length",
    );
    assert_eq!(nameless, json!(0));
    let theme = browser.evaluate("getComputedStyle(document.body).backgroundColor");
    browser.key("d");
    assert!(theme != browser.evaluate("getComputedStyle(document.body).backgroundColor"));
}

fn curves(browser: &mut Browser) {
    // The list is searched, a curve is chosen, and leaves as CSV and SVG.
    browser.evaluate(
        "(() => { document.querySelector('.picker').open = true; const s = document.getElementById('curve-search'); \
         s.value = 'reaction hub fz'; s.dispatchEvent(new Event('input')); })()",
    );
    let left = "[...document.querySelectorAll('#curve-list label')].filter((l) => !l.hidden && !l.parentElement.hidden)";
    assert_eq!(browser.evaluate(&format!("{left}.length")), json!(1));
    browser.evaluate(&format!("{left}[0].querySelector('input').click()"));
    assert!(browser.evaluate("mbs.curves").as_array().expect("names").contains(&json!("reaction(hub).fz")));
    let csv = browser.evaluate("mbs.csv()");
    let csv = csv.as_str().expect("text");
    assert!(
        csv.starts_with("t,") && csv.lines().next().is_some_and(|line| line.contains("reaction(hub).fz"))
    );
    assert!(csv.lines().count() > 500, "{} lines", csv.lines().count());
    let svg = browser.evaluate("mbs.svg()");
    let svg = svg.as_str().expect("text");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && svg.contains("reaction(hub).fz"));
    let valid =
        "new DOMParser().parseFromString(mbs.svg(), 'image/svg+xml').querySelector('parsererror') === null";
    assert_eq!(browser.evaluate(valid), json!(true));
}

/// Poses in the page are those of the run: the outputs of the model, which the page's
/// poses have nothing to do with, agree at recorded times and between them.
#[test]
fn poses_are_those_of_the_run() {
    let Some(mut browser) = Browser::start("poses") else { return };
    let scratch = Scratch::new("page-poses");
    // 600 frames are shown of one second; every 20th of them, and times between frames.
    let (page, table) = report(&scratch, "models/five_link.yaml", &["--step", "0.0333333333333333333"]);
    browser.open(&page);
    for row in 0..table.rows.len() {
        let t = table.at(&table.rows[row], "t");
        browser.evaluate(&format!("mbs.setTime({t:?})"));
        let pose = browser.evaluate("mbs.pose('wheel')");
        for (k, name) in ["wc_x", "wc_y", "wc_z"].into_iter().enumerate() {
            let shown = pose["position"][k].as_f64().expect("a number");
            close(shown, table.at(&table.rows[row], name), 1e-6, &format!("{name} at {t}"));
        }
        // The wheel axis: the second column of the rotation matrix of the carrier.
        let carrier = browser.evaluate("mbs.pose('carrier')");
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| carrier["quaternion"][k].as_f64().expect("a number"));
        let axis = [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)];
        for (shown, name) in axis.into_iter().zip(["axis_x", "axis_y", "axis_z"]) {
            close(shown, table.at(&table.rows[row], name), 1e-6, &format!("{name} at {t}"));
        }
        // Curves hold the same numbers as the table.
        close(
            browser.number("mbs.value('F_spring')"),
            table.at(&table.rows[row], "F_spring"),
            1e-6,
            "F_spring",
        );
    }
    assert!(table.rows.len() >= 30);
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
}

/// Nothing sticks out of a narrow window, and text can be read there.
#[test]
fn narrow_windows() {
    let Some(mut browser) = Browser::start("narrow") else { return };
    let scratch = Scratch::new("page-narrow");
    let (page, _) = report(&scratch, "models/bricard.yaml", &[]);
    browser.resize(360, 740, 3.0);
    browser.open(&page);
    assert_eq!(browser.number("document.documentElement.scrollWidth"), 360.0);
    // The picture is as sharp as the screen.
    let [_, _, width, _] = browser.place("#view");
    close(browser.number("document.getElementById('view').width"), 3.0 * width, 1.0, "pixels of the picture");
    for selector in ["#play", "#scrub", "#speed", "#follow"] {
        let [x, _, width, height] = browser.place(selector);
        assert!(x - width / 2.0 >= 0.0 && x + width / 2.0 <= 360.0, "{selector} sticks out");
        assert!(height >= 24.0, "{selector} is {height} high");
    }
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
}

/// Legends of long names stand above their plots, which keep their size, in windows of any width; so do
/// they in the figure that is saved.
#[test]
fn legends_do_not_cover_plots() {
    let Some(mut browser) = Browser::start("legends") else { return };
    let scratch = Scratch::new("page-legends");
    let names: Vec<String> =
        (0..9).map(|k| format!("lateral_displacement_of_the_wheel_centre_of_axle_number_{k}")).collect();
    let outputs: Vec<String> =
        names.iter().enumerate().map(|(k, name)| format!("  {name}: {k}*s\n")).collect();
    let model = scratch.file(
        "long.yaml",
        &format!(
            "model: long\nbodies: {{a: {{mass: 1}}}}\njoints: {{j: {{type: prismatic, from: ground, to: a, axis: x, coordinate: s}}}}\n\
             outputs:\n{}initial: {{velocities: {{s: 1}}}}\n",
            outputs.concat()
        ),
    );
    let (page, _) = report(&scratch, &model, &[]);
    for width in [360, 1280] {
        browser.resize(width, 800, 1.0);
        browser.open(&page);
        browser.wait("mbs.curves.length > 0");
        browser.evaluate("document.querySelectorAll('#curve-list input').forEach((box) => { if (!box.checked) box.click(); })");
        // Bottom of the legend, top and height of the plot, top of the next legend.
        let panes = browser.evaluate(
            "[...document.querySelectorAll('.pane')].map((pane) => { const box = (e) => e.getBoundingClientRect(); \
             const [legend, plot] = [box(pane.querySelector('figcaption')), box(pane.querySelector('canvas'))]; \
             return [legend.top, legend.bottom, plot.top, plot.bottom, plot.height]; })",
        );
        let panes: Vec<Vec<f64>> = serde_json::from_value(panes).expect("numbers");
        assert!(panes.len() >= 3, "{panes:?}");
        for pane in &panes {
            assert!(pane[1] <= pane[2] + 0.5 && pane[4] >= 120.0, "{width}: {pane:?}");
        }
        for pair in panes.windows(2) {
            assert!(pair[0][3] <= pair[1][0] + 0.5, "{width}: {pair:?}");
        }
        // Every legend of the saved figure lies above the grid of its plot.
        let covered = browser.number(
            "(() => { const svg = new DOMParser().parseFromString(mbs.svg(), 'image/svg+xml'); let covered = 0; \
             for (const plot of svg.querySelectorAll('svg > g')) { \
               const top = Math.min(...[...plot.querySelectorAll('clipPath rect')].map((box) => Number(box.getAttribute('y')))); \
               for (const text of plot.querySelectorAll('text')) if (text.textContent.includes('lateral') && Number(text.getAttribute('y')) > top) covered++; \
             } return covered; })()",
        );
        assert_eq!(covered, 0.0);
        let lines = browser.number(
            "new Set([...new DOMParser().parseFromString(mbs.svg(), 'image/svg+xml').querySelectorAll('text')]\
             .filter((text) => text.textContent.includes('lateral')).map((text) => text.getAttribute('y'))).size",
        );
        assert!(lines >= 5.0, "{lines} lines");
    }
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
}

/// Of many parameters a search finds some, in the table of a report and among the sliders.
#[test]
fn many_parameters_have_a_search() {
    let Some(mut browser) = Browser::start("search") else { return };
    let scratch = Scratch::new("page-search");
    let parameters: Vec<String> = (0..63)
        .map(|k| {
            format!(
                "  p{k}: {{value: {}, doc: {} {k}}}\n",
                k + 1,
                if k % 9 == 0 { "stiffness" } else { "mass" }
            )
        })
        .collect();
    let sum: Vec<String> = (0..63).map(|k| format!("p{k}")).collect();
    let model = scratch.file(
        "many.yaml",
        &format!(
            "model: many\nparameters:\n{}bodies: {{a: {{mass: 1}}}}\n\
             joints: {{j: {{type: prismatic, from: ground, to: a, axis: x, coordinate: s}}}}\n\
             forces: {{f: {{type: joint_force, joint: j, force: -s*({})}}}}\ninitial: {{positions: {{s: 1}}}}\n",
            parameters.concat(),
            sum.join(" + ")
        ),
    );
    let type_into = |selector: &str, text: &str| {
        format!(
            "(() => {{ const s = document.querySelector('{selector}'); s.value = '{text}'; s.dispatchEvent(new Event('input')); }})()"
        )
    };
    let (page, _) = report(&scratch, &model, &["--t-end", "0.1"]);
    browser.open(&page);
    let rows =
        "[...document.querySelectorAll('table.parameters tbody tr')].filter((row) => !row.hidden).length";
    assert_eq!(browser.number(rows), 63.0);
    browser.evaluate(&type_into("#parameter-search", "Stiff"));
    assert_eq!(browser.number(rows), 7.0);
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());

    let server = Server::start(&model);
    browser.call("Page.navigate", json!({"url": format!("http://127.0.0.1:{}/", server.port)}));
    browser.wait("document.getElementById('live-search') !== null");
    let sliders = "[...document.querySelectorAll('.sliders label')].filter((label) => label.offsetParent !== null).length";
    assert_eq!(browser.number(sliders), 64.0);
    browser.evaluate(&type_into("#live-search", "stiffness 1"));
    // 18 of those with a stiffness.
    assert_eq!(browser.number(sliders), 1.0);
    browser.evaluate(&type_into("#live-search", ""));
    assert_eq!(browser.number(sliders), 64.0);
}

/// The first picture comes soon, and drawing leaves time for everything else. What is
/// measured is the processor time of all scripts of the page, curves included, so that it
/// does not matter what else the machine does; the graphics card, here software, works beside it.
#[test]
fn drawing_is_fast() {
    let Some(mut browser) = Browser::start("fast") else { return };
    let scratch = Scratch::new("page-fast");
    let (page, _) = report(&scratch, "models/n_four_bar_40.yaml", &["--t-end", "1"]);
    browser.call("Performance.enable", json!({"timeDomain": "threadTicks"}));
    browser.resize(1400, 900, 1.0);
    browser.open(&page);
    browser.wait("mbs.frameStats.frames > 0");
    let bodies = browser.number("mbs.bodies.length");
    assert!(bodies >= 50.0, "{bodies} bodies");
    let [first, frames] = [browser.script_ms(), browser.number("mbs.frameStats.frames")];
    for frame in 0..30 {
        browser.evaluate(&format!("mbs.setTime({})", 0.03 * f64::from(frame)));
        browser.settle();
    }
    let frames = browser.number("mbs.frameStats.frames") - frames;
    let each = (browser.script_ms() - first) / frames;
    eprintln!("{bodies} bodies: {first:.0} ms to the first picture, {each:.2} ms for each of {frames}");
    assert!(frames >= 25.0, "only {frames} pictures were drawn");
    assert!(first < 300.0, "first picture after {first} ms");
    assert!(each < 4.0, "{each} ms per picture");
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
}

/// Every model of the collection, and one without any shape, gives a page without an error.
#[test]
fn all_models() {
    let Some(mut browser) = Browser::start("all") else { return };
    let scratch = Scratch::new("page-all");
    let bare = scratch.file(
        "bare.yaml",
        "model: bare\ndescription: \"a </script> b <!-- 1 < 2 & 3\"\nbodies:\n  ground: {frames: {wall: {position: [0, 1, 0]}}}\n  \
         a: {mass: 1, com: [0.5, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}, frames: {tip: {position: [1, 0, 0]}}}\n  b: {mass: 2}\n\
         joints:\n  turn: {type: revolute, from: ground, to: a, axis: y}\n  slide: {type: prismatic, from: a.tip, to: b, axis: x}\n\
         forces:\n  s: {type: spring_damper, from: ground.wall, to: b, stiffness: 100, length: 1}\n",
    );
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let mut models: Vec<String> = std::fs::read_dir(directory)
        .expect("models")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".yaml") && name != "n_four_bar_40.yaml")
        .map(|name| format!("models/{name}"))
        .collect();
    models.sort();
    models.push(bare);
    let page = scratch.0.join("page.html");
    let path = page.display().to_string();
    for model in models {
        // A model may deserve a warning; then the page has it too.
        let output = common::mbs(&["simulate", &model, "--t-end", "0.02", "--report", &path]);
        assert_eq!(output.status.code(), Some(0), "{model}: {}", common::stderr(&output));
        browser.open(&page);
        assert!(browser.number("mbs.bodies.length") > 1.0);
        browser.evaluate("mbs.setTime(mbs.end)");
        assert!(browser.complaints().is_empty(), "{model}: {:#?}", browser.complaints());
    }
    assert_eq!(
        browser.evaluate("document.querySelector('header p').textContent"),
        json!("a </script> b <!-- 1 < 2 & 3")
    );
}

/// The live page is admitted as a browser asks for it, and leaves a run that takes long for the next.
#[test]
fn sliders_do_not_wait_for_long_runs() {
    let Some(mut browser) = Browser::start("live") else { return };
    let scratch = Scratch::new("page-live");
    let model = scratch.file(
        "cart.yaml",
        "model: cart\nparameters: {k: {value: 8, unit: N/m}}\nbodies: {cart: {mass: 2}}\n\
         joints: {rail: {type: prismatic, from: ground, to: cart, axis: x, coordinate: s}}\n\
         forces: {spring: {type: joint_force, joint: rail, force: -k*s}}\ninitial: {positions: {s: 1}}\n\
         simulation: {t_end: 1}\n",
    );
    let server = Server::start(&model);
    browser.open_address(&format!("http://127.0.0.1:{}/", server.port));
    let set = |browser: &mut Browser, k: &str| {
        browser.evaluate(&format!(
            "(() => {{ const n = document.querySelector('[aria-label=\"k as a number\"]'); n.value = '{k}'; \
             n.dispatchEvent(new Event('change')); }})()"
        ));
    };
    set(&mut browser, "18");
    browser.wait("mbs.live?.ok === true");
    // A million turns in one second take many times as long as the page waits.
    set(&mut browser, "8e13");
    let begin = std::time::Instant::now();
    std::thread::sleep(std::time::Duration::from_millis(200));
    set(&mut browser, "32");
    browser.wait("mbs.live.runs === 2 && mbs.live.ok");
    assert!(begin.elapsed() < std::time::Duration::from_secs(8), "{:?}", begin.elapsed());
    let said = browser.evaluate("document.getElementById('live-state').textContent");
    assert!(said.as_str().is_some_and(|text| text.contains("steps in")), "{said}");
}
