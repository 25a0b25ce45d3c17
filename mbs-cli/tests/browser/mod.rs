//! A real browser without a window, spoken to in the DevTools protocol.
//!
//! Chromium reads commands from descriptor 3 and answers on descriptor 4, messages end with a
//! zero byte. A shell puts our pipes there, so that neither sockets nor a client library
//! are needed. WebGL is drawn in software.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Set where a missing browser is a failure.
const REQUIRED: &str = "MBS_REQUIRE_BROWSER";
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const PATIENCE: Duration = Duration::from_secs(120);

/// One browser at a time is enough for a machine.
static TURN: Mutex<()> = Mutex::new(());

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    profile: PathBuf,
    session: Option<String>,
    sent: u64,
    /// What the page and its network said so far.
    events: Vec<Value>,
    _turn: MutexGuard<'static, ()>,
}

fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES.iter().flat_map(|name| places.iter().map(move |place| place.join(name))).find(|file| file.is_file())
}

impl Browser {
    /// Starts a browser; `None`, said aloud, where there is none and none is required.
    pub(crate) fn start(test: &str) -> Option<Self> {
        let Some(program) = find() else {
            assert!(
                std::env::var_os(REQUIRED).is_none(),
                "{REQUIRED} is set, but there is none of {NAMES:?} in PATH"
            );
            eprintln!("skipped `{test}`: none of {NAMES:?} in PATH (Debian: apt-get install chromium)");
            return None;
        };
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let profile = std::env::temp_dir().join(format!("mbs-browser-{}-{test}", std::process::id()));
        let mut child = Command::new("sh")
            .arg("-c")
            .arg("exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>&1")
            .arg(program)
            .args(["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars"])
            .args(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            // Root may not have a sandbox; the page is our own.
            .args(["--no-sandbox", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let input = child.stdin.take().expect("a pipe to the browser");
        let output = BufReader::new(child.stdout.take().expect("a pipe from the browser"));
        let mut browser =
            Self { child, input, output, profile, session: None, sent: 0, events: Vec::new(), _turn: turn };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached =
            browser.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = Some(attached["sessionId"].as_str().expect("a session").to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    fn read(&mut self) -> Value {
        let mut message = Vec::new();
        self.output.read_until(0, &mut message).expect("the browser answers");
        assert_eq!(message.pop(), Some(0), "the browser has gone");
        serde_json::from_slice(&message).expect("JSON from the browser")
    }

    /// Sends a command and waits for its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).and_then(|()| self.input.flush()).expect("the browser listens");
        loop {
            let mut answer = self.read();
            if answer["id"] == json!(self.sent) {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    /// Opens a file and waits until it is loaded and has drawn.
    pub(crate) fn open(&mut self, file: &Path) {
        let file = file.canonicalize().expect("the file is there");
        self.open_address(&format!("file://{}", file.display()));
    }

    /// The same of an address.
    pub(crate) fn open_address(&mut self, address: &str) {
        self.events.clear();
        self.call("Page.navigate", json!({"url": address}));
        self.wait("window.mbs !== undefined && mbs.cursor !== null");
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&mut self, expression: &str) {
        let begin = Instant::now();
        while self.evaluate(expression) != json!(true) {
            assert!(begin.elapsed() < PATIENCE, "never true: {expression}\n{:#?}", self.complaints());
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// The value of an expression in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut answer = self.call("Runtime.evaluate", parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].take()
    }

    /// The number an expression has.
    pub(crate) fn number(&mut self, expression: &str) -> f64 {
        let value = self.evaluate(expression);
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    /// Presses a key.
    pub(crate) fn key(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { json!(key) } else { Value::Null };
        let mut down = json!({"type": "keyDown", "key": key});
        if key == "Escape" {
            // The browser itself answers to this one, and by number.
            down["windowsVirtualKeyCode"] = json!(27);
        }
        if text.is_string() {
            down["text"] = text;
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
    }

    /// Presses, moves and releases the left button of the mouse.
    pub(crate) fn drag(&mut self, from: [f64; 2], to: [f64; 2]) {
        for (kind, [x, y]) in [("mousePressed", from), ("mouseMoved", to), ("mouseReleased", to)] {
            let event =
                json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Middle and size of an element, in pixels of the window.
    pub(crate) fn place(&mut self, selector: &str) -> [f64; 4] {
        let expression = format!(
            "(() => {{ const r = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [r.x + r.width / 2, r.y + r.height / 2, r.width, r.height]; }})()"
        );
        let numbers = self.evaluate(&expression);
        [0, 1, 2, 3].map(|k| numbers[k].as_f64().expect("a place"))
    }

    /// Size of the window, and pixels of the screen for each of its own.
    pub(crate) fn resize(&mut self, width: u32, height: u32, density: f64) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": density, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Waits for two frames, so that what was asked for has been drawn.
    pub(crate) fn settle(&mut self) {
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))",
        );
    }

    /// Processor time of the scripts of the page so far, ms; `Performance` must be enabled.
    pub(crate) fn script_ms(&mut self) -> f64 {
        let metrics = self.call("Performance.getMetrics", json!({}));
        let metrics = metrics["metrics"].as_array().expect("metrics");
        let script = metrics.iter().find(|metric| metric["name"] == "ScriptDuration").expect("a time");
        1e3 * script["value"].as_f64().expect("seconds")
    }

    /// What an element looks like: a PNG in base64.
    pub(crate) fn picture(&mut self, selector: &str) -> String {
        self.settle();
        let [x, y, width, height] = self.place(selector);
        let clip = json!({
            "x": x - width / 2.0, "y": y - height / 2.0, "width": width, "height": height, "scale": 1,
        });
        let shot = self.call("Page.captureScreenshot", json!({"format": "png", "clip": clip}));
        shot["data"].as_str().expect("a picture").to_owned()
    }

    /// Errors and warnings of the page, and whatever it asked the network for.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let of = |event: &Value| {
            let parameters = &event["params"];
            match event["method"].as_str()? {
                "Runtime.exceptionThrown" => Some(parameters["exceptionDetails"].to_string()),
                "Runtime.consoleAPICalled" => Some(format!("console: {parameters}")),
                "Log.entryAdded" => Some(format!("log: {}", parameters["entry"])),
                "Network.requestWillBeSent" => {
                    let address = parameters["request"]["url"].as_str()?;
                    let local = ["file:", "data:", "blob:"].iter().any(|kind| address.starts_with(kind));
                    (!local).then(|| format!("asked for {address}"))
                }
                _ => None,
            }
        };
        self.events.iter().filter_map(of).collect()
    }

    /// Addresses of files the page asked for.
    pub(crate) fn files(&self) -> Vec<String> {
        let asked = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        let addresses = asked.filter_map(|event| event["params"]["request"]["url"].as_str());
        addresses.filter(|address| address.starts_with("file:")).map(str::to_owned).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Whether it is still there or not, afterwards it is not; a leftover profile in the
        // temporary directory is no reason to fail.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
