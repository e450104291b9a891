// Few examples a step: several steps at a time. The inputs of the next steps are known before their weights are. With
// l the decay of a step and g_s = -rate dL/dh_s of step s,
//
//     w_t = (1-l)^t w_0 + sum_{s<t} (1-l)^(t-1-s) g_s x_s, so that
//     w_t.x_t + b_t = (1-l)^t (w_0.x_t + b_0) + sum_{s<t} (1-l)^(t-1-s) g_s (x_s.x_t + 1),   x_s.x_t = n - 2 popcount(x_s ^ x_t),
//
// for each neuron. The sums w_0.x_t of all examples of a block go by tables (kernel.hpp), and so does the update at its end:
// weights are read and written once a block, and a step costs a handful of multiply-adds whatever n is. Of the tables of
// weights, which few examples look up, only the half is made: +w_0 -w_1 ... and -w_0 +w_1 ... differ in their sign.
#pragma once

#include "dense.hpp"

namespace ASSAY_ISA {

constexpr int MOST_AHEAD = 8;  // examples a step

template <class Sigma>
class Ahead final : public Dense<Sigma> {
  public:
    explicit Ahead(const Spec& spec)
        : Dense<Sigma>(spec), at_once(LANES / spec.batch), row((spec.n + LANES - 1) / LANES * LANES) {}

    bool make(int most) {
        const size_t room = (size_t)this->vectors * LANES * LANES;
        return Dense<Sigma>::make(most) && base.make(room) && gradient.make(room) && products.make(LANES * LANES) &&
               slots.make((size_t)this->groups * LANES) && turns.make((size_t)this->groups * LANES) &&
               halves.make(CHUNK * TABLE / 2 * LANES) && quads.make((size_t)row * FOUR) &&
               scratch.make(FOUR * TABLE * LANES) && value.make(this->vectors * MOST_AHEAD * LANES) &&
               slope.make(this->vectors * MOST_AHEAD * LANES);
    }

    int steps_at_once() const override { return at_once; }

    void look_ahead(const Batch& block) override {
        multiply(block);
        fill_slots(block);
        for (int v = 0; v < this->vectors; v++) sweep(v, 0, 0, block.count);
    }

    int steps_ahead(const Batch& block, int steps, float* f) override {
        if constexpr (ONE_REGISTER)
            if (this->vectors == 1 && this->spec.batch == 1) return in_registers(block, steps, f);
        int bad = -1;
        for (int t = 0; t < steps; t++)
            if (!step(block, t, f) && bad < 0) bad = t;
        return bad;
    }

    void arrive(const Batch& block, int steps, const Batch* next) override {
        const int count = steps * this->spec.batch;
        fill_quads(block, count);
        if (next) {
            multiply(*next);
            fill_slots(*next);
        }
        for (int v = 0; v < this->vectors; v++) sweep(v, count, steps, next ? next->count : 0);
    }

    float answer_ahead(int example) const override {
        f32v total = {};
        for (int v = 0; v < this->vectors; v++)
            total = fma(load<f32v>(this->u.data + v * LANES),
                        this->sigma(load<f32v>(base.data + (v * LANES + example) * LANES)).value, total);
        return sum(total) + this->c;
    }

  private:
    const int at_once;  // steps
    const int row;  // coordinates in whole vectors
    Buffer<float> base;  // w_0.x + b_0: [vector][example][lane]
    Buffer<float> gradient;  // g: [vector][example][lane]
    Buffer<float> products;  // (1-l)^(t-1-s) (x_s.x_t + 1): [example of t][example of s]
    Buffer<uint16_t> slots;  // of the block whose sums are made: bytes into half a table, [group][example]
    Buffer<float> turns;  // and signs
    Buffer<float> halves;  // of the tables of a chunk of groups
    Buffer<uint16_t> quads;  // bytes into a table for each four examples: [four][coordinate]
    Buffer<float> scratch;  // four tables
    Buffer<float> value, slope;  // sigma and sigma' of a step: [vector][example][lane]

    static float power(float x, int n) {
        float result = 1;
        for (; n > 0; n--) result *= x;
        return result;
    }

