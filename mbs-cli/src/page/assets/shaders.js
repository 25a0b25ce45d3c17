// Programs of the graphics card. Positions are relative to the origin of drawing, which
// moves with the eye, so that single precision is enough far away too.

const HEAD = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2DShadow;
`;

const TURN = `
vec3 turn(vec4 q, vec3 v) {
  vec3 twice = 2.0 * cross(q.yzw, v);
  return v + q.x * twice + cross(q.yzw, twice);
}
`;

// How much light of the sun arrives: nine looks at the map of depths.
const SHADOW = `
uniform sampler2DShadow shadowMap;
uniform mat4 shadowMatrix;
uniform float shadowTexel;
float sunlight(vec3 world, vec3 normal) {
  vec4 at = shadowMatrix * vec4(world, 1.0);
  vec3 p = at.xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  p.z -= 0.0012;
  float sum = 0.0;
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++)
      sum += texture(shadowMap, vec3(p.xy + 1.35 * shadowTexel * vec2(i, j), p.z));
  return sum / 9.0;
}
`;

const LIGHT = SHADOW + `
uniform vec3 eye;
uniform vec3 sun;
uniform vec3 up;
uniform vec3 sky;
uniform vec3 bounce;
uniform vec3 sunColour;
vec3 shade(vec3 world, vec3 normal, vec3 paint, float shine) {
  vec3 v = normalize(eye - world);
  vec3 n = normalize(normal);
  if (dot(n, v) < 0.0) n = -n;
  vec3 base = pow(paint, vec3(2.2));
  float open = 0.5 + 0.5 * dot(n, up);
  vec3 ambient = mix(bounce, sky, open);
  float lit = max(dot(n, sun), 0.0) * sunlight(world, n);
  vec3 h = normalize(v + sun);
  float gloss = pow(max(dot(n, h), 0.0), 42.0) * shine * lit;
  float edge = pow(1.0 - max(dot(n, v), 0.0), 4.0);
  vec3 colour = base * (ambient + sunColour * lit) + vec3(gloss) + 0.16 * edge * sky * open;
  return pow(colour, vec3(1.0 / 2.2));
}
`;

// Solids: each vertex belongs to a body, whose pose stands in a texture.
const BODY_VERTEX = HEAD + TURN + `
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 colour;
layout(location = 3) in uvec2 owner;
uniform mat4 matrix;
uniform highp sampler2D poses;
uniform uint roles;
out vec3 world;
out vec3 facing;
out vec4 paint;
void main() {
  vec4 place = texelFetch(poses, ivec2(0, int(owner.x)), 0);
  vec4 q = texelFetch(poses, ivec2(1, int(owner.x)), 0);
  world = place.xyz + turn(q, position);
  facing = turn(q, normal);
  paint = colour;
  bool seen = (roles >> owner.y & 1u) == 1u;
  gl_Position = seen ? matrix * vec4(world, 1.0) : vec4(0.0, 0.0, 2.0, 1.0);
}
`;

// Tubes between two points: straight, or wound up as a spring.
const LINK_VERTEX = HEAD + `
layout(location = 0) in vec4 tube;
uniform mat4 matrix;
uniform vec3 from;
uniform vec3 to;
uniform vec4 tint;
uniform float radius;
uniform float wire;
uniform float turns;
out vec3 world;
out vec3 facing;
out vec4 paint;
void main() {
  vec3 line = to - from;
  float far = max(length(line), 1e-9);
  vec3 axis = line / far;
  vec3 e1 = normalize(cross(axis, abs(axis.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0)));
  vec3 e2 = cross(axis, e1);
  if (turns > 0.0) {
    float u = tube.x;
    float wound = smoothstep(0.0, 0.07, u) * smoothstep(1.0, 0.93, u);
    float angle = 6.2831853 * turns * u;
    vec3 radial = cos(angle) * e1 + sin(angle) * e2;
    // Flat at both ends, where a coil lies on its seat.
    float along = mix(u, smoothstep(0.0, 1.0, u), 0.25);
    facing = cos(tube.y) * radial + sin(tube.y) * axis;
    world = from + axis * (far * along) + radial * (radius * (0.35 + 0.65 * wound)) + facing * wire;
  } else {
    vec3 radial = cos(tube.y) * e1 + sin(tube.y) * e2;
    facing = tube.w == 0.0 ? radial : axis * tube.w;
    world = from + line * tube.x + radial * (radius * tube.z);
  }
  paint = tint;
  gl_Position = matrix * vec4(world, 1.0);
}
`;

const LIT_FRAGMENT = HEAD + LIGHT + `
in vec3 world;
in vec3 facing;
in vec4 paint;
out vec4 colour;
void main() {
  colour = vec4(shade(world, facing, paint.rgb, paint.a), 1.0);
}
`;

const DEPTH_FRAGMENT = HEAD + `
void main() {}
`;

// The floor: a grid that fades away, and shadows on it.
const FLOOR_VERTEX = HEAD + `
layout(location = 0) in vec2 corner;
uniform mat4 matrix;
uniform vec3 place;
uniform vec3 e1;
uniform vec3 e2;
uniform float reach;
out vec3 world;
out vec2 flat_;
void main() {
  flat_ = corner * reach;
  world = place + e1 * flat_.x + e2 * flat_.y;
  gl_Position = matrix * vec4(world, 1.0);
}
`;

const FLOOR_FRAGMENT = HEAD + SHADOW + `
in vec3 world;
in vec2 flat_;
uniform vec2 offset;
uniform float spacing;
uniform float reach;
uniform vec4 ink;
uniform float shade;
out vec4 colour;
float lines(vec2 p, float width) {
  vec2 w = fwidth(p);
  vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, vec2(1e-6));
  vec2 l = clamp(width + 0.5 - d, 0.0, 1.0) * clamp(1.6 - 3.0 * w, 0.0, 1.0);
  return max(l.x, l.y);
}
void main() {
  vec2 p = (flat_ + offset) / spacing;
  float fade = 1.0 - smoothstep(0.25, 1.0, length(flat_) / reach);
  float grid = max(0.38 * lines(p, 0.5), 0.85 * lines(p / 5.0, 0.6));
  float dark = (1.0 - sunlight(world, vec3(0.0))) * shade;
  float a = ink.a * grid * fade * fade;
  float b = dark * fade;
  float alpha = a + b - a * b;
  colour = vec4(ink.rgb * a * (1.0 - b), alpha);
}
`;

// The road: a ribbon with dashes that move with it.
const ROAD_VERTEX = HEAD + `
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 place;
uniform mat4 matrix;
out vec3 world;
out vec3 facing;
out vec3 at;
void main() {
  world = position;
  facing = normal;
  at = place;
  gl_Position = matrix * vec4(position, 1.0);
}
`;

const ROAD_FRAGMENT = HEAD + LIGHT + `
in vec3 world;
in vec3 facing;
in vec3 at;
uniform vec3 asphalt;
uniform float dash;
out vec4 colour;
void main() {
  float w = fwidth(at.x) / dash;
  float part = fract(at.x / dash);
  float on = smoothstep(0.0, w + 0.02, part) * smoothstep(0.5 + w + 0.02, 0.5, part) * (1.0 - smoothstep(0.3, 1.0, w));
  float edge = max(fwidth(at.y), 1e-4);
  float line = smoothstep(0.93 + edge, 0.93, abs(at.y)) * smoothstep(0.87 - edge, 0.87, abs(at.y));
  vec3 paint = mix(asphalt, vec3(0.93), 0.8 * max(line, on * smoothstep(0.03 + edge, 0.03, abs(at.y))));
  float fade = at.z;
  colour = vec4(shade(world, facing, paint, 0.02) * fade, fade);
}
`;

// Lines of a width in pixels.
const LINE_VERTEX = HEAD + `
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 from;
layout(location = 2) in vec3 to;
layout(location = 3) in vec4 tint;
uniform mat4 matrix;
uniform vec2 screen;
uniform float width;
out vec4 paint;
void main() {
  vec4 a = matrix * vec4(from, 1.0);
  vec4 b = matrix * vec4(to, 1.0);
  vec2 along = (b.xy / b.w - a.xy / a.w) * screen;
  float far = length(along);
  vec2 side = far > 1e-6 ? vec2(-along.y, along.x) / far : vec2(0.0, 1.0);
  vec4 p = corner.x < 0.5 ? a : b;
  p.xy += side * corner.y * width / screen * p.w;
  paint = tint;
  gl_Position = p;
}
`;

const LINE_FRAGMENT = HEAD + `
in vec4 paint;
out vec4 colour;
void main() {
  colour = vec4(paint.rgb * paint.a, paint.a);
}
`;
