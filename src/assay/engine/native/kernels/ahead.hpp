// Few examples a step: several steps at a time. The inputs of the next steps are known before their weights are. With
// l the decay of a step and g_s = -rate dL/dh_s of step s,
//
//     w_t = (1-l)^t w_0 + sum_{s<t} (1-l)^(t-1-s) g_s x_s, so that
//     w_t.x_t + b_t = (1-l)^t (w_0.x_t + b_0) + sum_{s<t} (1-l)^(t-1-s) g_s (x_s.x_t + 1),   x_s.x_t = n - 2 popcount(x_s ^ x_t),
//
// for each neuron. The sums w_0.x_t of all examples of a block go by tables (kernel.hpp), and so does the update at its end:
// weights are read and written once a block, and a step costs a handful of multiply-adds whatever n is.
#pragma once

#include "dense.hpp"

namespace ASSAY_ISA {

constexpr int MOST_AHEAD = 8;  // examples a step

template <class Sigma>
class Ahead final : public Dense<Sigma> {
  public:
    explicit Ahead(const Spec& spec) : Dense<Sigma>(spec), row((spec.n + LANES - 1) / LANES * LANES) {}

    bool make(int most) {
        const size_t room = (size_t)this->vectors * LANES * LANES;
        return Dense<Sigma>::make(most) && base.make(room) && gradient.make(room) && products.make(LANES * LANES) &&
               slots.make(1, this->n) && quads.make((size_t)row * FOUR) && scratch.make(FOUR * TABLE * LANES) &&
               value.make(this->vectors * MOST_AHEAD * LANES) && slope.make(this->vectors * MOST_AHEAD * LANES);
    }

    int steps_at_once() const override { return LANES / this->spec.batch; }

    void look_ahead(const Batch& block) override {
        slots.fill(block);
        for (int v = 0; v < this->vectors; v++) sums(v, block.count);
    }

    int update_ahead(const Batch& block, int steps, const Batch* next, float* f) override {
        multiply(block);
        int bad = -1;
        bool done = false;
        if constexpr (ONE_REGISTER) {
            done = this->vectors == 1 && this->spec.batch == 1;
            if (done) bad = in_registers(block, steps, f);
        }
        for (int t = 0; t < steps && !done; t++)
            if (!step(block, t, f) && bad < 0) bad = t;
        const int count = steps * this->spec.batch;
        for (int q = 0; q < (count + FOUR - 1) / FOUR; q++)
            for (int i = 0; i < this->n; i += LANES) {
                const u32v four = load<u32v>(block.slab_columns(0) + i) >> FOUR * q & 15u;
                Offsets::narrow(four * (uint32_t)sizeof(f32v), quads.data + q * row + i);
            }
        if (next) slots.fill(*next);
        for (int v = 0; v < this->vectors; v++) {
            descend(v, count, steps);
            if (next) sums(v, next->count);
        }
        return bad;
    }

  private:
    const int row;  // coordinates in whole vectors
    Buffer<float> base;  // w_0.x + b_0: [vector][example][lane]
    Buffer<float> gradient;  // g: [vector][example][lane]
    Buffer<float> products;  // (1-l)^(t-1-s) (x_s.x_t + 1): [example of t][example of s]
    Offsets slots;  // of the block whose sums are made
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
        const Spec& spec = this->spec;
        const float keep = 1 - spec.decay[0];
        for (int e = 0; e < block.count; e++) {
            i32v apart = {};
            for (int q = 0; q < block.Q; q++) {
                const uint32_t* words = block.slab_words(0) + q * SLAB;
                const uint32_t inside = spec.n - 32 * q >= 32 ? ~0u : (1u << (spec.n - 32 * q)) - 1;
                apart += popcount((load<u32v>(words) ^ words[e]) & inside);
            }
            f32v product = to_float(spec.n + spec.hidden_bias - 2 * apart);
            if (spec.decay[0] != 0)
                for (int s = 0; s < e; s++) product[s] *= power(keep, e / spec.batch - 1 - s / spec.batch);
            store(products.data + e * LANES, product);
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
        const bool decays = spec.decay[0] != 0, decays_out = spec.decay[1] != 0;
        f32v z[LANES], u = load<f32v>(this->u.data), c = splat(this->c);
        const f32v rate = splat(-spec.rate[0]), out_rate = splat(-spec.rate[1]);
        const f32v bias_rate = splat(spec.output_bias ? -spec.rate[1] : 0.0f);
        const f32v real = this->real(0, splat(1.0f));  // 0 in the lanes that stand for no neuron
        float* g = gradient.data;
#pragma GCC unroll 16
        for (int t = 0; t < LANES; t++) z[t] = load<f32v>(base.data + t * LANES);
        if (decays)
            for (int t = 0; t < LANES; t++) z[t] *= power(1 - spec.decay[0], t);
#pragma GCC unroll 16
        for (int t = 0; t < LANES; t++) {
            if (t == steps) break;
            const Slope at = this->sigma(z[t]);
            const f32v y = splat(block.label[0] >> t & 1 ? -1.0f : 1.0f);
            const f32v pace = u * rate * at.slope, out = sums_everywhere(u * at.value) + c;
            const f32v slope = slope_of(spec.loss, out, y), own = slope * pace;
            f[t] = out[0];
            store(g + t * LANES, own);
#pragma GCC unroll 16
            for (int later = t + 1; later < LANES; later++)
                z[later] = fma(splat(products[later * LANES + t]), own, z[later]);
            if (decays_out) u -= u * spec.decay[1];
            u = fma(out_rate, slope * (real * at.value), u);
            if (decays_out && spec.output_bias) c -= c * spec.decay[1];
            c = fma(bias_rate, slope, c);
        }
        store(this->u.data, u);
        this->c = c[0];
        const f32v size = size_of(spec.loss, load<f32v>(f), signs(block.label[0], 0));
        const uint32_t infinite = lowest_bits((u32v)(size - size != 0)) & ((1u << steps) - 1);
        return infinite ? __builtin_ctz(infinite) : -1;
    }

