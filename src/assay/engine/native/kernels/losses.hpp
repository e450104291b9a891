// Losses of outputs f at labels y = +-1 and their derivatives: assay.losses.signs, one struct each.
#pragma once

#include <math.h>

#include "activations.hpp"

namespace ASSAY_ISA {

// exp(x), relative error below 2e-7 (Cephes, expf): x = m ln 2 + r, and a polynomial in r.
INLINE f32v exponential(f32v x) {
    x = choose(x > 88.0f, splat(88.0f), choose(x < -87.0f, splat(-87.0f), x));
    const f32v m = floor_of(x * 1.44269504088896341f + 0.5f);
    const f32v r = (x - m * 0.693359375f) + m * 2.12194440e-4f;
    f32v p = splat(1.9875691500e-4f);
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    const u32v power = (u32v)(__builtin_convertvector(m, i32v) + 127) << 23;
    return (p * r * r + r + 1.0f) * floats(power);
}

// `slope(f, y)` is d loss / d f; `guessed` is the same for an f and y that are equal in all lanes, where the derivative has
// few values by a branch: the processor goes on with the likely one, and nothing waits for f. `value` is for one example, where a number is asked for. `size` grows without
// bounds, or becomes NaN, exactly where the loss does.
struct Hinge {
    static constexpr bool counts = true;  // the derivative is -y times 0 or 1
    static i32v active(f32v f, f32v y) { return ~(y * f >= 1.0f); }
    static f32v slope(f32v f, f32v y) { return choose(y * f < 1.0f, -y, splat(0.0f)); }
    static f32v guessed(f32v f, f32v y) {
        if (__builtin_expect(y[0] * f[0] < 1.0f, 1)) return -y;
        asm volatile("");  // keeps the compiler from choosing without a branch
        return splat(0.0f);
    }
    static f32v size(f32v f, f32v y) { return choose(y * f >= 1.0f, splat(0.0f), 1.0f - y * f); }
    static float value(float f, float y) { return y * f >= 1 ? 0 : 1 - y * f; }
};

struct Correlation {
    static constexpr bool counts = true;
    static i32v active(f32v, f32v) { return ~i32v{}; }
    static f32v slope(f32v, f32v y) { return -y; }
    static f32v guessed(f32v f, f32v y) { return slope(f, y); }
    static f32v size(f32v f, f32v y) { return -y * f; }
    static float value(float f, float y) { return -y * f; }
};

struct Square {
    static constexpr bool counts = false;
    static f32v slope(f32v f, f32v y) { return 2.0f * (f - y); }
    static f32v guessed(f32v f, f32v y) { return slope(f, y); }
    static f32v size(f32v f, f32v y) { return (y - f) * (y - f); }
    static float value(float f, float y) { return (y - f) * (y - f); }
};

struct Logistic {
    static constexpr bool counts = false;
    static f32v slope(f32v f, f32v y) { return -y / (1.0f + exponential(y * f)); }
    static f32v guessed(f32v f, f32v y) { return slope(f, y); }
    static f32v size(f32v f, f32v y) { return choose(y * f >= 0.0f, splat(0.0f), -y * f); }
    static float value(float f, float y) { return fmaxf(0, -y * f) + log1pf(expf(-fabsf(y * f))); }
};

// The same by the number of the loss, for sixteen outputs.
INLINE f32v slope_of(int32_t loss, f32v f, f32v y) {
    switch (loss) {
        case HINGE: return Hinge::slope(f, y);
        case SQUARE: return Square::slope(f, y);
        case LOGISTIC: return Logistic::slope(f, y);
        default: return Correlation::slope(f, y);
    }
}
INLINE f32v size_of(int32_t loss, f32v f, f32v y) {
    switch (loss) {
        case HINGE: return Hinge::size(f, y);
        case SQUARE: return Square::size(f, y);
        case LOGISTIC: return Logistic::size(f, y);
        default: return Correlation::size(f, y);
    }
}

}  // namespace ASSAY_ISA
