// Two-layer ReLU nets under the hinge (or the correlation) loss: f = sum_j u_j relu(w_j.x + b_j) + c, without a single
// multiplication in the gradient of W.
//
// d loss / d f is -y on the examples inside the margin and 0 elsewhere, and relu' is 0 or 1. So
//
//     -B dL/dW_ji = u_j c_ji,   c_ji = sum over examples s inside the margin with neuron j active of y_s x_si,
//
// an integer; and since y_s x_si = 1 - 2 (bit of y_s xor bit of x_si),
//
//     c_ji = popcount(A_j & M) - 2 popcount(A_j & M & (X_i xor Y))
//
// with words over the examples: A_j (neuron j active), M (inside the margin), X_i (coordinate i), Y (label). ReLU is
// homogeneous, relu(h) = relu'(h) h, so that the gradient of u_j needs no activations either:
//
//     -B dL/du_j = sum_s y_s relu(h_sj) = sum_i W_ji c_ji + b_j c_jb.
//
// Sixteen neurons are the lanes of a vector. The update of one step and the forward pass of the next go through W once.
#pragma once

#include "kernel.hpp"

namespace ASSAY_ISA {

template <class Loss>
class Counting final : public TwoLayers {
  public:
    using TwoLayers::TwoLayers;

    bool make(int most) {
        const int slabs = (most + SLAB - 1) / SLAB;
        return make_weights() && active.make((size_t)slabs * vectors * LANES) &&
               disagree.make((size_t)slabs * (groups * FOUR + 1)) && inside.make(slabs) && offsets.make(slabs, n) &&
               partial.make((size_t)slabs * SLAB * LANES) && tables.make((size_t)CHUNK * TABLE * 2 * LANES) &&
               (groups <= CHUNK || sums.make((size_t)slabs * SLAB * 2 * LANES));
    }

    void forward(const Batch& batch, float* f) override { pass<false, true>(nullptr, &batch, f); }

