// Joins the parts: time and its controls, picture, plots, keyboard, theme.

const $ = (id) => document.getElementById(id);
const scene = data.scene;
const THEMES = {
  light: {
    sky: [0.60, 0.65, 0.72], bounce: [0.32, 0.31, 0.30], sun: [0.92, 0.89, 0.84],
    ink: [0.36, 0.43, 0.52, 0.75], shade: 0.26, trace: [0.86, 0.24, 0.30], asphalt: [0.47, 0.49, 0.52],
  },
  dark: {
    sky: [0.42, 0.48, 0.56], bounce: [0.16, 0.17, 0.19], sun: [0.92, 0.90, 0.86],
    ink: [0.58, 0.66, 0.76, 0.62], shade: 0.55, trace: [1.0, 0.42, 0.45], asphalt: [0.33, 0.36, 0.40],
  },
};
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const span = motion.end - motion.start;

const state = { time: motion.start, playing: false, speed: 1, loop: true, follow: null, trace: null };
// Times: of this script up to the end of the first drawing, of the browser to make a
// context for drawing, of everything until the first drawing with waiting for the graphics
// card, and of this script per drawing, the median of the last sixty.
const stats = { first_frame_ms: null, context_ms: null, first_picture_ms: null, draw_ms: null, frames: 0 };
const recent = [];
let spent = 0;
const canvas = $("view");
let renderer = null;
let camera = null;
let plots = null;
let dirty = true;

// ---- theme

const preference = window.matchMedia("(prefers-color-scheme: dark)");
const themeName = () => document.documentElement.dataset.theme || (preference.matches ? "dark" : "light");

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  try {
    localStorage.setItem("mbs-theme", name);
  } catch {
    // A page from a file may have no storage; the choice then lasts as long as the page.
  }
  refresh();
}

function refresh() {
  dirty = true;
  if (plots) plots.draw();
}

try {
  const stored = localStorage.getItem("mbs-theme");
  if (stored === "light" || stored === "dark") document.documentElement.dataset.theme = stored;
} catch {
  // As above.
}
preference.addEventListener("change", refresh);
$("theme").addEventListener("click", () => setTheme(themeName() === "dark" ? "light" : "dark"));

// ---- time

const decimals = clamp(3 - Math.floor(Math.log10(span || 1)), 2, 8);

function setTime(t) {
  const time = clamp(Number(t), motion.start, motion.end);
  if (Number.isNaN(time)) return;
  state.time = time;
  $("time").textContent = `${time.toFixed(decimals)} s`;
  const slider = $("scrub");
  slider.value = String(span ? ((time - motion.start) / span) * 1000 : 0);
  slider.setAttribute("aria-valuetext", `${time.toFixed(decimals)} seconds`);
  slider.style.setProperty("--done", `${slider.value / 10}%`);
  place();
  if (plots) plots.setNow(time);
  dirty = true;
}

// Brings all bodies to the time, and the eye along with the body it follows.
function place() {
  if (!renderer) return;
  const { follow } = state;
  const from = follow === null ? null : renderer.point(follow, [0, 0, 0]);
  motion.at(state.time, renderer.positions, renderer.rotations);
  if (follow !== null) {
    camera.target = add(camera.target, sub(renderer.point(follow, [0, 0, 0]), from));
  }
}

function play() {
  if (state.time >= motion.end) setTime(motion.start);
  state.playing = true;
  showPlaying();
}

function pause() {
  state.playing = false;
  showPlaying();
}

function showPlaying() {
  const button = $("play");
  button.classList.toggle("playing", state.playing);
  button.setAttribute("aria-label", state.playing ? "Pause" : "Play");
  button.title = state.playing ? "Pause (space)" : "Play (space)";
}

const toggle = () => (state.playing ? pause() : play());

// One frame of the recording forwards or backwards.
function stepBy(frames) {
  pause();
  const k = interval(motion.times, state.time + 1e-9 * span);
  setTime(motion.times[clamp(k + frames, 0, motion.times.length - 1)]);
}

