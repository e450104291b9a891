// What a kernel is: the weights of one trial, in the layout that suits its net, and how they answer and change.
#pragma once

#include "batch.hpp"
#include "losses.hpp"

namespace ASSAY_ISA {

struct Kernel {
    virtual ~Kernel() = default;
    // Takes and gives parameters layer by layer, weights before biases, as in assay.nets.
    virtual void set(const float* params) = 0;
    virtual void get(float* params) const = 0;
    // Outputs of a batch. What `update` needs of it is kept until the next call.
    virtual void forward(const Batch& batch, float* f) = 0;
    // One step of gradient descent on the batch of the last `forward`, whose outputs are in f; `next`, if any, is
    // answered on the way: the same as a `forward` afterwards. Returns whether the loss is finite.
    virtual bool update(const Batch& batch, float* f, const Batch* next, float* next_f) = 0;
    // The output for one input of Q words, which changes nothing.
    virtual float answer(const uint32_t* input) const = 0;

    // Kernels that take several steps at a time say how many, and do for a block of steps what `forward` and `update` do
    // for one, in two parts. `steps_ahead` puts the outputs of each step into f, and says which is the first whose loss is
    // not finite, or -1; `arrive` brings the weights to the end of the steps made, and looks at the next block if there is
    // one.
    virtual int steps_at_once() const { return 1; }
    virtual void look_ahead(const Batch&) {}
    virtual int steps_ahead(const Batch&, int, float*) { return -1; }
    virtual void arrive(const Batch&, int, const Batch*) {}
    // The output for an example of the block that was looked at, before its first step.
    virtual float answer_ahead(int) const { return 0; }
};

// Number of parameters of each of the four arrays: first weights, first biases, second weights, second biases.
struct Sizes {
    int64_t part[4];
    explicit Sizes(const Spec& spec) {
        const int64_t fan_in = spec.model == DISJOINT ? spec.n / spec.rows : spec.n;
        part[0] = spec.rows * fan_in;
        part[1] = spec.hidden_bias ? spec.rows : 0;
        part[2] = spec.output ? spec.rows : 0;
        part[3] = spec.output && spec.output_bias ? 1 : 0;
    }
    int64_t total() const { return part[0] + part[1] + part[2] + part[3]; }
};

// -------------------------------------------------------------------------------------------------------------------
// Sums over coordinates by tables. h_s = b + sum_i w_i x_si for 32 examples and 16 neurons (a lane each) at a time:
// the 16 signed sums of four coordinates' weights are built once, then every example costs one load and one
// add for four coordinates. For B examples that is 16 + B additions instead of 4 B.

constexpr int FOUR = 4, TABLE = 16;
constexpr int CHUNK = 16;  // groups of four coordinates whose tables are in the cache together

// Bytes into a table of one vector an entry, for each four coordinates of each example: [slab][group][s].
struct Offsets {
    int groups = 0;
    Buffer<uint16_t> at;
    bool make(int slabs, int n) {
        groups = (n + FOUR - 1) / FOUR;
        return at.make((size_t)slabs * groups * SLAB);
    }
    // From words of 32 bits: [slab][word][32], bit b of the group j of a word being bit 4 j + b.
    void fill(const Batch& batch) {
        for (int slab = 0; slab < batch.slabs; slab++)
            for (int g = 0; g < groups; g++) {
                const uint32_t* words = batch.slab_words(slab) + g / 8 * SLAB;
                uint16_t* to = at.data + ((size_t)slab * groups + g) * SLAB;
                const int shift = g % 8 * FOUR;
                for (int half = 0; half < SLAB; half += LANES) {
                    const u32v offset = ((load<u32v>(words + half) >> shift) & 15u) * (uint32_t)sizeof(f32v);
                    narrow(offset, to + half);
                }
            }
    }
    static void narrow(u32v x, uint16_t* to) {
        typedef uint16_t u16v __attribute__((vector_size(2 * LANES)));
        store(to, __builtin_convertvector(x, u16v));
    }
    const uint16_t* slab(int slab) const { return at.data + (size_t)slab * groups * SLAB; }
};

// All sums of +-w_j over four vectors; bit j of an entry's number is 1 where w_j is subtracted. Entries are `stride`
// vectors apart.
INLINE void build_table(const f32v w[FOUR], float* table, int stride) {
    const f32v low[4] = {w[0] + w[1], w[1] - w[0], w[0] - w[1], -w[0] - w[1]};
    const f32v high[4] = {w[2] + w[3], w[3] - w[2], w[2] - w[3], -w[2] - w[3]};
#pragma GCC unroll 16
    for (int entry = 0; entry < TABLE; entry++) store(table + entry * stride * LANES, low[entry & 3] + high[entry >> 2]);
}

// -------------------------------------------------------------------------------------------------------------------
// The weights of two-layer nets, f = sum_j u_j sigma(w_j.x + b_j) + c: a vector holds one weight of sixteen neurons.

struct TwoLayers : Kernel {
    explicit TwoLayers(const Spec& spec) : spec(spec), n(spec.n), groups((spec.n + FOUR - 1) / FOUR) {
        vectors = (spec.rows + LANES - 1) / LANES;
        stride = (size_t)(groups * FOUR + 1) * LANES;
    }

