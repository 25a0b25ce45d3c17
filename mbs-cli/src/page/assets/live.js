// Sliders: runs the model again while they move, and shows it in place.

const live = JSON.parse($("mbs-live").textContent);
const settings = {};
const panel = $("live");
let running; // What ends the run that goes on, if one does.
let waiting = false;
// A run that has taken this long, ms, is left for the next; shorter ones are waited for, so that
// there is something to see while a slider moves.
const PATIENCE = 500;

// Puts the numbers of another run in the place of those shown; names are the same.
function replace(fresh) {
  const before = JSON.stringify([scene.bodies, scene.links]);
  Object.assign(scene, fresh.scene);
  Object.assign(motion, new Motion(fresh.scene.motion));
  let index = 0;
  for (const source of fresh.tables) {
    const times = decode(source.times, Float64Array);
    for (const column of source.columns) {
      const curve = curves[index++];
      curve.table.times = times;
      curve.source = column;
      curve.numbers = undefined;
    }
  }
  data.events = fresh.events;
  if (renderer && before !== JSON.stringify([scene.bodies, scene.links])) {
    renderer.upload();
    renderer.measureLinks();
  }
  setTrace(state.trace);
  setTime(state.time);
  if (plots) {
    plots.markNoise();
    plots.arrange();
  }
}

async function rerun() {
  if (running) {
    if (!waiting) setTimeout(running.leave, Math.max(0, running.begin + PATIENCE - performance.now()));
    waiting = true;
    return;
  }
  const begin = performance.now();
  const controller = new AbortController();
  running = { begin, leave: () => controller.abort() };
  try {
    const signal = controller.signal;
    const response = await fetch("/run", { method: "POST", body: JSON.stringify({ set: settings }), signal });
    const fresh = await response.json();
    if (fresh.ok) {
      replace(fresh);
      say(`${fresh.steps} steps in ${fresh.ms.toFixed(1)} ms`, false);
    } else say(fresh.message, true);
    window.mbs.live = { runs: (window.mbs.live?.runs ?? 0) + 1, ms: fresh.ms, total_ms: performance.now() - begin, ok: fresh.ok };
  } catch {
    if (!controller.signal.aborted) say("the server does not answer", true);
  }
  running = undefined;
  if (waiting) {
    waiting = false;
    rerun();
  }
}

function say(text, wrong) {
  const line = $("live-state");
  line.textContent = text;
  line.classList.toggle("wrong", wrong);
}

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const rows = live.settings.map((setting) => {
  const { name, value, min, max, unit, doc } = setting;
  const slider = element("input", { type: "range", min, max, step: (max - min) / 400 || 1, value });
  slider.setAttribute("aria-label", name);
  const number = element("input", { type: "number", step: "any", value });
  number.setAttribute("aria-label", `${name} as a number`);
  const paint = () => slider.style.setProperty("--done", `${((slider.value - min) / (max - min || 1)) * 100}%`);
  const set = (chosen) => {
    if (!Number.isFinite(chosen)) return;
    settings[name] = chosen;
    rerun();
  };
  slider.addEventListener("input", () => {
    number.value = String(Number(Number(slider.value).toPrecision(6)));
    paint();
    set(Number(number.value));
  });
  number.addEventListener("change", () => {
    slider.value = number.value;
    paint();
    set(Number(number.value));
  });
  paint();
  const reset = () => {
    slider.value = value;
    number.value = value;
    paint();
  };
  const title = [name, doc].filter(Boolean).join(": ");
  const label = element("label", { title }, element("span", { textContent: name }), slider, number, element("small", { textContent: prettyUnit(unit) }));
  return { setting, label, reset };
});

for (const [kind, title] of [["parameter", "Parameters"], ["input", "Inputs"], ["initial", "Initial values"]]) {
  const own = rows.filter(({ setting }) => setting.kind === kind);
  if (!own.length) continue;
  const part = element("details", { open: kind === "parameter" || own.length <= 6 }, element("summary", { textContent: title }));
  part.append(element("div", { className: "sliders" }, ...own.map(({ label }) => label)));
  panel.append(part);
}
// With more sliders than this a search is of use.
const MANY_SLIDERS = 8;
const search = element("input", { type: "search", className: "live-search", placeholder: "Search, e.g. stiffness", id: "live-search", hidden: rows.length <= MANY_SLIDERS });
search.setAttribute("aria-label", "Search parameters, inputs and initial values");
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { setting, label } of rows) {
    const text = `${setting.name} ${setting.doc ?? ""} ${setting.unit}`.toLowerCase();
    label.hidden = !words.every((word) => text.includes(word));
  }
  for (const part of panel.querySelectorAll("details")) {
    const found = part.querySelector("label:not([hidden])") !== null;
    part.hidden = !found;
    if (words.length && found) part.open = true;
  }
});
panel.prepend(search);
const resetButton = element("button", { type: "button", textContent: "Reset" });
resetButton.addEventListener("click", () => {
  for (const name of Object.keys(settings)) delete settings[name];
  for (const { reset } of rows) reset();
  rerun();
});
panel.prepend(element("div", { className: "live-head" }, element("h2", { textContent: "Try" }), element("output", { id: "live-state" }), resetButton));

// A model that was saved is read again.
setInterval(async () => {
  try {
    const { version } = await (await fetch("/version")).json();
    if (version !== live.version) location.reload();
  } catch {
    say("the server does not answer", true);
  }
}, 1000);
