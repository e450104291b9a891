// Nets of few linear rows: a single neuron, f = sigma(w.x + b) or u sigma(w.x + b) + c; PolyNets, f = prod_r (w_r.x + b_r);
// and disjoint PolyNets, whose rows see one block of coordinates each.
//
// Sixteen examples are the lanes of a vector. The 16 signed sums of four weights of a row are one register, which every
// example permutes by its own four bits; in the gradient, the 16 signed sums of four examples' derivatives are one
// register, which every coordinate permutes by its own four bits:
//
//     z_rs = b_r + sum over fours of table(w_r)[bits of x_s],     dL/dw_ri = sum over fours of table(d_r)[bits of X_i].
#pragma once

#include "kernel.hpp"

namespace ASSAY_ISA {

// Signs of the four terms in each of the 16 sums.
INLINE f32v term_sign(int j) { return floats(((lane_numbers() >> j) << 31) | 0x3f800000u); }

// All sums of +-a_j, j < 4, in one register.
INLINE f32v register_table(const float* a) {
    f32v table = splat(a[0]) * term_sign(0);
#pragma GCC unroll 4
    for (int j = 1; j < FOUR; j++) table = fma(splat(a[j]), term_sign(j), table);
    return table;
}

// How the rows' sums become an output, and what each row's part of the derivative is.
template <class Sigma>
struct NeuronHead {
    explicit NeuronHead(const Spec& spec) : spec(spec), sigma(spec) {}
    f32v output(const f32v* z, int) const {
        const f32v value = sigma(z[0]).value;
        return spec.output ? fma(splat(u), value, splat(c)) : value;
    }
    void derivatives(const f32v* z, int, f32v slope, f32v* d) {
        const Slope at = sigma(z[0]);
        if (spec.output) {
            u_gradient += slope * at.value;
            c_gradient += slope;
            d[0] = slope * u * at.slope;
        } else {
            d[0] = slope * at.slope;
        }
    }
    void step() {
        if (spec.output) u = u - u * spec.decay[1] - spec.rate[1] * sum(u_gradient);
        if (spec.output && spec.output_bias) c = c - c * spec.decay[1] - spec.rate[1] * sum(c_gradient);
        u_gradient = c_gradient = f32v{};
    }
    const Spec& spec;
    const Sigma sigma;
    float u = 0, c = 0;
    f32v u_gradient = {}, c_gradient = {};
};

struct ProductHead {
    explicit ProductHead(const Spec&) {}
    f32v output(const f32v* z, int rows) const {
        f32v product = z[0];
        for (int r = 1; r < rows; r++) product = product * z[r];
        return product;
    }
    // d prod / d z_r is the product of the others: those before times those behind, so that a factor of 0 is exact.
    void derivatives(const f32v* z, int rows, f32v slope, f32v* d) {
        f32v before = slope;
        for (int r = 0; r < rows; r++) {
            d[r] = before;
            before = before * z[r];
        }
        f32v behind = splat(1.0f);
        for (int r = rows - 1; r >= 0; r--) {
            d[r] = d[r] * behind;
            behind = behind * z[r];
        }
    }
    void step() {}
    float u = 0, c = 0;
};

template <class Head>
class Rows final : public Kernel {
  public:
    explicit Rows(const Spec& spec) : spec(spec), head(spec), rows(spec.rows) {
        width = spec.model == DISJOINT ? spec.n / rows : spec.n;
        padded = (spec.n + LANES - 1) / LANES * LANES;
        groups = padded / FOUR;
    }

    bool make(int most) {
        const size_t halves = 2 * ((most + SLAB - 1) / SLAB);
        return w.make((size_t)rows * padded) && b.make(rows) && z.make(halves * rows * LANES) && d.make(halves * rows * LANES) &&
               slope.make(halves * LANES) && tables.make((size_t)(groups + 4) * rows * LANES);
    }

    void set(const float* params) override {
        for (int r = 0; r < rows; r++)
            for (int i = 0; i < width; i++) w[(size_t)r * padded + first(r) + i] = *params++;
        if (spec.hidden_bias)
            for (int r = 0; r < rows; r++) b[r] = *params++;
        if (spec.output) head.u = *params++;
        if (spec.output && spec.output_bias) head.c = *params;
    }

    void get(float* params) const override {
        for (int r = 0; r < rows; r++)
            for (int i = 0; i < width; i++) *params++ = w[(size_t)r * padded + first(r) + i];
        if (spec.hidden_bias)
            for (int r = 0; r < rows; r++) *params++ = b[r];
        if (spec.output) *params++ = head.u;
        if (spec.output && spec.output_bias) *params = head.c;
    }

