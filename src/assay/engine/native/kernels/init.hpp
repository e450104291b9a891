// First weights: the schemes of assay.nets.init, drawn from the stream `init` at the same addresses.
#pragma once

#include <math.h>

#include "kernel.hpp"

namespace ASSAY_ISA {

// The inverse error function (Giles 2010, "Approximating the erfinv function", single precision; as in XLA).
INLINE float erf_inv(float x) {
    constexpr float centre[] = {2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f,  -4.39150654e-06f, 0.00021858087f,
                                -0.00125372503f, -0.00417768164f, 0.246640727f,     1.50140941f};
    constexpr float tail[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
                              -0.0076224613f,   0.00943887047f,  1.00167406f,    2.83297682f};
    const float w = -log1pf(-x * x);
    const bool near = w < 5.0f;
    const float at = near ? w - 2.5f : sqrtf(w) - 3.0f;
    const float* coefficients = near ? centre : tail;
    float p = coefficients[0];
    for (int i = 1; i < 9; i++) p = coefficients[i] + p * at;
    return p * x;
}

class Initialiser {
  public:
    explicit Initialiser(const Spec& spec) : spec(spec), key(Streams(spec.init_seed).init) {}

    // Layer by layer, weights before biases, as in assay.nets.
    void fill(float* params) const {
        const Sizes sizes(spec);
        const int fan_in = spec.model == DISJOINT ? spec.n / spec.rows : spec.n;
        const int second_fan_in = spec.model == MLP ? spec.rows : 1;
        float* part[4] = {params};
        for (int i = 1; i < 4; i++) part[i] = part[i - 1] + sizes.part[i - 1];
        const Key first = spec.model == DISJOINT ? key : fold_in(key, 0u);  // a net without biases has one array
        if (spec.init == SPARSE)
            sparse(first, part[0], fan_in);
        else
            weights(first, part[0], sizes.part[0], fan_in, spec.init, spec.init_scale);
        biases(fold_in(key, 1u), part[1], sizes.part[1], fan_in);
        const int kind = spec.init == SPARSE ? UNIFORM : spec.init;
        weights(fold_in(key, 2u), part[2], sizes.part[2], second_fan_in, kind, spec.init_scale);
        biases(fold_in(key, 3u), part[3], sizes.part[3], second_fan_in);
    }

  private:
    const Spec& spec;
    const Key key;

    // U[-1, 1), number i at address i.
    static float draw(const f32v& sixteen, int lane) { return 2.0f * sixteen[lane] - 1.0f; }

    static void weights(Key key, float* to, int64_t count, int fan_in, int kind, float scale) {
        const float root = sqrtf((float)fan_in);
        for (int64_t from = 0; from < count; from += LANES) {
            const f32v drawn = uniform(key.a, key.b, lane_numbers() + (uint32_t)from);
            const int some = count - from < LANES ? (int)(count - from) : LANES;
            for (int lane = 0; lane < some; lane++) {
                const float u = draw(drawn, lane);
                // half a grid step keeps the normal quantile off the infinite end
                to[from + lane] = kind == UNIFORM ? scale / root * u
                                  : kind == SIGN  ? scale / root * (u < 0 ? -1.0f : 1.0f)
                                                  : scale * 2.0f / root * erf_inv(u + 0x1p-24f);
            }
        }
    }

    void biases(Key own, float* to, int64_t count, int fan_in) const {
        if (spec.init == SPARSE || spec.bias_rule == BIAS_UNIFORM)
            weights(own, to, count, fan_in, UNIFORM, 1.0f);
        else if (spec.bias_rule == BIAS_SAME)
            weights(own, to, count, fan_in, spec.init, spec.init_scale);
        else
            for (int64_t i = 0; i < count; i++) to[i] = 0.0f;
    }

    // Ones at the s smallest of a row's draws; of equal draws the first counts as the smallest.
    void sparse(Key own, float* to, int row_size) const {
        for (int row = 0; row < spec.rows; row++) {
            float* mine = to + (size_t)row * row_size;
            weights(own, mine, row, row_size);
            for (int chosen = 0; chosen < spec.nonzeros; chosen++) {
                int best = -1;
                for (int i = 0; i < row_size; i++)
                    if (mine[i] < 1.0f && (best < 0 || mine[i] < mine[best])) best = i;
                mine[best] = 1.0f;  // draws are below 1
            }
            for (int i = 0; i < row_size; i++) mine[i] = mine[i] == 1.0f ? 1.0f : 0.0f;
        }
    }

    // The draws of one row of a matrix.
    static void weights(Key own, float* to, int row, int row_size) {
        for (int from = 0; from < row_size; from += LANES) {
            const uint32_t address = (uint32_t)((int64_t)row * row_size + from);
            const f32v drawn = uniform(own.a, own.b, lane_numbers() + address);
            for (int lane = 0; lane < LANES && from + lane < row_size; lane++) to[from + lane] = draw(drawn, lane);
        }
    }
};

}  // namespace ASSAY_ISA
