// Triangles of the solids of all bodies, in body axes.

const ROLES = { shape: 0, joint: 1, anchor: 2, mass: 3 };

// Collects triangles with normals, colours, the body they belong to and its role.
class Mesh {
  constructor() {
    this.positions = [];
    this.normals = [];
    this.colours = [];
    this.owners = [];
    this.indices = [];
    this.body = 0;
    this.role = 0;
    this.colour = [255, 255, 255, 0];
  }

  vertex(position, normal) {
    this.positions.push(position[0], position[1], position[2]);
    this.normals.push(normal[0], normal[1], normal[2]);
    this.colours.push(...this.colour);
    this.owners.push(this.body, this.role);
    return this.positions.length / 3 - 1;
  }

  triangle(a, b, c) {
    this.indices.push(a, b, c);
  }

  quad(a, b, c, d) {
    this.indices.push(a, b, c, a, c, d);
  }

  // A surface of revolution about the line from `origin` along `axis`. The profile is a
  // list of [distance along, radius]; each piece is smooth around and flat along.
  lathe(origin, axis, profile, segments) {
    const e1 = across(axis);
    const e2 = cross(axis, e1);
    for (let piece = 0; piece + 1 < profile.length; piece++) {
      const [z0, r0] = profile[piece];
      const [z1, r1] = profile[piece + 1];
      const long = Math.hypot(z1 - z0, r1 - r0);
      if (long === 0) continue;
      const outward = (z1 - z0) / long;
      const forward = -(r1 - r0) / long;
      let before = null;
      for (let k = 0; k <= segments; k++) {
        const angle = (2 * Math.PI * k) / segments;
        const radial = add(scale(e1, Math.cos(angle)), scale(e2, Math.sin(angle)));
        const normal = add(scale(radial, outward), scale(axis, forward));
        const at = (z, r) => add(origin, add(scale(axis, z), scale(radial, r)));
        const pair = [this.vertex(at(z0, r0), normal), this.vertex(at(z1, r1), normal)];
        if (before) this.quad(before[0], pair[0], pair[1], before[1]);
        before = pair;
      }
    }
  }

  cylinder(from, to, radius, segments) {
    const axis = unit(sub(to, from));
    const length = norm(sub(to, from));
    const c = Math.min(0.14 * radius, 0.25 * length);
    const profile = [[0, 0], [0, radius - c], [c, radius], [length - c, radius], [length, radius - c], [length, 0]];
    this.lathe(from, axis, profile, segments);
  }

  sphere(center, radius, segments) {
    const rings = segments >> 1;
    const rows = [];
    for (let i = 0; i <= rings; i++) {
      const polar = (Math.PI * i) / rings;
      const row = [];
      for (let k = 0; k <= segments; k++) {
        const angle = (2 * Math.PI * k) / segments;
        const n = [Math.sin(polar) * Math.cos(angle), Math.sin(polar) * Math.sin(angle), Math.cos(polar)];
        row.push(this.vertex(add(center, scale(n, radius)), n));
      }
      rows.push(row);
    }
    for (let i = 0; i < rings; i++) {
      for (let k = 0; k < segments; k++) this.quad(rows[i][k], rows[i + 1][k], rows[i + 1][k + 1], rows[i][k + 1]);
    }
  }

