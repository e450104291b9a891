// The same nets as in counting.hpp with one example a step. Nothing is shared between examples, so nothing is looked up
// or counted: each weight is read once, changed by +-(rate u y) where its neuron learns, written, and added with the
// next input's sign to the next sum. What limits a step is that chain from one output to the next.
#pragma once

#include "kernel.hpp"

namespace ASSAY_ISA {

template <class Loss>
class Single final : public TwoLayers {
  public:
    using TwoLayers::TwoLayers;

    bool make(int) {
        return make_weights() && h.make((size_t)vectors * LANES) &&
               x[0].make(n + LANES) && x[1].make(n + LANES);
    }

    void forward(const Batch& batch, float* f) override { f[0] = pass<false, true>(&batch, 0.0f, false); }

    bool update(const Batch& batch, float* f, const Batch* next, float* next_f) override {
        const float y = batch.label[0] & 1 ? -1.0f : 1.0f;
        const bool learns = Loss::active(splat(f[0]), splat(y))[0] != 0;
        const float loss = Loss::value(f[0], y);
        if (!next)
            pass<true, false>(nullptr, y, learns);
        else
            next_f[0] = pass<true, true>(next, y, learns);
        return finite(loss);
    }

    float answer(const uint32_t* input) const override {
        const Signs x(input, n);
        f32v total = {};
        for (int v = 0; v < vectors; v++) {
            const f32v h = preactivation(v, x);
            total = fma_where(positive(h), load<f32v>(u.data + v * LANES), h, total);
        }
        return sum(total) + c;
    }

  private:
    static constexpr int SUMS = 8;  // at a time: additions wait four cycles for each other
    Buffer<float> h;  // sums of the last input
    Buffer<float> x[2];  // the input of the last step and of the next, as numbers
    int last = 0;  // which of the two

    // The update of a step whose label was y, and the output for the next input.
    template <bool UPDATE, bool FORWARD>
    float pass(const Batch* next, float y, bool learns) {
        const float *before = x[last].data, *after = x[1 - last].data;
        if (FORWARD) {
            float* to = x[1 - last].data;
            for (int i = 0; i < n; i += LANES) store(to + i, signs(next->packed[i / 32 * SLAB], i % 32));
        }
        const bool decays = spec.decay[0] != 0;
        if (UPDATE && spec.output_bias) c = c - c * spec.decay[1] + (learns ? spec.rate[1] * y : 0.0f);
        f32v total = {};
        for (int v = 0; v < vectors; v++) {
            float* own = W.data + v * stride;
            f32v out = load<f32v>(u.data + v * LANES), bias = load<f32v>(own + groups * FOUR * LANES), step = {};
            if (UPDATE) {
                const f32v z = load<f32v>(h.data + v * LANES);
                const Lanes on = positive(z);
                const f32v credit = learns ? where(on, splat(y)) : f32v{};
                step = credit * out * spec.rate[0];
                if (spec.hidden_bias) {
                    if (decays) bias = fma(splat(-spec.decay[0]), bias, bias);
                    bias += step;
                    store(own + groups * FOUR * LANES, bias);
                }
                out = fma(credit * spec.rate[1], where(on, z), out - out * spec.decay[1]);
                store(u.data + v * LANES, out);
            }
            f32v s[SUMS] = {bias};
            if (UPDATE && decays)
                coordinates<true, true, FORWARD>(own, before, after, step, s);
            else if (UPDATE && learns)
                coordinates<true, false, FORWARD>(own, before, after, step, s);
            else if (FORWARD)
                coordinates<false, false, true>(own, before, after, step, s);
            if (FORWARD) {
                const f32v z = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
                store(h.data + v * LANES, z);
                total = fma_where(positive(z), out, z, total);
            }
        }
        if (!FORWARD) return 0.0f;
        last = 1 - last;
        return sum(total) + c;
    }

    template <bool UPDATE, bool DECAY, bool FORWARD>
    void coordinates(float* own, const float* before, const float* after, f32v step, f32v* s) {
        const f32v decay = splat(-spec.decay[0]);
        f32v sums[SUMS];
#pragma GCC unroll 8
        for (int j = 0; j < SUMS; j++) sums[j] = s[j];
        int i = 0;
        for (; i + SUMS <= n; i += SUMS)
#pragma GCC unroll 8
            for (int j = 0; j < SUMS; j++)
                coordinate<UPDATE, DECAY, FORWARD>(own + (i + j) * LANES, before[i + j], after[i + j], step, decay, sums[j]);
        for (; i < n; i++)
            coordinate<UPDATE, DECAY, FORWARD>(own + i * LANES, before[i], after[i], step, decay, sums[0]);
#pragma GCC unroll 8
        for (int j = 0; j < SUMS; j++) s[j] = sums[j];
    }

    // One weight of sixteen neurons: the input had the sign `before`, the next has the sign `after`.
    template <bool UPDATE, bool DECAY, bool FORWARD>
    static inline __attribute__((always_inline)) void coordinate(float* at, float before, float after, f32v step, f32v decay,
                                                                 f32v& sum) {
        f32v w = load<f32v>(at);
        if (UPDATE) {
            if (DECAY) w = fma(decay, w, w);
            w = fma(splat(before), step, w);
            store(at, w);
        }
        if (FORWARD) sum = fma(splat(after), w, sum);
    }
};

}  // namespace ASSAY_ISA