let lastTick = null;
function tick(now) {
  if (state.playing) {
    const elapsed = lastTick === null ? 0 : Math.min(now - lastTick, 100) / 1000;
    let next = state.time + elapsed * state.speed;
    if (next >= motion.end) {
      if (state.loop && span) next = motion.start + ((next - motion.start) % span);
      else {
        next = motion.end;
        pause();
      }
    }
    setTime(next);
  }
  lastTick = now;
  if (dirty) render();
  requestAnimationFrame(tick);
}

function render() {
  const begin = performance.now();
  if (!renderer) return;
  try {
    if (!renderer.isReady()) {
      spent += performance.now() - begin;
      return;
    }
  } catch (error) {
    noPicture(error);
    return;
  }
  dirty = false;
  renderer.draw(state.time, camera, THEMES[themeName()]);
  drawTriad();
  const end = performance.now();
  if (stats.first_frame_ms === null) {
    stats.first_frame_ms = spent + end - begin;
    stats.first_picture_ms = end - began;
  } else {
    recent.push(end - begin);
    if (recent.length > 60) recent.shift();
    stats.draw_ms = recent.slice().sort((a, b) => a - b)[recent.length >> 1];
  }
  stats.frames++;
}

function noPicture(error) {
  renderer = null;
  camera = null;
  $("no-webgl").hidden = false;
  $("no-webgl-reason").textContent = error.message;
}

// ---- controls of the picture

function fill(select, entries) {
  for (const [value, text] of entries) {
    const option = document.createElement("option");
    option.value = value;
    option.textContent = text;
    select.append(option);
  }
}

const tracePoints = scene.bodies.flatMap((body, index) =>
  index === 0 ? [] : body.frames.map((frame, k) => ({ name: k === 0 ? body.name : `${body.name}.${frame.name}`, body: index, p: frame.p })));

function setFollow(index) {
  state.follow = index;
  $("follow").value = index === null ? "" : String(index);
  // A body far outside of the picture comes into it; one in it stays where it is.
  if (index !== null && renderer) {
    const away = sub(renderer.point(index, [0, 0, 0]), camera.target);
    if (norm(away) > 1.5 * scene.view.radius) camera.target = add(camera.target, away);
  }
  dirty = true;
}


function setTrace(index) {
  state.trace = index;
  $("trace").value = index === null ? "" : String(index);
  if (renderer) {
    const point = index === null ? null : tracePoints[index];
    renderer.trace = point && { ...point, path: Array.from(motion.times, (_, k) => motion.point(k, point.body, point.p)) };
  }
  dirty = true;
}

// The point that travels farthest.
function liveliest() {
  let [best, most] = [0, -1];
  const stride = Math.max(1, Math.floor(motion.times.length / 80));
  tracePoints.forEach((point, index) => {
    let way = 0;
    let before = motion.point(0, point.body, point.p);
    for (let k = stride; k < motion.times.length; k += stride) {
      const now = motion.point(k, point.body, point.p);
      way += norm(sub(now, before));
      before = now;
    }
    if (way > most * 1.001) [best, most] = [index, way];
  });
  return best;
}

function setRole(role, on) {
  const bit = 1 << ROLES[role];
  renderer.roles = on ? renderer.roles | bit : renderer.roles & ~bit;
  dirty = true;
}

function toggleButton(id, change) {
  const button = $(id);
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    change(on);
    dirty = true;
  });
}

// The whole picture, as at the start of what goes away.
function resetView() {
  camera.reset();
  const { follow } = scene.view;
  if (follow !== null) {
    camera.target = add(camera.target, sub(renderer.point(follow, [0, 0, 0]), motion.point(0, follow, [0, 0, 0])));
  }
  dirty = true;
}

