// One plot: curves of one unit over time, drawn on a canvas. Of many points in one column
// of pixels only the first, last, lowest and highest are drawn.

const MARGIN = { left: 58, right: 12, top: 10, bottom: 24 };

// Places of round numbers between low and high.
function ticks(low, high, most) {
  const step = round125((high - low) / most);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const list = [];
  for (let k = first; k <= last; k++) list.push(k * step);
  return { list, step, digits };
}

function tickText(value, { step, digits }, size) {
  if (Math.abs(value) < step * 1e-6) return "0";
  if (size >= 1e5 || size < 1e-3) return value.toExponential(Math.max(0, Math.min(3, Math.floor(Math.log10(size / step))))).replace(/-/g, "−");
  return value.toFixed(digits).replace("-", "−");
}

class Plot {
  constructor(unit, view) {
    this.unit = unit;
    // Shared by all plots: the range of time shown, and the time now.
    this.view = view;
    this.curves = [];
    this.canvas = document.createElement("canvas");
    this.canvas.className = "plot-canvas";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.selection = null;
  }

  // The range of values in the range of time shown.
  extent() {
    const { from, to } = this.view;
    let [low, high] = [Infinity, -Infinity];
    for (const curve of this.curves) {
      const { times, values } = curve;
      const first = interval(times, from);
      const last = Math.min(interval(times, to) + 1, times.length - 1);
      for (let k = first; k <= last; k++) {
        const value = values[k];
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (!(low <= high)) [low, high] = [-1, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    let pad = 0.07 * (high - low);
    // What hardly changes is shown as level, not as noise.
    if (high - low < 1e-9 * size || high === low) pad = 0.5 * size || 1;
    return [low - pad, high + pad];
  }

  layout() {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    const { left, right, top, bottom } = MARGIN;
    return { width, height, x0: left, x1: width - right, y0: top, y1: height - bottom };
  }

  timeAt(x) {
    const { x0, x1 } = this.layout();
    const { from, to } = this.view;
    return clamp(from + ((x - x0) / (x1 - x0)) * (to - from), from, to);
  }

  draw(colours) {
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    const box = this.layout();
    const { width, height } = box;
    if (!width) return;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.paint(new CanvasPen(context), box, colours, ratio);
  }

  // Draws with any pen: on the canvas, or as SVG.
  paint(pen, box, colours, ratio) {
    const { x0, x1, y0, y1 } = box;
    const { from, to, now } = this.view;
    const [low, high] = this.extent();
    this.range = [low, high];
    const x = (t) => x0 + ((t - from) / (to - from)) * (x1 - x0);
    const y = (value) => y1 - ((value - low) / (high - low)) * (y1 - y0);

    const size = Math.max(Math.abs(low), Math.abs(high));
    const rows = ticks(low, high, Math.max(2, (y1 - y0) / 34));
    for (const value of rows.list) {
      pen.line([[x0, y(value)], [x1, y(value)]], colours.grid, 1);
      pen.text(tickText(value, rows, size), x0 - 7, y(value) + 3.5, colours.text, "end");
    }
    const columns = ticks(from, to, Math.max(2, (x1 - x0) / 80));
    for (const t of columns.list) {
      pen.line([[x(t), y0], [x(t), y1]], colours.grid, 1);
      if (x(t) < x1 - 18) pen.text(tickText(t, columns, Math.max(Math.abs(from), Math.abs(to))), x(t), y1 + 16, colours.text, "middle");
    }
    pen.text("s", x1, y1 + 16, colours.text, "end");

    for (const event of data.events) {
      if (event.t < from || event.t > to) continue;
      pen.line([[x(event.t), y0], [x(event.t), y1]], colours.event, 1, [3, 3]);
    }
    pen.clip(x0, y0, x1 - x0, y1 - y0);
    this.curves.forEach((curve) => pen.line(thin(curve, from, to, x, y, ratio), curve.colour(), 1.7));
    pen.unclip();

    if (this.selection) {
      const [a, b] = this.selection.map((t) => x(t));
      pen.fill(Math.min(a, b), y0, Math.abs(b - a), y1 - y0, colours.selection);
    }
    if (now >= from && now <= to) {
      pen.line([[x(now), y0], [x(now), y1]], colours.cursor, 1.4);
      for (const curve of this.curves) pen.dot(x(now), y(curve.at(now)), 3.6, curve.colour(), colours.back);
    }
  }
}

// The points of a curve to draw: all, or four per column of pixels.
function thin(curve, from, to, x, y, ratio) {
  const { times, values } = curve;
  const first = interval(times, from);
  const last = Math.min(interval(times, to) + 1, times.length - 1);
  const points = [];
  const columns = (x(to) - x(from)) * ratio;
  if (last - first < 3 * columns) {
    for (let k = first; k <= last; k++) points.push([x(times[k]), y(values[k])]);
    return points;
  }
  let k = first;
  while (k <= last) {
    const column = Math.floor(x(times[k]) * ratio);
    const begin = k;
    let [lowest, highest] = [k, k];
    while (k <= last && Math.floor(x(times[k]) * ratio) === column) {
      if (values[k] < values[lowest]) lowest = k;
      if (values[k] > values[highest]) highest = k;
      k++;
    }
    for (const at of new Set([begin, Math.min(lowest, highest), Math.max(lowest, highest), k - 1])) {
      points.push([x(times[at]), y(values[at])]);
    }
  }
  return points;
}

class CanvasPen {
  constructor(context) {
    this.context = context;
    context.lineJoin = "round";
  }

  line(points, colour, width, dashes) {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dashes || []);
    context.beginPath();
    points.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  }

  text(text, x, y, colour, anchor) {
    const { context } = this;
    context.fillStyle = colour;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = anchor === "middle" ? "center" : anchor;
    context.fillText(text, x, y);
  }

  dot(x, y, radius, colour, ring) {
    const { context } = this;
    context.setLineDash([]);
    context.beginPath();
    context.arc(x, y, radius, 0, 7);
    context.fillStyle = colour;
    context.fill();
    context.strokeStyle = ring;
    context.lineWidth = 1.5;
    context.stroke();
  }

  fill(x, y, width, height, colour) {
    this.context.fillStyle = colour;
    this.context.fillRect(x, y, width, height);
  }

  clip(x, y, width, height) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
  }

  unclip() {
    this.context.restore();
  }
}

const xml = (text) => text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);
// Tags are put together here, because a script may not contain the text that ends it.
const tag = (name, attributes, inside) => {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${xml(String(value))}"`).join("");
  return inside === undefined ? `<${name}${list}/>` : `<${name}${list}>${inside}<${"/"}${name}>`;
};
const short = (value) => Number(value.toFixed(2));

