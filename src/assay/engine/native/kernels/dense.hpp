// Two-layer nets with any activation and any loss: f = sum_j u_j sigma(w_j.x + b_j) + c.
//
// Sixteen neurons are the lanes of a vector. The sums over coordinates go by tables (kernel.hpp), and so do the sums
// over examples of the gradient: with d_sj = dL/df_s u_j sigma'(h_sj),
//
//     dL/dW_ji = sum_s x_si d_sj,
//
// where the 16 signed sums of four examples' d are built once and every coordinate looks up one of them.
#pragma once

#include "kernel.hpp"

namespace ASSAY_ISA {

template <class Sigma>
class Dense : public TwoLayers {
  public:
    explicit Dense(const Spec& spec) : TwoLayers(spec), sigma(spec) {}

    bool make(int most) {
        const int slabs = (most + SLAB - 1) / SLAB;
        return make_weights() && h.make((size_t)vectors * slabs * SLAB * LANES) &&
               slope.make((size_t)slabs * SLAB) && offsets.make(slabs, n) && by_example.make((size_t)slabs * n * 8) &&
               partial.make((size_t)slabs * SLAB * LANES) && tables.make((size_t)CHUNK * TABLE * LANES) &&
               gradient.make((size_t)groups * FOUR * LANES);
    }

    void forward(const Batch& batch, float* f) override {
        offsets.fill(batch);
        memset(partial.data, 0, (size_t)batch.slabs * SLAB * LANES * sizeof(float));
        for (int v = 0; v < vectors; v++) {
            const float* own = W.data + v * stride;
            const f32v bias = load<f32v>(own + groups * FOUR * LANES), out = load<f32v>(u.data + v * LANES);
            float* mine = h.data + (size_t)v * batch.slabs * SLAB * LANES;
            for (int from = 0; from < groups; from += CHUNK) {
                const int to = from + CHUNK < groups ? from + CHUNK : groups;
                for (int g = from; g < to; g++) {
                    f32v w[FOUR];
                    for (int j = 0; j < FOUR; j++) w[j] = load<f32v>(own + (g * FOUR + j) * LANES);
                    build_table(w, tables.data + (g - from) * TABLE * LANES, 1);
                }
                for (int slab = 0; slab < batch.slabs; slab++) add_up(mine, slab, from, to, bias);
            }
            for (int s = 0; s < batch.count; s++) {
                float* at = partial.data + (size_t)s * LANES;
                store(at, fma(out, sigma(load<f32v>(mine + (size_t)s * LANES)).value, load<f32v>(at)));
            }
        }
        for (int s = 0; s < batch.count; s++) f[s] = sum(load<f32v>(partial.data + (size_t)s * LANES)) + c;
    }

    bool update(const Batch& batch, float* f, const Batch* next, float* next_f) override {
        const float loss = slopes_of(spec.loss)(batch, f, slope.data);
        index_examples(batch);
        const float per_example = 1.0f / batch.count;
        float total = 0;
        for (int s = 0; s < batch.count; s++) total += slope[s] *= per_example;
        if (spec.output_bias) c = c - c * spec.decay[1] - spec.rate[1] * total;
        for (int v = 0; v < vectors; v++) descend(v, batch);
        if (next) forward(*next, next_f);
        return finite(loss);
    }

    float answer(const uint32_t* input) const override {
        const Signs x(input, n);
        f32v total = {};
        for (int v = 0; v < vectors; v++)
            total = fma(load<f32v>(u.data + v * LANES), sigma(preactivation(v, x)).value, total);
        return sum(total) + c;
    }

  protected:
    const Sigma sigma;

  private:
    Buffer<float> h, slope;  // h: [vector][example][lane]
    Offsets offsets;
    Buffer<uint16_t> by_example;  // bytes into a table for each four examples of a slab: [slab][coordinate][8]
    Buffer<float> partial, tables, gradient;