// Directions of the ground axes in the corner of the picture.
function drawTriad() {
  const d = camera.direction();
  const right = unit(cross(scene.view.up, d));
  const top = cross(d, right);
  [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((e, k) => {
    const [x, y] = [28 + 20 * dot(e, right), 28 - 20 * dot(e, top)];
    const line = $(`triad-${k}`);
    line.setAttribute("x2", x.toFixed(1));
    line.setAttribute("y2", y.toFixed(1));
    const text = $(`triad-text-${k}`);
    text.setAttribute("x", (28 + 26 * dot(e, right)).toFixed(1));
    text.setAttribute("y", (31.5 - 26 * dot(e, top)).toFixed(1));
  });
}

// ---- keyboard

const dialog = $("help-dialog");
const openHelp = () => (dialog.open ? dialog.close() : dialog.showModal());
$("help").addEventListener("click", openHelp);
$("help-close").addEventListener("click", () => dialog.close());

const KEYS = {
  " ": toggle,
  k: toggle,
  ArrowLeft: (event) => stepBy(event.shiftKey ? -20 : -1),
  ArrowRight: (event) => stepBy(event.shiftKey ? 20 : 1),
  ArrowUp: () => changeSpeed(1),
  ArrowDown: () => changeSpeed(-1),
  Home: () => setTime(motion.start),
  End: () => setTime(motion.end),
  "+": () => zoomBy(0.85),
  "=": () => zoomBy(0.85),
  "-": () => zoomBy(1 / 0.85),
  f: () => setFollow(nextIndex(state.follow, 1, scene.bodies.length)),
  t: () => setTrace(state.trace === null ? liveliest() : nextIndex(state.trace, 0, tracePoints.length)),
  l: () => $("loop").click(),
  a: () => $("axes").click(),
  j: () => $("joints").click(),
  c: () => $("masses").click(),
  r: resetView,
  d: () => $("theme").click(),
  "?": openHelp,
};
const nextIndex = (index, first, count) => (index === null ? first : index + 1 < count ? index + 1 : null);

function zoomBy(factor) {
  camera.zoom(factor);
  dirty = true;
}

function changeSpeed(by) {
  const k = SPEEDS.indexOf(state.speed);
  setSpeed(SPEEDS[clamp(k + by, 0, SPEEDS.length - 1)]);
}

function setSpeed(speed) {
  state.speed = speed;
  $("speed").value = String(speed);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || dialog.open) return;
  const { target } = event;
  if (target.matches("input[type=search], select")) return;
  // Buttons and boxes answer to the space bar themselves.
  if (event.key === " " && target.matches("button, summary, input[type=checkbox], a")) return;
  const action = KEYS[event.key];
  if (!action || (!renderer && "frjac+-=".includes(event.key))) return;
  event.preventDefault();
  action(event);
});

// ---- start

fill($("speed"), SPEEDS.map((speed) => [String(speed), `${speed}×`]));
fill($("follow"), [["", "nothing"], ...scene.bodies.map((body, index) => [String(index), body.name]).slice(1)]);
fill($("trace"), [["", "nothing"], ...tracePoints.map((point, index) => [String(index), point.name])]);
// A run is shown within some seconds, in real time where that is so.
const wanted = span > 2.5 && span < 30 ? 1 : span / 7;
setSpeed(SPEEDS.reduce((best, speed) => (Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best)));