    // The sums of one vector of neurons over all coordinates, for the first examples of the block in `slots`.
    void sums(int v, int count) {
        switch ((count + FOUR - 1) / FOUR) {
            case 1: return sums<1>(v);
            case 2: return sums<2>(v);
            case 3: return sums<3>(v);
            default: return sums<4>(v);
        }
    }
    template <int QUADS>
    void sums(int v) {
        const float* own = this->W.data + v * this->stride;
        f32v z[QUADS * FOUR];
        const f32v bias = load<f32v>(own + this->groups * FOUR * LANES);
#pragma GCC unroll 16
        for (int j = 0; j < QUADS * FOUR; j++) z[j] = bias;
        for (int g = 0; g < this->groups; g++) {
            f32v w[FOUR];
#pragma GCC unroll 4
            for (int j = 0; j < FOUR; j++) w[j] = load<f32v>(own + (g * FOUR + j) * LANES);
            float* table = scratch.data + g % FOUR * TABLE * LANES;
            build_table(w, table, 1);
            const uint16_t* at = slots.slab(0) + g * SLAB;
#pragma GCC unroll 16
            for (int j = 0; j < QUADS * FOUR; j++) z[j] += load<f32v>((const char*)table + at[j]);
        }
#pragma GCC unroll 16
        for (int j = 0; j < QUADS * FOUR; j++) store(base.data + (v * LANES + j) * LANES, z[j]);
    }

    // The update of one vector of neurons at the end of so many examples and steps.
    void descend(int v, int count, int steps) {
        const float* g = gradient.data + v * LANES * LANES;
        const int quads = (count + FOUR - 1) / FOUR;
        const Spec& spec = this->spec;
        const bool decays = spec.decay[0] != 0;
        f32v bias = {};
        for (int q = 0; q < quads; q++) {
            f32v d[FOUR] = {};
            for (int j = 0; j < FOUR && q * FOUR + j < count; j++) {
                const int e = q * FOUR + j;
                d[j] = load<f32v>(g + e * LANES);
                if (decays) d[j] *= power(1 - spec.decay[0], steps - 1 - e / spec.batch);
                bias += d[j];
            }
            build_table(d, scratch.data + q * TABLE * LANES, 1);
        }
        const f32v keep = splat(decays ? power(1 - spec.decay[0], steps) : 1.0f);
        float* own = this->W.data + v * this->stride;
        switch (quads) {
            case 1: add<1>(own, keep); break;
            case 2: add<2>(own, keep); break;
            case 3: add<3>(own, keep); break;
            default: add<4>(own, keep);
        }
        if (spec.hidden_bias) {
            float* at = own + this->groups * FOUR * LANES;
            store(at, fma(keep, load<f32v>(at), bias));
        }
    }
    template <int QUADS>
    void add(float* own, f32v keep) {
        const char* table = (const char*)scratch.data;
        const uint16_t* at = quads.data;
        for (int i = 0; i < this->n; i++, own += LANES) {
            f32v change = load<f32v>(table + at[i]);
#pragma GCC unroll 4
            for (int q = 1; q < QUADS; q++) change += load<f32v>(table + q * TABLE * sizeof(f32v) + at[q * row + i]);
            store(own, fma(keep, load<f32v>(own), change));
        }
    }
};

}  // namespace ASSAY_ISA
