// Draws a scene with WebGL 2.

const SHADOW_SIZE = 2048;
// Points of the ribbon that shows the road.
const ROAD_POINTS = 360;
const AXIS_COLOURS = [[0.90, 0.30, 0.27], [0.30, 0.69, 0.35], [0.27, 0.50, 0.93]];

class Renderer {
  constructor(canvas, scene) {
    const begin = performance.now();
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    this.contextTime = performance.now() - begin;
    if (!gl) throw new Error("WebGL 2 is not available");
    this.gl = gl;
    this.canvas = canvas;
    this.scene = scene;
    this.positions = new Float64Array(3 * scene.bodies.length);
    this.rotations = new Float32Array(4 * scene.bodies.length);
    this.texels = new Float32Array(8 * scene.bodies.length);
    this.roles = 0b0111;
    this.axes = false;
    this.trace = null;
    this.compile();
    this.upload();
    this.measureLinks();
  }

  compile() {
    const gl = this.gl;
    const sources = {
      body: [BODY_VERTEX, LIT_FRAGMENT],
      bodyDepth: [BODY_VERTEX, DEPTH_FRAGMENT],
      link: [LINK_VERTEX, LIT_FRAGMENT],
      linkDepth: [LINK_VERTEX, DEPTH_FRAGMENT],
      floor: [FLOOR_VERTEX, FLOOR_FRAGMENT],
      line: [LINE_VERTEX, LINE_FRAGMENT],
    };
    if (this.scene.road) sources.road = [ROAD_VERTEX, ROAD_FRAGMENT];
    if (!this.scene.links.length) {
      delete sources.link;
      delete sources.linkDepth;
    }
    // Everything is handed over before anything is asked for, so that drivers may work
    // on all programs at once.
    this.parallel = gl.getExtension("KHR_parallel_shader_compile");
    this.started = Object.entries(sources).map(([name, [vertex, fragment]]) => {
      const program = gl.createProgram();
      const shaders = [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]].map(([kind, source]) => {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, source);
        gl.compileShader(shader);
        gl.attachShader(program, shader);
        return shader;
      });
      gl.linkProgram(program);
      return { name, program, shaders };
    });
  }

  // Whether programs are ready, without waiting for them where that can be asked.
  isReady() {
    if (this.programs) return true;
    const { gl, parallel } = this;
    if (parallel && !this.started.every(({ program }) => gl.getProgramParameter(program, parallel.COMPLETION_STATUS_KHR))) return false;
    this.collect();
    return true;
  }

  collect() {
    const { gl } = this;
    this.programs = {};
    for (const { name, program, shaders } of this.started) {
      if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
        const logs = shaders.map((shader) => gl.getShaderInfoLog(shader)).join(" ");
        throw new Error(`${name}: ${gl.getProgramInfoLog(program)} ${logs}`);
      }
      const uniforms = {};
      const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
      for (let i = 0; i < count; i++) {
        const uniform = gl.getActiveUniform(program, i).name;
        uniforms[uniform] = gl.getUniformLocation(program, uniform);
      }
      this.programs[name] = { program, uniforms };
    }
  }

  buffer(target, numbers, usage) {
    const gl = this.gl;
    const buffer = gl.createBuffer();
    gl.bindBuffer(target, buffer);
    gl.bufferData(target, numbers, usage || gl.STATIC_DRAW);
    return buffer;
  }

  upload() {
    const gl = this.gl;
    const attribute = (location, size, type, stride, offset, normalised) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, type, normalised || false, stride || 0, offset || 0);
    };
    const array = () => {
      const vao = gl.createVertexArray();
      gl.bindVertexArray(vao);
      return vao;
    };

    const mesh = buildMesh(this.scene);
    this.solids = { vao: array(), count: mesh.indices.length };
    this.buffer(gl.ARRAY_BUFFER, new Float32Array(mesh.positions));
    attribute(0, 3, gl.FLOAT);
    this.buffer(gl.ARRAY_BUFFER, new Float32Array(mesh.normals));
    attribute(1, 3, gl.FLOAT);
    this.buffer(gl.ARRAY_BUFFER, new Uint8Array(mesh.colours));
    attribute(2, 4, gl.UNSIGNED_BYTE, 0, 0, true);
    this.buffer(gl.ARRAY_BUFFER, new Uint16Array(mesh.owners));
    gl.enableVertexAttribArray(3);
    gl.vertexAttribIPointer(3, 2, gl.UNSIGNED_SHORT, 0, 0);
    this.buffer(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(mesh.indices));

    const tube = (along, around, closed) => {
      const { vertices, indices } = buildTube(along, around, closed);
      const vao = array();
      this.buffer(gl.ARRAY_BUFFER, vertices);
      attribute(0, 4, gl.FLOAT);
      this.buffer(gl.ELEMENT_ARRAY_BUFFER, indices);
      return { vao, count: indices.length };
    };
    this.rod = tube(1, 24, true);
    this.coil = tube(300, 8, false);

    this.floor = { vao: array() };
    this.buffer(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    attribute(0, 2, gl.FLOAT);

    this.lines = { vao: array() };
    this.buffer(gl.ARRAY_BUFFER, new Float32Array([0, -0.5, 1, -0.5, 0, 0.5, 1, 0.5]));
    attribute(0, 2, gl.FLOAT);
    this.lines.buffer = this.buffer(gl.ARRAY_BUFFER, new Float32Array(10), gl.DYNAMIC_DRAW);
    for (const [location, size, offset] of [[1, 3, 0], [2, 3, 12], [3, 4, 24]]) {
      attribute(location, size, gl.FLOAT, 40, offset);
      gl.vertexAttribDivisor(location, 1);
    }

    if (this.scene.road) {
      this.road = { vao: array(), numbers: new Float32Array(9 * 6 * ROAD_POINTS) };
      this.road.buffer = this.buffer(gl.ARRAY_BUFFER, this.road.numbers, gl.DYNAMIC_DRAW);
      for (const [location, offset] of [[0, 0], [1, 12], [2, 24]]) attribute(location, 3, gl.FLOAT, 36, offset);
      const indices = [];
      for (let k = 0; k + 1 < ROAD_POINTS; k++) {
        for (const side of [0, 2, 4]) {
          const a = 6 * k + side;
          indices.push(a, a + 1, a + 7, a, a + 7, a + 6);
        }
      }
      this.buffer(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(indices));
      this.road.count = indices.length;
    }
    gl.bindVertexArray(null);

    this.poses = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.poses);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, 2, this.scene.bodies.length);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);

    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.shadowTarget = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  // The shortest and longest each link becomes, for the lengths of its parts.
  measureLinks() {
    const stride = Math.max(1, Math.floor(motion.times.length / 200));
    this.ranges = this.scene.links.map((link) => {
      let [low, high] = [Infinity, 0];
      for (let frame = 0; frame < motion.times.length; frame += stride) {
        const [a, b] = link.ends.map((end) => motion.point(frame, end.body, end.p));
        const length = norm(sub(a, b));
        low = Math.min(low, length);
        high = Math.max(high, length);
      }
      return [low, high];
    });
  }

  // A point of a body in ground axes at the time of the last pose.
  point(body, p) {
    return add(this.positions.subarray(3 * body, 3 * body + 3), turn(this.rotations.subarray(4 * body, 4 * body + 4), p));
  }

  resize() {
    const { canvas } = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    return ratio;
  }

  // Draws the scene at time t as the camera sees it.
  draw(t, camera, theme) {
    const { gl, scene } = this;
    const ratio = this.resize();
    const origin = camera.target;
    const { width, height } = this.canvas;
    this.time = t;
    for (let body = 0; body < scene.bodies.length; body++) {
      for (let k = 0; k < 3; k++) this.texels[8 * body + k] = this.positions[3 * body + k] - origin[k];
      for (let k = 0; k < 4; k++) this.texels[8 * body + 4 + k] = this.rotations[4 * body + k];
    }
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.poses);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 2, scene.bodies.length, gl.RGBA, gl.FLOAT, this.texels);

    const { up } = scene.view;
    const sun = unit(add(add(scale(camera.right0, 0.35), scale(camera.front0, 0.5)), scale(up, 1.0)));
    const radius = Math.min(1.25 * scene.view.radius, 2 * camera.distance) * 1.15;
    const shadowMatrix = multiply(parallel(radius, 0.1 * radius, 8 * radius), lookAt(scale(sun, 4 * radius), [0, 0, 0], across(sun)));
    const matrix = camera.matrix(width / height);
    const eye = sub(camera.eye(), origin);
    this.frame = { matrix, shadowMatrix, sun, eye, theme, origin, ratio, width, height, radius };

    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2, 4);
    this.drawSolids("bodyDepth", shadowMatrix);
    this.drawLinks("linkDepth", shadowMatrix);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);

    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.drawSolids("body", matrix);
    this.drawLinks("link", matrix);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    if (scene.road) this.drawRoad();
    this.drawFloor();
    this.drawLines();
  }

  use(name, matrix) {
    const { gl } = this;
    const { program, uniforms } = this.programs[name];
    const { sun, eye, theme, shadowMatrix } = this.frame;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
    if (uniforms.poses) gl.uniform1i(uniforms.poses, 0);
    if (uniforms.shadowMap) {
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
      gl.uniform1i(uniforms.shadowMap, 1);
      gl.uniformMatrix4fv(uniforms.shadowMatrix, false, shadowMatrix);
      gl.uniform1f(uniforms.shadowTexel, 1 / SHADOW_SIZE);
    }
    if (uniforms.eye) {
      gl.uniform3fv(uniforms.eye, eye);
      gl.uniform3fv(uniforms.sun, sun);
      gl.uniform3fv(uniforms.up, this.scene.view.up);
      gl.uniform3fv(uniforms.sky, theme.sky);
      gl.uniform3fv(uniforms.bounce, theme.bounce);
      gl.uniform3fv(uniforms.sunColour, theme.sun);
    }
    return uniforms;
  }

  drawSolids(program, matrix) {
    const { gl } = this;
    const uniforms = this.use(program, matrix);
    gl.uniform1ui(uniforms.roles, this.roles);
    gl.bindVertexArray(this.solids.vao);
    gl.drawElements(gl.TRIANGLES, this.solids.count, gl.UNSIGNED_INT, 0);
  }

  drawLinks(program, matrix) {
    const { gl, scene } = this;
    if (!scene.links.length) return;
    const uniforms = this.use(program, matrix);
    const { origin } = this.frame;
    const tube = (part, a, b, radius, colour, shine, turns, wire) => {
      gl.bindVertexArray(part.vao);
      gl.uniform3fv(uniforms.from, sub(a, origin));
      gl.uniform3fv(uniforms.to, sub(b, origin));
      gl.uniform1f(uniforms.radius, radius);
      gl.uniform1f(uniforms.turns, turns);
      gl.uniform1f(uniforms.wire, wire);
      if (uniforms.tint) gl.uniform4f(uniforms.tint, ...colour, shine);
      gl.drawElements(gl.TRIANGLES, part.count, gl.UNSIGNED_SHORT, 0);
    };
    scene.links.forEach((link, index) => {
      const [a, b] = link.ends.map((end) => this.point(end.body, end.p));
      const length = norm(sub(b, a));
      if (length < 1e-9) return;
      const [shortest, longest] = this.ranges[index];
      // Nothing may be wider than long.
      const r = Math.min(link.radius, 0.3 * longest);
      const axis = scale(sub(b, a), 1 / length);
      if (link.kind === "rod") tube(this.rod, a, b, r, [0.62, 0.66, 0.71], 0.25, 0, 0);
      if (link.kind === "force") {
        tube(this.rod, a, b, 0.22 * r, [0.60, 0.52, 0.86], 0.2, 0, 0);
      }
      if (link.kind === "damper" || link.kind === "spring_damper") {
        const tubeLength = Math.min(0.58 * Math.max(shortest, 0.3 * longest), 0.85 * length);
        tube(this.rod, a, b, 0.16 * r, [0.78, 0.80, 0.83], 0.5, 0, 0);
        tube(this.rod, b, add(b, scale(axis, -tubeLength)), 0.42 * r, [0.30, 0.34, 0.40], 0.3, 0, 0);
      }
      if (link.kind === "spring" || link.kind === "spring_damper") {
        const turns = clamp(Math.round((0.55 * longest) / r), 5, 14);
        tube(this.coil, a, b, 0.86 * r, [0.93, 0.63, 0.22], 0.25, turns, 0.15 * r);
      }
    });
  }

  // Heights of the road now: those of a road that changes with time lie between two frames.
  roadHeights() {
    const { road } = this.scene;
    if (!road.over_time) return road.heights;
    road.all ??= decode(road.over_time, Float32Array);
    const { times } = motion;
    const n = road.heights.length;
    const k = interval(times, this.time);
    const next = Math.min(k + 1, times.length - 1);
    const part = clamp((this.time - times[k]) / (times[next] - times[k] || 1), 0, 1);
    return road.heights.map((_, i) => road.all[k * n + i] + part * (road.all[next * n + i] - road.all[k * n + i]));
  }

  drawRoad() {
    const { gl, scene, road } = this;
    const { origin, matrix, radius, theme } = this.frame;
    const { along, width, speed, start, step } = scene.road;
    const heights = this.roadHeights();
    const { up } = scene.view;
    const side = cross(up, along);
    const middle = dot(sub(origin, scene.road.origin), along);
    const reach = 4.2 * radius;
    const height = (s) => {
      const at = clamp((s - start) / step, 0, heights.length - 1);
      const k = Math.min(Math.floor(at), heights.length - 2);
      return k < 0 ? heights[0] : heights[k] + (at - k) * (heights[k + 1] - heights[k]);
    };
    const spacing = (2 * reach) / (ROAD_POINTS - 1);
    const deep = 0.06 * radius;
    const numbers = road.numbers;
    for (let k = 0; k < ROAD_POINTS; k++) {
      const d = middle - reach + k * spacing;
      const s = speed * this.time + d;
      const slope = (height(s + spacing) - height(s - spacing)) / (2 * spacing);
      const top = sub(add(add(scene.road.origin, scale(along, d)), scale(up, height(s))), origin);
      const normal = unit(sub(up, scale(along, slope)));
      const far = Math.abs(d - middle) / reach;
      const fade = 1 - clamp((far - 0.45) / 0.55, 0, 1) ** 1.5;
      const left = add(top, scale(side, width / 2));
      const right = sub(top, scale(side, width / 2));
      const low = scale(up, -deep);
      const points = [
        [left, normal, 1], [right, normal, -1],
        [add(left, low), side, 2], [left, side, 2],
        [right, scale(side, -1), 2], [add(right, low), scale(side, -1), 2],
      ];
      points.forEach(([p, n, across_], i) => numbers.set([...p, ...n, s, across_, fade], 9 * (6 * k + i)));
    }
    const uniforms = this.use("road", matrix);
    gl.uniform3fv(uniforms.asphalt, theme.asphalt);
    gl.uniform1f(uniforms.dash, round125(0.8 * radius));
    gl.bindVertexArray(road.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, road.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, numbers);
    gl.drawElements(gl.TRIANGLES, road.count, gl.UNSIGNED_SHORT, 0);
  }

  drawFloor() {
    const { gl, scene } = this;
    const { origin, matrix, theme } = this.frame;
    const { p, normal } = scene.view.floor;
    const e1 = Math.abs(normal[0]) < 0.9 ? unit(sub([1, 0, 0], scale(normal, normal[0]))) : [0, 1, 0];
    const e2 = cross(normal, e1);
    // Below the middle of the picture; the lines stay where they are on the floor.
    const place = scale(normal, dot(sub(p, origin), normal));
    const uniforms = this.use("floor", matrix);
    const spacing = round125(scene.view.radius / 4);
    const wrap = 5 * spacing;
    const offset = [e1, e2].map((e) => ((dot(origin, e) % wrap) + wrap) % wrap);
    gl.uniform3fv(uniforms.place, place);
    gl.uniform3fv(uniforms.e1, e1);
    gl.uniform3fv(uniforms.e2, e2);
    gl.uniform2fv(uniforms.offset, offset);
    gl.uniform1f(uniforms.spacing, spacing);
    gl.uniform1f(uniforms.reach, 6 * scene.view.radius);
    gl.uniform4fv(uniforms.ink, theme.ink);
    gl.uniform1f(uniforms.shade, theme.shade);
    gl.depthMask(false);
    gl.bindVertexArray(this.floor.vao);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
  }

  // Axes of frames and the traced line.
  drawLines() {
    const { gl, scene } = this;
    const { origin, matrix, ratio, width, height } = this.frame;
    const numbers = [];
    const line = (a, b, colour) => numbers.push(...sub(a, origin), ...sub(b, origin), ...colour);
    if (this.axes) {
      const long = 0.11 * scene.view.radius;
      scene.bodies.forEach((body, index) => {
        const q = this.rotations.subarray(4 * index, 4 * index + 4);
        for (const frame of body.frames) {
          const at = this.point(index, frame.p);
          AXIS_COLOURS.forEach((colour, k) => {
            const e = [0, 0, 0];
            e[k] = long;
            line(at, add(at, turn(q, turn(frame.q, e))), [...colour, 0.95]);
          });
        }
      });
    }
    if (this.trace) {
      const { body, p, path } = this.trace;
      const now = this.point(body, p);
      const { times } = motion;
      const next = times.findIndex((time) => time > this.time);
      const past = next < 0 ? times.length : next;
      const colour = this.frame.theme.trace;
      for (let k = 0; k + 1 < path.length; k++) {
        const alpha = k + 1 < past ? 0.95 : 0.22;
        line(path[k], k + 1 === past ? now : path[k + 1], [...colour, alpha]);
        if (k + 1 === past) line(now, path[k + 1], [...colour, 0.22]);
      }
    }
    if (!numbers.length) return;
    const uniforms = this.use("line", matrix);
    gl.uniform2f(uniforms.screen, width / 2, height / 2);
    gl.uniform1f(uniforms.width, 2 * ratio);
    gl.bindVertexArray(this.lines.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lines.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW);
    // On top of what lies within a hair's breadth, so that axes on surfaces can be seen.
    gl.disable(gl.DEPTH_TEST);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, numbers.length / 10);
    gl.enable(gl.DEPTH_TEST);
  }
}