  // A box whose edges are broken a little.
  box(center, size, q) {
    const half = scale(size, 0.5);
    const c = 0.07 * Math.min(...size);
    const place = (p) => add(center, turn(q, p));
    const face = (points, normal) => {
      const n = turn(q, unit(normal));
      const [first, second, third] = points;
      // Around as seen from outside.
      const seen = dot(cross(sub(second, first), sub(third, first)), normal) > 0;
      const ids = (seen ? points : points.slice().reverse()).map((p) => this.vertex(place(p), n));
      if (ids.length === 3) this.triangle(...ids);
      else this.quad(...ids);
    };
    const signs = [-1, 1];
    // The corner with given signs, moved inwards along all axes but `keep`.
    const corner = (s, keep) => s.map((sign, k) => sign * (half[k] - (k === keep ? 0 : c)));
    for (let axis = 0; axis < 3; axis++) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      const make = (a, b, d) => {
        const s = [0, 0, 0];
        s[axis] = a;
        s[u] = b;
        s[v] = d;
        return s;
      };
      for (const a of signs) {
        const normal = [0, 0, 0];
        normal[axis] = a;
        face([make(a, -1, -1), make(a, 1, -1), make(a, 1, 1), make(a, -1, 1)].map((s) => corner(s, axis)), normal);
        for (const b of signs) {
          // The edge between the faces of this axis and the next.
          const edge = [0, 0, 0];
          edge[axis] = a;
          edge[u] = b;
          const [low, high] = [make(a, b, -1), make(a, b, 1)];
          face([corner(low, axis), corner(high, axis), corner(high, u), corner(low, u)], edge);
        }
      }
    }
    for (const a of signs) for (const b of signs) for (const d of signs) {
      const s = [a, b, d];
      face([corner(s, 0), corner(s, 1), corner(s, 2)], s);
    }
  }

  // A wheel: tyre, disc, hub and spokes, of which one is marked so that turns can be seen.
  wheel(from, to, radius, paint, segments) {
    const axis = unit(sub(to, from));
    const width = norm(sub(to, from));
    const rim = radius - Math.min(0.3 * radius, Math.max(0.8 * width, 0.1 * radius));
    const round = Math.min(0.32 * width, 0.45 * (radius - rim));
    this.colour = [46, 49, 55, 0];
    const left = [[0, rim + round], [0, radius - 1.5 * round], [0.35 * round, radius - 0.55 * round], [round, radius]];
    const right = left.map(([z, r]) => [width - z, r]).reverse();
    this.lathe(from, axis, [[0.12 * width, rim], ...left, ...right, [0.88 * width, rim]], segments);
    const inner = 0.3 * width;
    this.colour = [196, 202, 210, 60];
    const lip = 0.04 * radius;
    this.lathe(from, axis, [[inner, 0], [inner, rim - lip], [0.1 * width, rim - lip], [0.1 * width, rim]], segments);
    this.lathe(from, axis, [[0.9 * width, rim], [0.9 * width, rim - lip], [width - inner, rim - lip], [width - inner, 0]], segments);
    this.colour = [...paint, 30];
    this.cylinder(add(from, scale(axis, 0.04 * width)), add(from, scale(axis, 0.96 * width)), 0.17 * radius, 28);
    const e1 = across(axis);
    const e2 = cross(axis, e1);
    const middle = scale(add(from, to), 0.5);
    for (let k = 0; k < 5; k++) {
      const angle = (2 * Math.PI * k) / 5;
      const radial = add(scale(e1, Math.cos(angle)), scale(e2, Math.sin(angle)));
      const q = quaternionOf(radial, cross(axis, radial), axis);
      this.colour = k === 0 ? [246, 248, 250, 30] : [...paint, 30];
      const long = rim - lip - 0.12 * radius;
      this.box(add(middle, scale(radial, 0.12 * radius + 0.5 * long)), [long, 0.15 * radius, 0.7 * width], q);
    }
  }
}

// The quaternion of a rotation given by where the axes go.
function quaternionOf(x, y, z) {
  const squares = [x[0] + y[1] + z[2], x[0] - y[1] - z[2], y[1] - x[0] - z[2], z[2] - x[0] - y[1]];
  const best = squares.indexOf(Math.max(...squares));
  const [wx, wy, wz] = [y[2] - z[1], z[0] - x[2], x[1] - y[0]];
  const [xy, xz, yz] = [x[1] + y[0], z[0] + x[2], y[2] + z[1]];
  const own = 1 + squares[best];
  const q = [[own, wx, wy, wz], [wx, own, xy, xz], [wy, xy, own, yz], [wz, xz, yz, own]][best];
  const length = Math.hypot(...q);
  return q.map((value) => value / length);
}

const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));

// All solids of a scene.
function buildMesh(scene) {
  const mesh = new Mesh();
  const count = scene.bodies.reduce((sum, body) => sum + body.solids.length, 0);
  // Fewer corners where there are very many solids.
  const fine = count > 400 ? 14 : count > 150 ? 20 : 32;
  scene.bodies.forEach((body, index) => {
    mesh.body = index;
    for (const solid of body.solids) {
      mesh.role = ROLES[solid.role];
      const paint = rgb(solid.colour);
      const shine = solid.role === "joint" ? 70 : solid.role === "anchor" ? 10 : 40;
      mesh.colour = [...paint, shine];
      if (solid.shape === "cylinder") {
        const large = solid.radius > 0.12 * scene.view.radius;
        mesh.cylinder(solid.from, solid.to, solid.radius, large ? 2 * fine : fine);
      } else if (solid.shape === "sphere") mesh.sphere(solid.center, solid.radius, fine);
      else if (solid.shape === "box") mesh.box(solid.center, solid.size, solid.q);
      else mesh.wheel(solid.from, solid.to, solid.radius, paint, 2 * fine);
    }
  });
  return mesh;
}

// A tube along u from 0 to 1: [u, angle, radius, cap], with closed ends if asked for.
function buildTube(along, around, closed) {
  const vertices = [];
  const indices = [];
  const rows = [];
  if (closed) rows.push([0, 0, -1], [0, 1, -1]);
  for (let i = 0; i <= along; i++) rows.push([i / along, 1, 0]);
  if (closed) rows.push([1, 1, 1], [1, 0, 1]);
  rows.forEach(([u, radius, cap]) => {
    for (let k = 0; k <= around; k++) vertices.push(u, (2 * Math.PI * k) / around, radius, cap);
  });
  const width = around + 1;
  for (let i = 0; i + 1 < rows.length; i++) {
    if (rows[i][2] !== rows[i + 1][2]) continue;
    for (let k = 0; k < around; k++) {
      const a = i * width + k;
      indices.push(a, a + 1, a + width + 1, a, a + width + 1, a + width);
    }
  }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices) };
}