    // The inner products of the examples of a block.
    void multiply(const Batch& block) {
        switch (block.Q) {
            case 1: return multiply<1>(block);
            case 2: return multiply<2>(block);
            default: return multiply<0>(block);
        }
    }
    template <int Q>
    void multiply(const Batch& block) {
        const Spec& spec = this->spec;
        const int words = Q ? Q : block.Q;
        const uint32_t* from = block.slab_words(0);
        const float keep = 1 - spec.decay[0];
        float* to = products.data;
        for (int e = 0; e < block.count; e++) {
            i32v apart = {};
#pragma GCC unroll 2
            for (int q = 0; q < words; q++) apart += popcount(load<u32v>(from + q * SLAB) ^ from[q * SLAB + e]);
            f32v product = to_float(spec.n + spec.hidden_bias - 2 * apart);
            if (spec.decay[0] != 0)
                for (int s = 0; s < e; s++) product[s] *= power(keep, e / spec.batch - 1 - s / spec.batch);
            store(to + e * LANES, product);
        }
    }

    // Bytes into the table of each four examples, at each coordinate.
    void fill_quads(const Batch& block, int count) {
        for (int i = 0; i < this->n; i += LANES) {
            const uint32_t* words = block.slab_words(0) + i / 32 * SLAB;
            for (int q = 0; q * FOUR < count; q++) {
                u32v offset = {};
#pragma GCC unroll 4
                for (int j = 0; j < FOUR; j++)
                    offset = or_where(lanes_of(words[q * FOUR + j], i % 32), offset, splat_bits((uint32_t)sizeof(f32v) << j));
                Offsets::narrow(offset, quads.data + q * row + i);
            }
        }
    }

    // Step t of the block: its outputs, its part of the gradient, and the second layer's update. False where the loss is
    // not finite.
    bool step(const Batch& block, int t, float* f) {
        const Spec& spec = this->spec;
        const int B = spec.batch, first = t * B;
        const bool decays = spec.decay[0] != 0;
        const float keep = decays ? power(1 - spec.decay[0], t) : 1, rate = -spec.rate[0] / B, out_rate = -spec.rate[1] / B;
        f32v own[MOST_AHEAD], size = {};
        for (int b = 0; b < B; b++) {
            const int e = first + b;
            const float* product = products.data + e * LANES;
            f32v total = {};
            for (int v = 0; v < this->vectors; v++) {
                f32v z = load<f32v>(base.data + (v * LANES + e) * LANES);
                if (decays) z *= keep;
                const float* g = gradient.data + v * LANES * LANES;
                for (int s = 0; s < first; s++) z = fma(splat(product[s]), load<f32v>(g + s * LANES), z);
                const Slope at = this->sigma(z);
                store(value.data + (v * MOST_AHEAD + b) * LANES, at.value);
                store(slope.data + (v * MOST_AHEAD + b) * LANES, at.slope);
                total = fma(load<f32v>(this->u.data + v * LANES), at.value, total);
            }
            const f32v out = sums_everywhere(total) + this->c;
            const f32v y = splat(block.label[0] >> e & 1 ? -1.0f : 1.0f);
            own[b] = slope_of(spec.loss, out, y);
            size += size_of(spec.loss, out, y);
            f[e] = out[0];
        }
        if (spec.output_bias) {
            f32v bias = {};
            for (int b = 0; b < B; b++) bias += own[b];
            this->c = this->c - this->c * spec.decay[1] + out_rate * bias[0];
        }
        for (int v = 0; v < this->vectors; v++) {
            const f32v u = load<f32v>(this->u.data + v * LANES), pace = u * rate;
            f32v change = {};
            for (int b = 0; b < B; b++) {
                const int at = (v * MOST_AHEAD + b) * LANES;
                change = fma(own[b], load<f32v>(value.data + at), change);
                store(gradient.data + (v * LANES + first + b) * LANES, own[b] * (pace * load<f32v>(slope.data + at)));
            }
            store(this->u.data + v * LANES, this->real(v, fma(splat(out_rate), change, u - u * spec.decay[1])));
        }
        return finite(size[0]);
    }