    bool make_weights() { return W.make(vectors * stride) && u.make((size_t)vectors * LANES); }

    void set(const float* params) override {
        const Sizes sizes(spec);
        const float *weight = params, *bias = weight + sizes.part[0], *output = bias + sizes.part[1];
        for (int j = 0; j < spec.rows; j++) {
            float* own = W.data + j / LANES * stride + j % LANES;
            for (int i = 0; i < n; i++) own[i * LANES] = weight[(size_t)j * n + i];
            if (spec.hidden_bias) own[groups * FOUR * LANES] = bias[j];
            u[j] = output[j];
        }
        c = spec.output_bias ? output[spec.rows] : 0.0f;
    }

    void get(float* params) const override {
        const Sizes sizes(spec);
        float *weight = params, *bias = weight + sizes.part[0], *output = bias + sizes.part[1];
        for (int j = 0; j < spec.rows; j++) {
            const float* own = W.data + j / LANES * stride + j % LANES;
            for (int i = 0; i < n; i++) weight[(size_t)j * n + i] = own[i * LANES];
            if (spec.hidden_bias) bias[j] = own[groups * FOUR * LANES];
            output[j] = u[j];
        }
        if (spec.output_bias) output[spec.rows] = c;
    }

    // The lanes of a vector of neurons that stand for none: their output weights stay 0, whatever sigma(0) is.
    f32v real(int v, f32v x) const { return choose((i32v)lane_numbers() + v * LANES < spec.rows, x, splat(0.0f)); }

    // One input as numbers +-1.
    struct Signs {
        float x[MASK_WORDS * 32];
        Signs(const uint32_t* input, int n) {
            for (int i = 0; i < n; i += LANES) store(x + i, signs(input[i / 32], i % 32));
        }
    };

    // w.x + b for one input: eight sums at a time, so that no addition waits for the one before.
    f32v preactivation(int v, const Signs& input) const {
        constexpr int SUMS = 8;
        const float* own = W.data + v * stride;
        f32v s[SUMS] = {load<f32v>(own + groups * FOUR * LANES)};
        int i = 0;
        for (; i + SUMS <= n; i += SUMS)
#pragma GCC unroll 8
            for (int j = 0; j < SUMS; j++) s[j] = fma(splat(input.x[i + j]), load<f32v>(own + (i + j) * LANES), s[j]);
        for (; i < n; i++) s[0] = fma(splat(input.x[i]), load<f32v>(own + i * LANES), s[0]);
        return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }

    const Spec& spec;
    const int n, groups;  // groups of four coordinates
    int vectors;  // of sixteen neurons
    size_t stride;  // numbers of a vector of neurons: [coordinate][lane], then the biases
    Buffer<float> W, u;
    float c = 0;
};

// -------------------------------------------------------------------------------------------------------------------
// The loss of a batch.

// Sum of the losses (or of what stands for them, see losses.hpp), and d loss / d f of every example into `slope`.
template <class Loss>
INLINE float slopes(const Batch& batch, const float* f, float* slope) {
    f32v total = {};
    for (int half = 0; half * LANES < batch.count; half++) {
        const f32v own = load<f32v>(f + half * LANES), y = batch.labels(half);
        const i32v valid = (i32v)((splat_bits(batch.valid[half / 2]) >> (lane_numbers() + (uint32_t)(half % 2 * LANES))) << 31) < 0;
        total += choose(valid, Loss::size(own, y), splat(0.0f));
        store(slope + half * LANES, choose(valid, Loss::slope(own, y), splat(0.0f)));
    }
    return sum(total);
}

typedef float (*Slopes)(const Batch&, const float*, float*);

INLINE Slopes slopes_of(int32_t loss) {
    constexpr Slopes all[] = {slopes<Hinge>, slopes<Square>, slopes<Logistic>, slopes<Correlation>};
    return all[loss];
}

INLINE bool finite(float x) { return x - x == 0; }

}  // namespace ASSAY_ISA
