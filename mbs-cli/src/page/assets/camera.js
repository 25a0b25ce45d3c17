// The eye: turns about a target, comes nearer, moves aside, follows a body.

const ANGLE = (32 * Math.PI) / 180;

// Where solids reach over the run: balls in ground axes. Of what goes away only the start.
function reachOf(scene) {
  const frames = [0];
  const stride = Math.max(1, Math.floor(motion.times.length / 40));
  if (scene.view.follow === null) for (let k = stride; k < motion.times.length; k += stride) frames.push(k);
  const balls = [];
  scene.bodies.forEach((body, index) => {
    const own = body.solids.filter((solid) => solid.role !== "mass").flatMap((solid) => {
      if (solid.shape === "sphere") return [[solid.center, solid.radius]];
      if (solid.shape !== "box") return [[solid.from, solid.radius], [solid.to, solid.radius]];
      const corners = [];
      for (let k = 0; k < 8; k++) {
        const half = solid.size.map((edge, axis) => (k >> axis & 1 ? 0.5 : -0.5) * edge);
        corners.push([add(solid.center, turn(solid.q, half)), 0]);
      }
      return corners;
    });
    for (const frame of index === 0 ? [0] : frames) {
      for (const [p, radius] of own) balls.push([motion.point(frame, index, p), radius]);
    }
  });
  return balls;
}

class Camera {
  constructor(scene) {
    const { view } = scene;
    this.view = view;
    this.reach = reachOf(scene);
    // Level directions: `right0` and `front0` as seen at the start.
    const eye = view.eye;
    const level = sub(eye, scale(view.up, dot(eye, view.up)));
    this.front0 = unit(norm(level) > 1e-6 ? level : across(view.up));
    this.right0 = cross(view.up, this.front0);
    this.aspect = 1.6;
    this.reset();
  }

  reset() {
    // Whether somebody has chosen another view.
    this.touched = false;
    this.target = this.view.center.slice();
    this.distance = 3 * this.view.radius;
    this.azimuth = 0;
    this.elevation = Math.asin(clamp(dot(unit(this.view.eye), this.view.up), -0.99, 0.99));
    this.fit();
  }

  // As far away as shows everything, with everything in the middle.
  fit() {
    const d = this.direction();
    const right = unit(cross(this.view.up, d));
    const top = cross(d, right);
    const tangent = Math.tan(ANGLE / 2) * 0.86;
    const slopes = [tangent * this.aspect, tangent];
    // For each side, how far the eye must be for all balls to be inside its plane; the
    // target then moves to where opposite sides agree.
    for (let round = 0; round < 3; round++) {
      let most = 0.2 * this.view.radius;
      [right, top].forEach((e, axis) => {
        const slope = slopes[axis];
        const lean = Math.hypot(1, slope);
        let [low, high] = [-Infinity, -Infinity];
        for (const [p, radius] of this.reach) {
          const from = sub(p, this.target);
          const depth = dot(from, d);
          const aside = dot(from, e);
          high = Math.max(high, depth + (aside + radius * lean) / slope);
          low = Math.max(low, depth + (-aside + radius * lean) / slope);
        }
        if (!Number.isFinite(high)) return;
        this.target = add(this.target, scale(e, ((high - low) * slope) / 2));
        most = Math.max(most, (high + low) / 2);
      });
      this.distance = most;
    }
  }

  direction() {
    const [c, s] = [Math.cos(this.azimuth), Math.sin(this.azimuth)];
    const level = add(scale(this.front0, c), scale(this.right0, s));
    return add(scale(level, Math.cos(this.elevation)), scale(this.view.up, Math.sin(this.elevation)));
  }

  eye() {
    return add(this.target, scale(this.direction(), this.distance));
  }

  // From ground relative to the target to the picture.
  matrix(aspect) {
    const near = Math.max(0.02 * this.distance, this.distance - 3 * this.view.radius);
    const far = this.distance + 14 * this.view.radius;
    return multiply(perspective(ANGLE, aspect, near, far), lookAt(scale(this.direction(), this.distance), [0, 0, 0], this.view.up));
  }

  orbit(dx, dy) {
    this.touched = true;
    this.azimuth -= dx * 0.008;
    this.elevation = clamp(this.elevation + dy * 0.008, -1.55, 1.55);
  }

  pan(dx, dy, height) {
    this.touched = true;
    const d = this.direction();
    const right = unit(cross(this.view.up, d));
    const top = cross(d, right);
    const size = (2 * this.distance * Math.tan(ANGLE / 2)) / height;
    this.target = add(this.target, add(scale(right, -dx * size), scale(top, dy * size)));
  }

  zoom(factor) {
    this.touched = true;
    this.distance = clamp(this.distance * factor, 0.05 * this.view.radius, 30 * this.view.radius);
  }
}

// Mouse, wheel and touch. `changed` is called after each change.
function handleCamera(canvas, camera, changed) {
  const pointers = new Map();
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  const release = (event) => pointers.delete(event.pointerId);
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    if (pointers.size === 1) {
      const aside = event.shiftKey || event.buttons & 6;
      if (aside) camera.pan(dx, dy, canvas.clientHeight);
      else camera.orbit(dx, dy);
    } else if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const far = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      camera.zoom(far(before) / far(now));
      camera.pan(dx / 2, dy / 2, canvas.clientHeight);
    }
    pointers.set(event.pointerId, now);
    changed();
  });
  canvas.addEventListener("wheel", (event) => {
    // A page that is scrolled past the picture keeps scrolling.
    if (!event.ctrlKey && document.activeElement !== canvas && !pointers.size && event.deltaMode === 0 && !canvas.matches(":hover")) return;
    event.preventDefault();
    camera.zoom(Math.exp(clamp(event.deltaY, -120, 120) * 0.0016));
    changed();
  }, { passive: false });
  canvas.addEventListener("dblclick", () => {
    camera.reset();
    changed();
  });
}
