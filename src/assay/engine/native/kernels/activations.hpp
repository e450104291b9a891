// Activations sigma(s z) and their derivatives: assay.nets.activations, one struct each.
#pragma once

#include "api.h"
#include "simd.hpp"

namespace ASSAY_ISA {

// A value and the derivative there with respect to z.
struct Slope {
    f32v value, slope;
};

INLINE f32v floor_of(f32v x) {
    const f32v whole = to_float(__builtin_convertvector(x, i32v));  // towards 0; beyond 2^31 x is whole already
    const f32v down = whole - choose(whole > x, splat(1.0f), splat(0.0f));
    return choose((x < 0x1p31f) & (x > -0x1p31f), down, x);
}

// 1 - 2 (piece mod 2)
INLINE f32v alternating(f32v piece) { return 1.0f - 2.0f * (piece - 2.0f * floor_of(piece * 0.5f)); }

struct Relu {
    explicit Relu(const Spec& spec) : scale(spec.scale) {}
    Slope operator()(f32v z) const {
        const i32v off = z <= 0;  // NaN stays NaN
        return {choose(off, splat(0.0f), z * scale), choose(off, splat(0.0f), splat(scale))};
    }
    float scale;
};

struct Power {
    explicit Power(const Spec& spec) : scale(spec.scale), degree(spec.degree) {}
    Slope operator()(f32v z) const {
        const f32v x = z * scale;
        f32v below = splat(1.0f);
        for (int i = 1; i < degree; i++) below = below * x;
        return {below * x, below * (scale * (float)degree)};
    }
    float scale;
    int degree;
};

// The oscillating family passes through (k - 2j, (-1)^j); t = (k - z) / 2 counts the points.
struct Zigzag {
    explicit Zigzag(const Spec& spec) : scale(spec.scale), k((float)spec.degree) {}
    Slope operator()(f32v z) const {
        const f32v t = (k - z * scale) * 0.5f;
        f32v piece = floor_of(t);
        piece = choose(piece < 0.0f, splat(0.0f), piece);
        piece = choose(piece > k - 1.0f, splat(k - 1.0f), piece);
        const f32v sign = alternating(piece);
        return {sign * (1.0f - 2.0f * (t - piece)), sign * scale};
    }
    float scale, k;
};

struct Triangle {
    explicit Triangle(const Spec& spec) : scale(spec.scale), k((float)spec.degree) {}
    Slope operator()(f32v z) const {
        const f32v t = (k - z * scale) * 0.5f;
        const f32v piece = floor_of(t), sign = alternating(piece);
        return {sign * (1.0f - 2.0f * (t - piece)), sign * scale};
    }
    float scale, k;
};

struct Polynomial {
    explicit Polynomial(const Spec& spec) : spec(spec) {}
    Slope operator()(f32v z) const {  // Horner's rule for the polynomial and its derivative together
        const f32v x = z * spec.scale;
        f32v value = {}, slope = {};
        for (int i = 0; i <= spec.degree; i++) {
            slope = slope * x + value;
            value = value * x + spec.coefficients[i];
        }
        return {value, slope * spec.scale};
    }
    const Spec& spec;
};

// cos(pi (z - k) / 2). The period is 4 in z, so the argument is reduced exactly before it meets pi.
struct Sinusoid {
    explicit Sinusoid(const Spec& spec) : scale(spec.scale), k((float)spec.degree) {}
    Slope operator()(f32v z) const {
        const f32v x = z * scale - k;
        const f32v quarter = floor_of(x + 0.5f);  // nearest whole number: cos or sin, with a sign
        const f32v a = (x - quarter) * 1.57079632679489662f, q = a * a;  // |a| <= pi / 4
        // Taylor polynomials: the first terms left out are below 3e-8
        const f32v sine = a * (1.0f + q * (-1.0f / 6 + q * (1.0f / 120 + q * (-1.0f / 5040 + q * (1.0f / 362880)))));
        const f32v cosine = 1.0f + q * (-0.5f + q * (1.0f / 24 + q * (-1.0f / 720 + q * (1.0f / 40320))));
        const f32v turn = quarter - 4.0f * floor_of(quarter * 0.25f);  // 0, 1, 2, 3
        const i32v odd = (turn == 1.0f) | (turn == 3.0f);
        const f32v cos_sign = choose((turn == 1.0f) | (turn == 2.0f), splat(-1.0f), splat(1.0f));
        const f32v sin_sign = choose(turn >= 2.0f, splat(-1.0f), splat(1.0f));
        const f32v value = cos_sign * choose(odd, sine, cosine);
        const f32v height = sin_sign * choose(odd, cosine, sine);  // sin of the same argument
        return {value, height * (-1.57079632679489662f * scale)};
    }
    float scale, k;
};

}  // namespace ASSAY_ISA