    void forward(const Batch& batch, float* f) override {
        for (int r = 0; r < rows; r++)
            for (int g = first(r) / FOUR; g * FOUR < first(r) + width; g++)
                store(table(r, g), register_table(w.data + (size_t)r * padded + g * FOUR));
        for (int half = 0; half * LANES < batch.count; half++) {
            const uint32_t* words = batch.slab_words(half / 2) + half % 2 * LANES;
            float* own = z.data + (size_t)half * rows * LANES;
            for (int r = 0; r < rows; r++) {
                f32v even = splat(b[r]), odd = {};  // two sums: an addition waits for no other
                int g = first(r) / FOUR;
                const int end = (first(r) + width + FOUR - 1) / FOUR;
                for (; g + 1 < end; g += 2) {
                    even += lookup(load<f32v>(table(r, g)), load<u32v>(words + g / 8 * SLAB) >> g % 8 * FOUR);
                    odd += lookup(load<f32v>(table(r, g + 1)), load<u32v>(words + (g + 1) / 8 * SLAB) >> (g + 1) % 8 * FOUR);
                }
                if (g < end) even += lookup(load<f32v>(table(r, g)), load<u32v>(words + g / 8 * SLAB) >> g % 8 * FOUR);
                store(own + r * LANES, even + odd);
            }
            store(f + half * LANES, head.output((const f32v*)own, rows));
        }
    }

    bool update(const Batch& batch, float* f, const Batch* next, float* next_f) override {
        const float loss = slopes_of(spec.loss)(batch, f, slope.data);
        const float per_example = 1.0f / batch.count;
        const int halves = (batch.count + LANES - 1) / LANES;
        for (int half = 0; half < halves; half++) {
            f32v parts[MOST_ROWS];
            head.derivatives((const f32v*)(z.data + (size_t)half * rows * LANES), rows,
                             load<f32v>(slope.data + half * LANES) * per_example, parts);
            // what stands behind the end of the batch has slope 0, but its sums may be infinite
            const int left = batch.count - half * LANES;
            const i32v there = (i32v)lane_numbers() < left;
            for (int r = 0; r < rows; r++) store(d.data + ((size_t)half * rows + r) * LANES, choose(there, parts[r], f32v{}));
        }
        head.step();
        for (int r = 0; r < rows; r++) descend(r, batch, halves);
        if (next) forward(*next, next_f);
        return finite(loss);
    }

    float answer(const uint32_t* input) const override {
        f32v sums[MOST_ROWS];
        for (int r = 0; r < rows; r++) {
            f32v total = {};
            const float* own = w.data + (size_t)r * padded;
            for (int i = first(r) / LANES * LANES; i < first(r) + width; i += LANES)
                total = fma(load<f32v>(own + i), signs(input[i / 32], i % 32), total);
            sums[r] = splat(sum(total) + b[r]);
        }
        return head.output(sums, rows)[0];
    }

    static constexpr int MOST_ROWS = 64;

  private:
    const Spec& spec;
    Head head;
    const int rows;
    int width, padded, groups;  // coordinates that a row sees, and all of them in whole vectors and fours
    Buffer<float> w, b;  // w: [row][coordinate], 0 where a row does not see
    Buffer<float> z, d, slope;  // z, d: [half slab][row][lane]
    Buffer<float> tables;  // [row][group][entry]

    int first(int r) const { return spec.model == DISJOINT ? r * width : 0; }
    float* table(int r, int g) { return tables.data + ((size_t)r * groups + g) * LANES; }

    void descend(int r, const Batch& batch, int halves) {
        // four examples' tables in each vector of sixteen
        f32v bias_gradient = {};
        const int end = first(r) + width;
        float* own = w.data + (size_t)r * padded;
        const float rate = -spec.rate[0], decay = -spec.decay[0];
        f32v quad[8];
        for (int half = 0; half < halves; half++) bias_gradient += load<f32v>(d.data + ((size_t)half * rows + r) * LANES);
        for (int i = first(r) / LANES * LANES; i < end; i += LANES) {
            f32v g[2] = {};
            for (int half = 0; half < halves; half++) {
                const float* parts = d.data + ((size_t)half * rows + r) * LANES;
                const u32v column = load<u32v>(batch.slab_columns(half / 2) + i) >> half % 2 * LANES;
                const int quads = batch.count - half * LANES >= LANES ? 4 : (batch.count - half * LANES + FOUR - 1) / FOUR;
                for (int q = 0; q < quads; q++) {
                    quad[q] = register_table(parts + q * FOUR);
                    g[q % 2] += lookup(quad[q], column >> q * FOUR);
                }
            }
            const i32v seen = ((i32v)lane_numbers() >= first(r) - i) & ((i32v)lane_numbers() < end - i);
            const f32v before = load<f32v>(own + i);
            const f32v after = fma(splat(rate), g[0] + g[1], fma(splat(decay), before, before));
            store(own + i, choose(seen, after, f32v{}));
        }
        if (spec.hidden_bias) b[r] = b[r] - b[r] * spec.decay[0] - spec.rate[0] * sum(bias_gradient);
    }
};

}  // namespace ASSAY_ISA
