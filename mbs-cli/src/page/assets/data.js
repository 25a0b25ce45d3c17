// The numbers of the run, as the page carries them.

// When the script began, for the time to the first picture.
const began = performance.now();
const data = JSON.parse(document.getElementById("mbs-data").textContent);

// Little-endian numbers written as base64.
function decode(text, Numbers) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Numbers(bytes.buffer);
}

// The index k with times[k] <= t < times[k + 1], kept inside the list.
function interval(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

// Poses of all bodies over time: cubic curves through the frames.
class Motion {
  constructor(source) {
    this.times = decode(source.times, Float64Array);
    this.bodies = source.bodies;
    this.positions = decode(source.positions, Float64Array);
    this.rotations = decode(source.rotations, Float32Array);
    this.start = this.times[0];
    this.end = this.times[this.times.length - 1];
  }

  // Fills `positions` (3 per body) and `rotations` (4 per body) at time t.
  at(t, positions, rotations) {
    const { times, bodies } = this;
    const last = times.length - 1;
    const k = interval(times, t);
    const next = Math.min(k + 1, last);
    const h = times[next] - times[k] || 1;
    const s = clamp((t - times[k]) / h, 0, 1);
    const before = Math.max(k - 1, 0);
    const after = Math.min(next + 1, last);
    // Hermite's weights, with slopes from the neighbours.
    const w1 = s * s * (3 - 2 * s);
    const w0 = 1 - w1;
    const d0 = (s * (1 - s) * (1 - s) * h) / (times[next] - times[before] || 1);
    const d1 = (s * s * (s - 1) * h) / (times[after] - times[k] || 1);
    const mix = (from, to, width) => {
      const a = before * bodies * width;
      const b = k * bodies * width;
      const c = next * bodies * width;
      const d = after * bodies * width;
      for (let i = 0; i < bodies * width; i++) {
        const slope0 = from[c + i] - from[a + i];
        const slope1 = from[d + i] - from[b + i];
        to[i] = w0 * from[b + i] + w1 * from[c + i] + d0 * slope0 + d1 * slope1;
      }
    };
    mix(this.positions, positions, 3);
    mix(this.rotations, rotations, 4);
    for (let body = 0; body < bodies; body++) {
      const q = 4 * body;
      const length = Math.hypot(rotations[q], rotations[q + 1], rotations[q + 2], rotations[q + 3]);
      for (let i = q; i < q + 4; i++) rotations[i] /= length;
    }
  }

  // A point of a body in one of the frames, in ground axes.
  point(frame, body, p) {
    const at = frame * this.bodies + body;
    const q = this.rotations.subarray(4 * at, 4 * at + 4);
    const r = this.positions.subarray(3 * at, 3 * at + 3);
    return add(r, turn(q, p));
  }
}

// A quantity over time; its numbers are decoded when they are first looked at.
class Curve {
  constructor(table, source, index) {
    this.table = table;
    this.index = index;
    this.name = source.name;
    this.group = source.group;
    this.unit = source.unit;
    this.source = source;
  }

  get times() {
    return this.table.times;
  }

  // Whether all values are zero up to rounding.
  get isNoise() {
    return this.source.noise === true;
  }

  get values() {
    if (!this.numbers) {
      const { f64, f32, constant } = this.source;
      if (f64 !== undefined) this.numbers = decode(f64, Float64Array);
      else if (f32 !== undefined) this.numbers = decode(f32, Float32Array);
      else this.numbers = new Float64Array(this.times.length).fill(constant);
    }
    return this.numbers;
  }

  // The value at time t, on the line between its neighbours.
  at(t) {
    const { times, values } = this;
    if (times.length < 2) return values[0];
    const k = interval(times, t);
    const s = clamp((t - times[k]) / (times[k + 1] - times[k]), 0, 1);
    return values[k] + s * (values[k + 1] - values[k]);
  }
}

const motion = new Motion(data.scene.motion);
const curves = data.tables.flatMap((source) => {
  const table = { times: decode(source.times, Float64Array), every: source.every };
  return source.columns.map((column, index) => new Curve(table, column, index));
});
curves.forEach((curve, index) => { curve.index = index; });

// Units with raised dots and exponents.
const prettyUnit = (text) =>
  text.replace(/\*/g, "·").replace(/\^([2-9])/g, (_, digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);

// A number with as many digits as are of use.
function pretty(value, digits = 6) {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(digits - 2).replace("-", "−").replace("e-", "e−");
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}
