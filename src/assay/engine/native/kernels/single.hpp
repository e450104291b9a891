// The same nets as in counting.hpp with one example a step. Nothing is shared between examples, so nothing is looked up
// or counted: each weight is read once, changed by +-(rate u y) where its neuron learns, written, and added with the
// next input's sign to the next sum. What limits a step is that chain from one output to the next.
#pragma once

#include "kernel.hpp"

namespace ASSAY_ISA {

template <class Loss>
class Single final : public TwoLayers {
  public:
    explicit Single(const Spec& spec) : TwoLayers(spec), padded(groups * FOUR) {}

    bool make(int) {
        return make_weights() && h.make((size_t)vectors * LANES) &&
               x[0].make(padded + 2 * LANES) && x[1].make(padded + 2 * LANES);
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
        f32v total = {};
        for (int v = 0; v < vectors; v++) {
            const f32v h = preactivation(v, input);
            total = choose(h <= 0, total, fma(load<f32v>(u.data + v * LANES), h, total));
        }
        return sum(total) + c;
    }

  private:
    const int padded;  // coordinates in whole groups of four
    Buffer<float> h;  // sums of the last input
    Buffer<float> x[2];  // the input of the last step and of the next, as numbers
    int last = 0;  // which of the two

    // The update of a step whose label was y, and the output for the next input.
    template <bool UPDATE, bool FORWARD>
    float pass(const Batch* next, float y, bool learns) {
        const float *before = x[last].data, *after = x[1 - last].data;
        if (FORWARD) {
            float* to = x[1 - last].data;
            for (int i = 0; i < padded; i += LANES) store(to + i, signs(next->packed[i / 32 * SLAB], i % 32));
        }
        const bool decays = spec.decay[0] != 0;
        if (UPDATE) c = c - c * spec.decay[1] + (learns ? spec.rate[1] * y : 0.0f);
        f32v total = {};
        for (int v = 0; v < vectors; v++) {
            float* own = W.data + v * stride;
            f32v out = load<f32v>(u.data + v * LANES), bias = load<f32v>(own + padded * LANES), step = {};
            if (UPDATE) {
                const f32v z = load<f32v>(h.data + v * LANES);
                const i32v off = z <= 0;
                const f32v credit = learns ? choose(off, splat(0.0f), splat(y)) : f32v{};
                step = credit * out * spec.rate[0];
                if (spec.hidden_bias) {
                    if (decays) bias = fma(splat(-spec.decay[0]), bias, bias);
                    bias += step;
                    store(own + padded * LANES, bias);
                }
                out = fma(credit * spec.rate[1], choose(off, splat(0.0f), z), out - out * spec.decay[1]);
                store(u.data + v * LANES, out);
            }
            f32v s[FOUR] = {bias};
            if (UPDATE && decays)
                coordinates<true, true, FORWARD>(own, before, after, step, s);
            else if (UPDATE && learns)
                coordinates<true, false, FORWARD>(own, before, after, step, s);
            else if (FORWARD)
                coordinates<false, false, true>(own, before, after, step, s);
            if (FORWARD) {
                const f32v z = (s[0] + s[1]) + (s[2] + s[3]);
                store(h.data + v * LANES, z);
                total = choose(z <= 0, total, fma(out, z, total));
            }
        }
        if (!FORWARD) return 0.0f;
        last = 1 - last;
        return sum(total) + c;
    }

    template <bool UPDATE, bool DECAY, bool FORWARD>
    void coordinates(float* own, const float* before, const float* after, f32v step, f32v* s) {
        const f32v decay = splat(-spec.decay[0]);
        f32v sums[FOUR] = {s[0], s[1], s[2], s[3]};
        for (int i = 0; i < padded; i += FOUR)
#pragma GCC unroll 4
            for (int j = 0; j < FOUR; j++) {
                float* at = own + (i + j) * LANES;
                f32v w = load<f32v>(at);
                if (UPDATE) {
                    if (DECAY) w = fma(decay, w, w);
                    w = fma(splat(before[i + j]), step, w);
                    store(at, w);
                }
                if (FORWARD) sums[j] = fma(splat(after[i + j]), w, sums[j]);
            }
        for (int j = 0; j < FOUR; j++) s[j] = sums[j];
    }
};

}  // namespace ASSAY_ISA