    // The same steps where there is one vector of neurons and one example a step: all sums stay in registers, and a
    // step's part of the gradient enters those of all later steps at once, so that the next waits for one addition.
    int in_registers(const Batch& block, int steps, float* f) {
        const Spec& spec = this->spec;
        const bool decays = spec.decay[0] != 0 || spec.decay[1] != 0;
        switch (spec.loss) {
            case HINGE: decays ? in_registers<Hinge, true>(block, steps, f) : in_registers<Hinge, false>(block, steps, f); break;
            case SQUARE: in_registers<Square, true>(block, steps, f); break;
            case LOGISTIC: in_registers<Logistic, true>(block, steps, f); break;
            default: in_registers<Correlation, true>(block, steps, f);
        }
        const f32v size = size_of(spec.loss, load<f32v>(f), signs(block.label[0], 0));
        const uint32_t infinite = lowest_bits((u32v)(size - size != 0)) & ((1u << steps) - 1);
        return infinite ? __builtin_ctz(infinite) : -1;
    }
    template <class Loss, bool DECAYS>
    void in_registers(const Batch& block, int steps, float* f) {
        const Spec& spec = this->spec;
        f32v z[LANES], u = load<f32v>(this->u.data), c = splat(this->c);
        const f32v rate = splat(-spec.rate[0]), out_rate = splat(-spec.rate[1]);
        const f32v bias_rate = splat(spec.output_bias ? -spec.rate[1] : 0.0f);
        const f32v real = this->real(0, splat(1.0f));  // 0 in the lanes that stand for no neuron
        const f32v decay = splat(spec.decay[1]);
        const bool decays_out = spec.decay[1] != 0, output_bias = spec.output_bias;
        float* g = gradient.data;
        const float* product = products.data;
        const Sigma sigma = this->sigma;
        alignas(64) float labels[LANES];
        store(labels, signs(block.label[0], 0));
#pragma GCC unroll 16
        for (int t = 0; t < LANES; t++) z[t] = load<f32v>(base.data + t * LANES);
        if (DECAYS && spec.decay[0] != 0)
            for (int t = 0; t < LANES; t++) z[t] *= power(1 - spec.decay[0], t);
#pragma GCC unroll 16
        for (int t = 0; t < LANES; t++) {
            if (t == steps) break;
            const Slope at = sigma(z[t]);
            const f32v y = splat(labels[t]), pace = u * rate * at.slope, out = sums_everywhere(u * at.value) + c;
            const f32v slope = Loss::guessed(out, y), own = slope * pace;
            f[t] = out[0];
            store(g + t * LANES, own);
#pragma GCC unroll 16
            for (int later = t + 1; later < LANES; later++)
                z[later] = fma(splat(product[later * LANES + t]), own, z[later]);
            if (DECAYS && decays_out) u -= u * decay;
            u = fma(out_rate, slope * (real * at.value), u);
            if (DECAYS && decays_out && output_bias) c -= c * decay;
            c = fma(bias_rate, slope, c);
        }
        store(this->u.data, u);
        this->c = c[0];
    }

    // One vector of neurons: its update by the gradients of a block, and its sums for the examples of the next one.
    void sweep(int v, int count, int steps, int next) {
        const int most = count > next ? count : next;
        switch ((most + FOUR - 1) / FOUR) {
            case 1: return sweep<1>(v, count, steps, next);
            case 2: return sweep<2>(v, count, steps, next);
            case 3: return sweep<3>(v, count, steps, next);
            default: return sweep<4>(v, count, steps, next);
        }
    }
    template <int QUADS>
    void sweep(int v, int count, int steps, int next) {
        float* own = this->W.data + v * this->stride;
        f32v bias = load<f32v>(own + this->groups * FOUR * LANES), keep = splat(1.0f);
        if (count) {
            const f32v change = tables<QUADS>(v, count, steps);
            if (this->spec.decay[0] != 0) keep = splat(power(1 - this->spec.decay[0], steps));
            if (this->spec.hidden_bias) {
                bias = fma(keep, bias, change);
                store(own + this->groups * FOUR * LANES, bias);
            }
        }
        float* sums = base.data + v * LANES * LANES;
        if (!next) return go_through<QUADS, true, false>(own, keep, bias, sums);
        if (!count) return go_through<QUADS, false, true>(own, keep, bias, sums);
        return go_through<QUADS, true, true>(own, keep, bias, sums);
    }