try {
  renderer = new Renderer(canvas, scene);
  camera = new Camera(scene);
} catch (error) {
  noPicture(error);
}
if (renderer) {
  camera.aspect = canvas.clientWidth / Math.max(1, canvas.clientHeight);
  camera.reset();
  motion.at(state.time, renderer.positions, renderer.rotations);
  if (scene.view.follow !== null) setFollow(scene.view.follow);
  handleCamera(canvas, camera, () => { dirty = true; });
  new ResizeObserver(() => {
    const aspect = canvas.clientWidth / Math.max(1, canvas.clientHeight);
    camera.aspect = aspect;
    if (!camera.touched) resetView();
    dirty = true;
  }).observe(canvas);
  toggleButton("axes", (on) => { renderer.axes = on; });
  toggleButton("joints", (on) => { setRole("joint", on); setRole("anchor", on); });
  toggleButton("masses", (on) => setRole("mass", on));
  $("reset-view").addEventListener("click", resetView);
}
toggleButton("loop", (on) => { state.loop = on; });
$("play").addEventListener("click", toggle);
$("speed").addEventListener("change", (event) => setSpeed(Number(event.target.value)));
$("follow").addEventListener("change", (event) => setFollow(event.target.value === "" ? null : Number(event.target.value)));
$("trace").addEventListener("change", (event) => setTrace(event.target.value === "" ? null : Number(event.target.value)));
$("scrub").addEventListener("input", (event) => setTime(motion.start + (span * event.target.value) / 1000));
for (const button of document.querySelectorAll(".jump")) {
  button.addEventListener("click", () => {
    pause();
    setTime(Number(button.dataset.time));
    document.querySelector(".stage").scrollIntoView({ block: "nearest", behavior: "smooth" });
  });
}
// Long tables of parameters have a search.
for (const table of document.querySelectorAll("table.parameters")) {
  const lines = [...table.tBodies[0].rows];
  if (lines.length <= 12) continue;
  const search = document.createElement("input");
  search.type = "search";
  search.id = "parameter-search";
  search.className = "table-search";
  search.placeholder = "Search, e.g. stiffness";
  search.setAttribute("aria-label", "Search parameters");
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const line of lines) line.hidden = !words.every((word) => line.textContent.toLowerCase().includes(word));
  });
  table.parentElement.before(search);
}
// Events below the slider.
for (const event of data.events.slice(0, 500)) {
  const mark = document.createElement("i");
  mark.style.left = `${span ? ((event.t - motion.start) / span) * 100 : 0}%`;
  mark.title = `${event.name}: ${event.meaning} at ${event.t.toFixed(decimals)} s`;
  $("marks").append(mark);
}
setTime(state.time);
if (renderer) {
  stats.context_ms = renderer.contextTime;
  spent = performance.now() - began - stats.context_ms;
}
render();
// The plots can wait for the first picture.
setTimeout(() => {
  plots = new Plots($("plots"), setTime);
  plots.setNow(state.time);
  new ResizeObserver(() => plots.draw()).observe($("panes"));
});
requestAnimationFrame(tick);

window.mbs = {
  get time() { return state.time; },
  get playing() { return state.playing; },
  get speed() { return state.speed; },
  get frameStats() { return { ...stats }; },
  get bodies() { return scene.bodies.map((body) => body.name); },
  get curves() { return plots ? [...plots.shown].map((curve) => curve.name) : []; },
  get cursor() { return plots ? plots.view.now : null; },
  get zoom() { return plots ? [plots.view.from, plots.view.to] : null; },
  get follow() { return state.follow === null ? null : scene.bodies[state.follow].name; },
  get trace() { return state.trace === null ? null : tracePoints[state.trace].name; },
  get camera() { return camera && { target: camera.target.slice(), distance: camera.distance, azimuth: camera.azimuth, elevation: camera.elevation }; },
  start: motion.start,
  end: motion.end,
  setTime,
  play,
  pause,
  setTheme,
  setFollow: (name) => setFollow(name === null ? null : scene.bodies.findIndex((body) => body.name === name)),
  value: (name) => curves.find((curve) => curve.name === name).at(state.time),
  csv: () => plots.csv(),
  svg: () => plots.svg(),
  // Position and scalar-first quaternion of a body as it is drawn now.
  pose(name) {
    const body = scene.bodies.findIndex((one) => one.name === name);
    if (body < 0) throw new Error(`there is no body ${name}`);
    const { positions, rotations } = renderer;
    return {
      position: Array.from(positions.subarray(3 * body, 3 * body + 3)),
      quaternion: Array.from(rotations.subarray(4 * body, 4 * body + 4)),
    };
  },
};