    bool update(const Batch& batch, float* f, const Batch* next, float* next_f) override {
        const float loss = margins(batch, f);
        if (next)
            pass<true, true>(&batch, next, next_f);
        else
            pass<true, false>(&batch, nullptr, nullptr);
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
    Buffer<uint32_t> active;  // A: [slab][neuron]
    Buffer<uint32_t> disagree, inside;  // M & (X_i xor Y): [slab][coordinate], then M & Y; M: [slab]
    Offsets offsets;
    Buffer<float> partial;  // f before the sum over lanes: [example][lane]
    Buffer<float> tables;  // [group of the chunk][entry][vector][lane]
    Buffer<float> sums;  // h so far, where coordinates come in several chunks: [example][vector][lane]
    float pace = 0;  // of the second layer: learning rate / B

    // Which examples are inside the margin, and on which of them each coordinate disagrees with the label.
    float margins(const Batch& batch, const float* f) {
        f32v total = {};
        const int count = groups * FOUR + 1;
        for (int slab = 0; slab < batch.slabs; slab++) {
            uint32_t words[2];
            for (int half = 0; half < 2; half++) {
                const f32v own = load<f32v>(f + slab * SLAB + half * LANES), y = batch.labels(2 * slab + half);
                words[half] = lowest_bits((u32v)Loss::active(own, y));
                const u32v valid = splat_bits(batch.valid[slab]) >> (lane_numbers() + (uint32_t)(half * LANES)) & 1u;
                total += choose((i32v)(valid << 31) < 0, Loss::size(own, y), splat(0.0f));
            }
            const uint32_t M = (words[0] | words[1] << LANES) & batch.valid[slab], Y = batch.label[slab];
            inside[slab] = M;
            uint32_t* to = disagree.data + (size_t)slab * count;
            const uint32_t* columns = batch.slab_columns(slab);
            int i = 0;
            for (; i + LANES <= groups * FOUR; i += LANES) store(to + i, (load<u32v>(columns + i) ^ Y) & M);
            for (; i < groups * FOUR; i++) to[i] = (columns[i] ^ Y) & M;
            to[i] = Y & M;
        }
        return sum(total);
    }

    template <bool UPDATE, bool FORWARD>
    void pass(const Batch* before, const Batch* next, float* f) {
        if (UPDATE) pace = spec.rate[1] / before->count;
        if (UPDATE && spec.output_bias) {
            int votes = 0;  // sum of y over the margin
            for (int slab = 0; slab < before->slabs; slab++)
                votes += __builtin_popcount(inside[slab]) - 2 * __builtin_popcount(inside[slab] & before->label[slab]);
            c = c * (1 - spec.decay[1]) + pace * votes;
        }
        if (FORWARD) {
            offsets.fill(*next);
            memset(partial.data, 0, (size_t)next->slabs * SLAB * LANES * sizeof(float));
        }
        int v = 0;
        for (; v + 2 <= vectors; v += 2) sweep<2, UPDATE, FORWARD>(v, before, next);
        if (v < vectors) sweep<1, UPDATE, FORWARD>(v, before, next);
        if (FORWARD)
            for (int s = 0; s < next->slabs * SLAB; s++) f[s] = sum(load<f32v>(partial.data + s * LANES)) + c;
    }

    // V vectors of neurons: their update, and their part of the forward pass.
    template <int V, bool UPDATE, bool FORWARD>
    void sweep(int v, const Batch* before, const Batch* next) {
        float* own[V];
        f32v out[V], scale[V], gain[V], total[V], bias[V];
        const f32v decay = splat(spec.decay[0]);
        const int slabs = UPDATE ? before->slabs : 0, count = groups * FOUR + 1;
        const bool decays = spec.decay[0] != 0;
#pragma GCC unroll 2
        for (int a = 0; a < V; a++) {
            own[a] = W.data + (v + a) * stride;
            out[a] = load<f32v>(u.data + (v + a) * LANES);
            bias[a] = load<f32v>(own[a] + groups * FOUR * LANES);
            if (UPDATE) scale[a] = out[a] * (spec.rate[0] / before->count);
        }
        if (UPDATE) {
            i32v members[V] = {}, against[V] = {};
            for (int slab = 0; slab < slabs; slab++)
                for (int a = 0; a < V; a++) {
                    const u32v A = load<u32v>(active.data + ((size_t)slab * vectors + v + a) * LANES);
                    members[a] += popcount(A & inside[slab]);
                    against[a] += popcount(A & disagree[(size_t)slab * count + count - 1]);
                }
            for (int a = 0; a < V; a++) {
                total[a] = to_float(members[a]);
                const f32v own_count = to_float(members[a] - 2 * against[a]);
                gain[a] = bias[a] * own_count;
                if (spec.hidden_bias) {
                    if (decays) bias[a] = fma(-decay, bias[a], bias[a]);
                    bias[a] = fma(scale[a], own_count, bias[a]);
                    store(own[a] + groups * FOUR * LANES, bias[a]);
                }
            }
        }
        for (int from = 0; from < groups; from += CHUNK) {
            const int to = from + CHUNK < groups ? from + CHUNK : groups;
            for (int g = from; g < to; g++) {
                f32v w[V][FOUR];
#pragma GCC unroll 2
                for (int a = 0; a < V; a++)
#pragma GCC unroll 4
                    for (int j = 0; j < FOUR; j++) w[a][j] = load<f32v>(own[a] + (g * FOUR + j) * LANES);
                if (UPDATE) {
                    i32v against[V][FOUR] = {};
                    for (int slab = 0; slab < slabs; slab++) {
                        const uint32_t* Z = disagree.data + (size_t)slab * count + g * FOUR;
#pragma GCC unroll 2
                        for (int a = 0; a < V; a++) {
                            const u32v A = load<u32v>(active.data + ((size_t)slab * vectors + v + a) * LANES);
#pragma GCC unroll 4
                            for (int j = 0; j < FOUR; j++) against[a][j] += popcount(A & Z[j]);
                        }
                    }
#pragma GCC unroll 4
                    for (int j = 0; j < FOUR; j++)
                        if (g * FOUR + j < n)
#pragma GCC unroll 2
                            for (int a = 0; a < V; a++) {
                                const f32v own_count = total[a] - to_float(against[a][j] + against[a][j]);
                                gain[a] = fma(w[a][j], own_count, gain[a]);
                                if (decays) w[a][j] = fma(-decay, w[a][j], w[a][j]);
                                w[a][j] = fma(scale[a], own_count, w[a][j]);
                                store(own[a] + (g * FOUR + j) * LANES, w[a][j]);
                            }
                }
                if (FORWARD)
#pragma GCC unroll 2
                    for (int a = 0; a < V; a++)
                        build_table(w[a], tables.data + ((g - from) * TABLE * V + a) * LANES, V);
            }
            if (UPDATE && to == groups)
                for (int a = 0; a < V; a++) {
                    out[a] = fma(splat(pace), gain[a], out[a] - out[a] * spec.decay[1]);
                    store(u.data + (v + a) * LANES, out[a]);
                }
            if (FORWARD)
                for (int slab = 0; slab < next->slabs; slab++)
                    add_up<V>(v, slab, from, to, bias, out);
        }
    }

    // The sums of one chunk of coordinates for a slab of examples; with the last chunk, which neurons are active.
    template <int V>
    void add_up(int v, int slab, int from, int to, const f32v* bias, const f32v* out) {
        constexpr int AT_ONCE = V == 2 ? 8 : 16;  // examples: enough sums to fill the registers
        const bool first = from == 0, last = to == groups;
        u32v A[V] = {};
        for (int s = 0; s < SLAB; s += AT_ONCE) {
            f32v h[AT_ONCE][V];
            float* kept = sums.data + ((size_t)slab * SLAB + s) * V * LANES;
#pragma GCC unroll 16
            for (int j = 0; j < AT_ONCE; j++)
#pragma GCC unroll 2
                for (int a = 0; a < V; a++) h[j][a] = first ? bias[a] : load<f32v>(kept + (j * V + a) * LANES);
            const uint16_t* at = offsets.slab(slab) + from * SLAB + s;
            const char* table = (const char*)tables.data;
            for (int g = from; g < to; g++, at += SLAB, table += TABLE * V * sizeof(f32v))
#pragma GCC unroll 16
                for (int j = 0; j < AT_ONCE; j++)
#pragma GCC unroll 2
                    for (int a = 0; a < V; a++) h[j][a] += load<f32v>(table + (size_t)at[j] * V + a * sizeof(f32v));
            if (!last) {
#pragma GCC unroll 16
                for (int j = 0; j < AT_ONCE; j++)
#pragma GCC unroll 2
                    for (int a = 0; a < V; a++) store(kept + (j * V + a) * LANES, h[j][a]);
                continue;
            }
            float* f = partial.data + (size_t)(slab * SLAB + s) * LANES;
#pragma GCC unroll 16
            for (int j = 0; j < AT_ONCE; j++) {
                f32v own = load<f32v>(f + j * LANES);
                const u32v bit = splat_bits(1u << (s + j));
#pragma GCC unroll 2
                for (int a = 0; a < V; a++) {
                    const Lanes on = positive(h[j][a]);  // NaN counts as active, so that it reaches the loss
                    A[a] = or_where(on, A[a], bit);
                    own = fma_where(on, out[a], h[j][a], own);
                }
                store(f + j * LANES, own);
            }
        }
        if (last)
            for (int a = 0; a < V; a++) store(active.data + ((size_t)slab * vectors + v + a) * LANES, A[a]);
    }
};

}  // namespace ASSAY_ISA
