//! Sine and cosine written out: the operations of `mbs_math::sin_cos`, one by one.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::FunctionBuilder;
use mbs_math::trig_constants::{COSINE, LARGEST, PER_QUARTER_TURN, QUARTER_TURN, ROUNDER, SINE};

/// Writes sine and cosine of `x` where its reduction is short, and goes on in a new block,
/// whose parameters are the two. Returns that block, and one to be filled with what gives the
/// two elsewhere, which must end with a jump to it.
pub(super) fn sin_cos(builder: &mut FunctionBuilder<'_>, x: Value) -> (Block, Block) {
    let (sine, cosine) = near(builder, x);
    let (far, done) = (builder.create_block(), builder.create_block());
    builder.append_block_param(done, types::F64);
    builder.append_block_param(done, types::F64);
    builder.set_cold_block(far);
    let largest = builder.ins().f64const(LARGEST);
    let size = builder.ins().fabs(x);
    let is_near = builder.ins().fcmp(FloatCC::LessThanOrEqual, size, largest);
    builder.ins().brif(is_near, done, &[sine.into(), cosine.into()], far, &[]);
    (done, far)
}

/// Arithmetic on numbers of the code being written.
struct Writer<'a, 'f>(&'a mut FunctionBuilder<'f>);

impl Writer<'_, '_> {
    fn of(&mut self, value: f64) -> Value {
        self.0.ins().f64const(value)
    }
    fn add(&mut self, a: Value, b: Value) -> Value {
        self.0.ins().fadd(a, b)
    }
    fn sub(&mut self, a: Value, b: Value) -> Value {
        self.0.ins().fsub(a, b)
    }
    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.0.ins().fmul(a, b)
    }

    /// a + b·c
    fn add_product(&mut self, a: Value, b: Value, c: Value) -> Value {
        let product = self.mul(b, c);
        self.add(a, product)
    }

    /// (c₁ + y (c₂ + y c₃)) + y³ (c₄ + y (c₅ + y c₆))
    fn polynomial(&mut self, coefficients: [f64; 6], y: Value, y3: Value) -> Value {
        let [c1, c2, c3, c4, c5, c6] = coefficients.map(|value| self.of(value));
        let mut half = |a, b, c| {
            let inner = self.add_product(b, y, c);
            self.add_product(a, y, inner)
        };
        let (low, high) = (half(c1, c2, c3), half(c4, c5, c6));
        self.add_product(low, y3, high)
    }
}

/// As `kernels` of `mbs-math`, then the quadrant.
fn near(builder: &mut FunctionBuilder<'_>, x: Value) -> (Value, Value) {
    let w = &mut Writer(builder);
    let (rounder, per_turn) = (w.of(ROUNDER), w.of(PER_QUARTER_TURN));
    let scaled = w.mul(x, per_turn);
    let turns = w.add(scaled, rounder);
    let n = w.sub(turns, rounder);
    let [p1, p2, p3] = QUARTER_TURN.map(|part| w.of(part));
    let np1 = w.mul(n, p1);
    let a = w.sub(x, np1);
    let b = w.mul(n, p2);
    let r = w.sub(a, b);
    let np3 = w.mul(n, p3);
    let lost = w.sub(a, r);
    let lost = w.sub(lost, b);
    let sigma = w.sub(np3, lost);

    let (one, half) = (w.of(1.0), w.of(0.5));
    let r2 = w.mul(r, r);
    let r4 = w.mul(r2, r2);
    let r6 = w.mul(r2, r4);
    let h = w.mul(half, r2);
    let q = w.sub(one, h);
    let sine = {
        let polynomial = w.polynomial(SINE, r2, r6);
        let r3 = w.mul(r2, r);
        let (first, rest) = (w.mul(sigma, q), w.mul(r3, polynomial));
        let inner = w.sub(first, rest);
        w.sub(r, inner)
    };
    let cosine = {
        let polynomial = w.polynomial(COSINE, r2, r6);
        let (first, rest) = (w.mul(r4, polynomial), w.mul(r, sigma));
        let inner = w.add(first, rest);
        let lost = w.sub(one, q);
        let lost = w.sub(lost, h);
        let inner = w.add(lost, inner);
        w.add(q, inner)
    };
    quadrant(builder, turns, sine, cosine)
}

/// Exchanges the two in odd quarters, without a branch, and sets the signs.
fn quadrant(builder: &mut FunctionBuilder<'_>, turns: Value, sine: Value, cosine: Value) -> (Value, Value) {
    let as_number = MemFlagsData::new();
    let bits = builder.ins().bitcast(types::I64, as_number, turns);
    let odd = builder.ins().ishl_imm_u(bits, 63);
    let odd = builder.ins().sshr_imm_u(odd, 63);
    let odd = builder.ins().bitcast(types::F64, as_number, odd);
    let difference = builder.ins().bxor(sine, cosine);
    let exchange = builder.ins().band(difference, odd);
    let next = builder.ins().iadd_imm_u(bits, 1);
    let mut signed = |value: Value, quarter: Value| {
        let value = builder.ins().bxor(value, exchange);
        let sign = builder.ins().ushr_imm_u(quarter, 1);
        let sign = builder.ins().ishl_imm_u(sign, 63);
        let sign = builder.ins().bitcast(types::F64, as_number, sign);
        builder.ins().bxor(value, sign)
    };
    (signed(sine, bits), signed(cosine, next))
}