    void add_up(float* mine, int slab, int from, int to, f32v bias) {
        constexpr int AT_ONCE = 16;
        for (int s = 0; s < SLAB; s += AT_ONCE) {
            float* at = mine + (size_t)(slab * SLAB + s) * LANES;
            f32v z[AT_ONCE];
#pragma GCC unroll 16
            for (int j = 0; j < AT_ONCE; j++) z[j] = from == 0 ? bias : load<f32v>(at + j * LANES);
            const uint16_t* entry = offsets.slab(slab) + from * SLAB + s;
            const char* table = (const char*)tables.data;
            for (int g = from; g < to; g++, entry += SLAB, table += TABLE * sizeof(f32v))
#pragma GCC unroll 16
                for (int j = 0; j < AT_ONCE; j++) z[j] += load<f32v>(table + entry[j]);
#pragma GCC unroll 16
            for (int j = 0; j < AT_ONCE; j++) store(at + j * LANES, z[j]);
        }
    }

    // For each coordinate, where the sum of four examples stands in their table.
    void index_examples(const Batch& batch) {
        for (int slab = 0; slab < batch.slabs; slab++)
            for (int i = 0; i < n; i++) {
                const uint32_t column = batch.slab_columns(slab)[i];
                uint16_t* to = by_example.data + ((size_t)slab * n + i) * 8;
                for (int q = 0; q < 8; q++) to[q] = (column >> FOUR * q & 15) * sizeof(f32v);
            }
    }

    // One step of a vector of neurons.
    void descend(int v, const Batch& batch) {
        float* own = W.data + v * stride;
        const float* mine = h.data + (size_t)v * batch.slabs * SLAB * LANES;
        const f32v out = load<f32v>(u.data + v * LANES);
        f32v out_gradient = {}, bias_gradient = {};
        for (int slab = 0; slab < batch.slabs; slab++) {
            const int left = batch.count - slab * SLAB, quads = left >= SLAB ? 8 : (left + FOUR - 1) / FOUR;
            for (int q = 0; q < quads; q++) {
                f32v d[FOUR];
#pragma GCC unroll 4
                for (int j = 0; j < FOUR; j++) {
                    const size_t s = (size_t)slab * SLAB + q * FOUR + j;
                    if (s < (size_t)batch.count) {  // what stands behind the end may be infinite, and 0 times it NaN
                        const Slope at = sigma(load<f32v>(mine + s * LANES));
                        const f32v own_slope = splat(slope[s]);
                        out_gradient = fma(own_slope, at.value, out_gradient);
                        d[j] = own_slope * out * at.slope;
                        bias_gradient += d[j];
                    } else {
                        d[j] = f32v{};
                    }
                }
                build_table(d, tables.data + q * TABLE * LANES, 1);
            }
            for (int i = 0; i < n; i++) {
                f32v g = slab ? load<f32v>(gradient.data + i * LANES) : f32v{};
                const uint16_t* entry = by_example.data + ((size_t)slab * n + i) * 8;
                const char* table = (const char*)tables.data;
                for (int q = 0; q < quads; q++) g += load<f32v>(table + q * TABLE * sizeof(f32v) + entry[q]);
                store(gradient.data + i * LANES, g);
            }
        }
        const f32v rate = splat(-spec.rate[0]), decay = splat(-spec.decay[0]);
        for (int i = 0; i < n; i++) {
            f32v w = load<f32v>(own + i * LANES);
            w = fma(decay, w, w);
            store(own + i * LANES, fma(rate, load<f32v>(gradient.data + i * LANES), w));
        }
        if (spec.hidden_bias) {
            float* bias = own + groups * FOUR * LANES;
            const f32v b = load<f32v>(bias);
            store(bias, fma(rate, bias_gradient, fma(decay, b, b)));
        }
        store(u.data + v * LANES, real(v, fma(splat(-spec.rate[1]), out_gradient, out - out * spec.decay[1])));
    }
};

}  // namespace ASSAY_ISA