class SvgPen {
  constructor() {
    this.parts = [];
    this.clips = 0;
    this.open = null;
  }

  put(text) {
    this.parts.push(text);
  }

  line(points, colour, width, dashes) {
    const list = points.map(([x, y]) => `${short(x)},${short(y)}`).join(" ");
    const more = dashes ? { "stroke-dasharray": dashes.join(" ") } : {};
    if (this.open) more["clip-path"] = `url(#${this.open})`;
    this.put(tag("polyline", { points: list, fill: "none", stroke: colour, "stroke-width": width, "stroke-linejoin": "round", ...more }));
  }

  text(text, x, y, colour, anchor) {
    this.put(tag("text", { x: short(x), y: short(y), fill: colour, "text-anchor": anchor, "font-size": 11 }, xml(text)));
  }

  dot(x, y, radius, colour, ring) {
    this.put(tag("circle", { cx: short(x), cy: short(y), r: radius, fill: colour, stroke: ring, "stroke-width": 1.5 }));
  }

  fill(x, y, width, height, colour) {
    this.put(tag("rect", { x, y, width, height, fill: colour }));
  }

  clip(x, y, width, height) {
    this.open = `clip${this.prefix || ""}${this.clips++}`;
    this.put(tag("clipPath", { id: this.open }, tag("rect", { x, y, width, height })));
  }

  unclip() {
    this.open = null;
  }
}