    // The 16 signed sums of each four examples' gradients of a vector of neurons. Returns the sum of them all.
    template <int QUADS>
    f32v tables(int v, int count, int steps) {
        const float* g = gradient.data + v * LANES * LANES;
        const Spec& spec = this->spec;
        const bool decays = spec.decay[0] != 0;
        f32v total = {};
#pragma GCC unroll 4
        for (int q = 0; q < QUADS; q++) {
            f32v d[FOUR];
#pragma GCC unroll 4
            for (int j = 0; j < FOUR; j++) {
                const int e = q * FOUR + j;
                d[j] = e < count ? load<f32v>(g + e * LANES) : f32v{};
                if (decays && e < count) d[j] *= power(1 - spec.decay[0], steps - 1 - e / spec.batch);
                total += d[j];
            }
            build_table(d, scratch.data + q * TABLE * LANES, 1);
        }
        return total;
    }

    // Through the coordinates, four at a time: w + its change, looked up for each four examples of the block, and the
    // sums of the next examples. Of the 16 signed sums of four weights 8 are the others with the other sign.
    template <int QUADS, bool UPDATE, bool NEXT>
    void go_through(float* own, f32v keep, f32v bias, float* sums) const {
        const int groups = this->groups, full = this->n / FOUR;
        for (int from = 0; from < groups; from += CHUNK) {
            const int to = from + CHUNK < groups ? from + CHUNK : groups, whole = to < full ? to : full;
            float* table = halves.data;
            for (int g = from; g < whole; g++, table += TABLE / 2 * LANES)
                of_four<QUADS, UPDATE, NEXT>(own, g * FOUR, FOUR, keep, table);
            if (whole < to) of_four<QUADS, UPDATE, NEXT>(own, whole * FOUR, this->n % FOUR, keep, table);
            if (!NEXT) continue;
            f32v z[QUADS * FOUR];
#pragma GCC unroll 16
            for (int e = 0; e < QUADS * FOUR; e++) z[e] = from ? load<f32v>(sums + e * LANES) : bias;
            const char* sum = (const char*)halves.data;
            const uint16_t* at = slots.data + from * LANES;
            const float* sign = turns.data + from * LANES;
            for (int g = from; g < to; g++, at += LANES, sign += LANES, sum += TABLE / 2 * sizeof(f32v))
#pragma GCC unroll 16
                for (int e = 0; e < QUADS * FOUR; e++) z[e] = fma(splat(sign[e]), load<f32v>(sum + at[e]), z[e]);
#pragma GCC unroll 16
            for (int e = 0; e < QUADS * FOUR; e++) store(sums + e * LANES, z[e]);
        }
    }

    // Four coordinates from i on, of which the first `count` are there: their change, and half a table of their sums.
    template <int QUADS, bool UPDATE, bool NEXT>
    __attribute__((always_inline)) void of_four(float* weights, int i, int count, f32v keep, float* table) const {
        float* own = weights + i * LANES;
        const char* change = (const char*)scratch.data;
        const uint16_t* at = quads.data + i;
        f32v w[FOUR];
#pragma GCC unroll 4
        for (int j = 0; j < FOUR; j++) {
            w[j] = load<f32v>(own + j * LANES);
            if (!UPDATE || j >= count) continue;
            f32v step = load<f32v>(change + at[j]);
#pragma GCC unroll 4
            for (int q = 1; q < QUADS; q++) step += load<f32v>(change + q * TABLE * sizeof(f32v) + at[q * row + j]);
            w[j] = fma(keep, w[j], step);
            store(own + j * LANES, w[j]);
        }
        if (!NEXT) return;
        const f32v s = w[0] + w[1], d = w[1] - w[0], S = w[2] + w[3], D = w[3] - w[2];
        store(table, s + S);
        store(table + LANES, d + S);
        store(table + 2 * LANES, S - d);
        store(table + 3 * LANES, S - s);
        store(table + 4 * LANES, s + D);
        store(table + 5 * LANES, d + D);
        store(table + 6 * LANES, D - d);
        store(table + 7 * LANES, D - s);
    }

    // For each four coordinates of each example, which of the 8 sums it is, and with which sign.
    void fill_slots(const Batch& block) {
        for (int g = 0; g < this->groups; g++) {
            const u32v four = load<u32v>(block.slab_words(0) + g / 8 * SLAB) >> (g % 8 * FOUR);
            const u32v minus = (u32v)((i32v)(four << 28) >> 31);
            Offsets::narrow(((four ^ minus) & 7u) * (uint32_t)sizeof(f32v), slots.data + g * LANES);
            store(turns.data + g * LANES, floats((minus & 0x80000000u) | 0x3f800000u));
        }
    }
};

}  // namespace ASSAY_ISA
