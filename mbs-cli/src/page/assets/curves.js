// The plots of the page: which curves are shown, one plot for every unit, what is read at
// the cursor, and what can be taken away as a file.

const GROUPS = [
  ["outputs", "Outputs"],
  ["positions", "Positions"],
  ["velocities", "Velocities"],
  ["accelerations", "Accelerations"],
  ["states", "Auxiliary states"],
  ["energy", "Energy"],
  ["reactions", "Joint reactions"],
  ["lambda", "Multipliers"],
  ["solver", "Solver"],
];
const HUES = 8;

function colourOf(slot) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--curve-${(slot % HUES) + 1}`).trim();
}

class Plots {
  // `setTime` is called when a place in a plot is chosen.
  constructor(root, setTime) {
    this.root = root;
    this.setTime = setTime;
    this.view = { from: motion.start, to: motion.end, now: motion.start };
    this.plots = [];
    this.shown = new Set();
    this.list = document.getElementById("curve-list");
    this.panes = document.getElementById("panes");
    this.buildList();
    for (const curve of this.firstChoice()) this.shown.add(curve);
    this.arrange();
    const search = document.getElementById("curve-search");
    search.addEventListener("input", () => this.filter(search.value));
    document.getElementById("zoom-reset").addEventListener("click", () => this.zoom(motion.start, motion.end));
    document.getElementById("save-csv").addEventListener("click", () => this.saveCsv());
    document.getElementById("save-svg").addEventListener("click", () => this.saveSvg());
    document.getElementById("curve-clear").addEventListener("click", () => {
      this.shown.clear();
      this.arrange();
    });
  }

  // Of the first two units that move, and of energy: the curve that moves most, and others
  // that can be read on the same axis and are not the same. Rounding noise is left out.
  firstChoice() {
    const units = new Map();
    for (const group of ["outputs", "positions", "velocities", "energy"]) {
      for (const curve of curves.filter((one) => one.group === group)) {
        const [low, high] = range(curve);
        const moves = !curve.isNoise && high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high), 1e-9);
        const list = units.get(key(curve)) || [];
        if (moves && (!list.length || list[0].group === group)) list.push({ curve, group, low, high });
        if (list.length) units.set(key(curve), list);
      }
    }
    const lists = [...units.values()];
    const energy = lists.find((list) => list[0].group === "energy");
    return [...new Set([...lists.slice(0, 2), energy])].filter(Boolean).flatMap((list) => {
      const [first] = list.slice().sort((a, b) => b.high - b.low - (a.high - a.low));
      const chosen = [first];
      for (const next of list) {
        const low = Math.min(next.low, ...chosen.map((one) => one.low));
        const high = Math.max(next.high, ...chosen.map((one) => one.high));
        const legible = high - low < 3 * (first.high - first.low) && next.high - next.low > 0.04 * (high - low);
        if (legible && chosen.length < 3 && chosen.every((one) => differ(one.curve, next.curve, high - low))) chosen.push(next);
      }
      return list.filter((one) => chosen.includes(one)).map(({ curve }) => curve);
    });
  }

  buildList() {
    this.boxes = new Map();
    for (const [group, title] of GROUPS) {
      const own = curves.filter((curve) => curve.group === group);
      if (!own.length) continue;
      const part = document.createElement("fieldset");
      const legend = document.createElement("legend");
      legend.textContent = title;
      part.append(legend);
      for (const curve of own) {
        const label = document.createElement("label");
        const box = document.createElement("input");
        box.type = "checkbox";
        const name = document.createElement("span");
        name.textContent = curve.name;
        const unit = document.createElement("small");
        unit.textContent = prettyUnit(curve.unit);
        label.append(box, name, unit);
        label.dataset.search = `${curve.name} ${group}`.toLowerCase();
        box.addEventListener("change", () => this.show(curve, box.checked));
        this.boxes.set(curve, box);
        part.append(label);
      }
      this.list.append(part);
    }
    this.markNoise();
  }

  // Says which curves are nothing but rounding; a run with other values may change that.
  markNoise() {
    const noise = [...this.boxes].filter(([curve, box]) => {
      const label = box.parentElement;
      label.classList.toggle("noise", curve.isNoise);
      label.title = curve.isNoise ? `${curve.name} is zero up to rounding` : curve.name;
      return curve.isNoise;
    });
    const note = document.getElementById("noise-note");
    note.hidden = noise.length === 0;
    const names = noise.slice(0, 4).map(([curve]) => curve.name).join(", ");
    const more = noise.length > 4 ? ", …" : "";
    note.textContent = `${noise.length === 1 ? "1 curve is" : `${noise.length} curves are`} zero up to rounding and not shown unless chosen: ${names}${more}`;
  }

  filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const part of this.list.querySelectorAll("fieldset")) {
      let any = false;
      for (const label of part.querySelectorAll("label")) {
        const fits = words.every((word) => label.dataset.search.includes(word));
        label.hidden = !fits;
        any = any || fits;
      }
      part.hidden = !any;
    }
  }

  show(curve, on) {
    if (on) this.shown.add(curve);
    else this.shown.delete(curve);
    this.arrange();
  }

  // One plot for each unit among the curves shown.
  arrange() {
    const byUnit = new Map();
    for (const curve of this.shown) {
      const list = byUnit.get(key(curve)) || [];
      list.push(curve);
      byUnit.set(key(curve), list);
    }
    for (const [curve, box] of this.boxes) box.checked = this.shown.has(curve);
    this.plots = [...byUnit].map(([unit, list]) => {
      const old = this.plots.find((plot) => plot.key === unit);
      const plot = old || this.newPlot(unit, list[0].unit);
      plot.curves = list;
      list.forEach((curve, slot) => { curve.colour = () => colourOf(slot); });
      return plot;
    });
    this.panes.replaceChildren(...this.plots.map((plot) => this.pane(plot)));
    document.getElementById("no-curves").hidden = this.plots.length > 0;
    this.draw();
  }

  newPlot(own, unit) {
    const plot = new Plot(unit, this.view);
    plot.key = own;
    const { canvas } = plot;
    let begin = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      begin = { x: event.offsetX, touch: event.pointerType === "touch" };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!begin) return;
      if (begin.touch) this.setTime(plot.timeAt(event.offsetX));
      else if (Math.abs(event.offsetX - begin.x) > 4) {
        plot.selection = [plot.timeAt(begin.x), plot.timeAt(event.offsetX)];
        this.draw();
      }
    });
    const finish = (event) => {
      if (!begin) return;
      const chosen = plot.selection;
      plot.selection = null;
      if (chosen) this.zoom(Math.min(...chosen), Math.max(...chosen));
      else if (event.type === "pointerup") this.setTime(plot.timeAt(event.offsetX));
      begin = null;
    };
    canvas.addEventListener("pointerup", finish);
    canvas.addEventListener("pointercancel", finish);
    canvas.addEventListener("dblclick", () => this.zoom(motion.start, motion.end));
    return plot;
  }

  pane(plot) {
    const figure = document.createElement("figure");
    figure.className = "pane";
    const caption = document.createElement("figcaption");
    const unit = document.createElement("span");
    unit.className = "unit";
    unit.textContent = plot.unit && !plot.unit.startsWith("|") ? prettyUnit(plot.unit) : "–";
    caption.append(unit);
    plot.readings = plot.curves.map((curve) => {
      const item = document.createElement("button");
      item.type = "button";
      item.className = "reading";
      item.title = `Remove ${curve.name}`;
      const swatch = document.createElement("i");
      swatch.style.background = curve.colour();
      const name = document.createElement("span");
      name.textContent = curve.name;
      const value = document.createElement("output");
      item.append(swatch, name, value);
      item.addEventListener("click", () => this.show(curve, false));
      caption.append(item);
      return { curve, value, swatch };
    });
    plot.canvas.setAttribute("aria-label", `Plot of ${plot.curves.map((curve) => curve.name).join(", ")} over time`);
    figure.append(caption, plot.canvas);
    return figure;
  }

  zoom(from, to) {
    const least = 1e-6 * (motion.end - motion.start);
    if (!(to - from > least)) return;
    this.view.from = from;
    this.view.to = to;
    document.getElementById("zoom-reset").disabled = from <= motion.start && to >= motion.end;
    this.draw();
  }

  setNow(t) {
    this.view.now = t;
    this.draw();
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();
    return {
      grid: get("--plot-grid"), text: get("--muted"), cursor: get("--text"), back: get("--card"),
      event: get("--event"), selection: get("--selection"),
    };
  }

  draw() {
    const colours = this.colours();
    for (const plot of this.plots) {
      plot.draw(colours);
      for (const { curve, value, swatch } of plot.readings) {
        value.textContent = pretty(curve.at(this.view.now));
        swatch.style.background = curve.colour();
      }
    }
  }

  // The curves shown, in the range of time shown.
  csv() {
    const { from, to } = this.view;
    const list = [...this.shown];
    const tables = new Map();
    for (const curve of list) tables.set(curve.table, [...(tables.get(curve.table) || []), curve]);
    const quote = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const lines = [["t", ...list.map((curve) => curve.name)].map(quote).join(",")];
    for (const [table, own] of tables) {
      table.times.forEach((t, row) => {
        if (t < from || t > to) return;
        lines.push([t, ...list.map((curve) => (own.includes(curve) ? curve.values[row] : ""))].join(","));
      });
    }
    return lines.join("\n") + "\n";
  }

  svg() {
    const colours = this.colours();
    const [width, height, top] = [760, 250, 26];
    const most = Math.floor((width - MARGIN.left - MARGIN.right - 40) / 6.4);
    let total = 0;
    const parts = this.plots.map((plot, index) => {
      const pen = new SvgPen();
      pen.prefix = `${index}-`;
      // The legend in as many lines as it needs, and the plot below.
      let [x, y] = [MARGIN.left, 9];
      for (const curve of plot.curves) {
        const whole = curve.name + (curve.unit && !curve.unit.startsWith("|") ? ` [${prettyUnit(curve.unit)}]` : "");
        const label = whole.length > most ? `${whole.slice(0, most - 1)}…` : whole;
        const long = 40 + 6.4 * label.length;
        if (x > MARGIN.left && x + long > width - MARGIN.right + 20) [x, y] = [MARGIN.left, y + 16];
        pen.put(tag("rect", { x, y, width: 14, height: 4, rx: 2, fill: curve.colour() }));
        pen.text(label, x + 19, y + 6, colours.cursor, "start");
        x += long;
      }
      const upper = y - 9 + top + 4;
      const lower = y - 9 + height - MARGIN.bottom;
      plot.paint(pen, { x0: MARGIN.left, x1: width - MARGIN.right, y0: upper, y1: lower }, colours, 1);
      const placed = tag("g", { transform: `translate(0 ${total})` }, pen.parts.join(""));
      total += lower + MARGIN.bottom;
      return placed;
    });
    total = total || height;
    const back = tag("rect", { width, height: total, fill: colours.back });
    const attributes = { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${total}`, width, height: total, "font-family": "system-ui, sans-serif" };
    return tag("svg", attributes, back + parts.join(""));
  }

  saveCsv() {
    save(`${data.model}.csv`, "text/csv", this.csv());
  }

  saveSvg() {
    save(`${data.model}.svg`, "image/svg+xml", this.svg());
  }
}

// The smallest and the largest value of a curve.
function range(curve) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of curve.values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

// Whether two curves can be told apart on an axis of some length.
const differ = (a, b, length) => [0.13, 0.37, 0.61, 0.94].some((s) => {
  const t = motion.start + s * (motion.end - motion.start);
  return Math.abs(a.at(t) - b.at(t)) > 1e-6 * length;
});

// Curves without a unit have a plot of their own.
const key = (curve) => curve.unit || `curve ${curve.index}`;

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
