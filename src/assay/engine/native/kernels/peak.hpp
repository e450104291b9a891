// What the machine can do at most, for the roofline of docs/engines.md: operations a second of one core.
#pragma once

#include "clock.hpp"
#include "simd.hpp"

namespace ASSAY_ISA {

enum Peak { PEAK_FMA, PEAK_POPCOUNT, PEAK_LOAD };  // lanes of multiply-add, of 32-bit popcount, of 4-byte loads

template <class Pass>
INLINE double rate(double seconds, double lanes_a_pass, Pass pass) {
    const double began = seconds_now();
    double elapsed = 0, passes = 0;
    while (elapsed < seconds) {
        for (int i = 0; i < 1000; i++) pass();
        passes += 1000;
        elapsed = seconds_now() - began;
    }
    return passes * lanes_a_pass / elapsed;
}

// Forces the compiler to make a value, and to forget what it knows of it.
template <class Vector>
INLINE void touch(Vector& v) {
#if defined(__AVX512F__)
    asm volatile("" : "+v"(v));
#else
    asm volatile("" : "+m"(v));
#endif
}

INLINE double peak_rate(int kind, double seconds) {
    constexpr int CHAINS = 12, TURNS = 32;
    if (kind == PEAK_FMA) {
        f32v x[CHAINS];
        for (int i = 0; i < CHAINS; i++) x[i] = splat((float)i);
        const f32v a = splat(0.999f), b = splat(0.001f);
        return rate(seconds, (double)CHAINS * TURNS * LANES, [&] {
            for (int turn = 0; turn < TURNS; turn++) {
#pragma GCC unroll 12
                for (int i = 0; i < CHAINS; i++) x[i] = fma(x[i], a, b);
            }
#pragma GCC unroll 12
            for (int i = 0; i < CHAINS; i++) touch(x[i]);
        });
    }
    if (kind == PEAK_POPCOUNT) {
        u32v x[CHAINS];
        for (int i = 0; i < CHAINS; i++) x[i] = splat_bits(0x9E3779B9u * i);
        return rate(seconds, (double)CHAINS * TURNS * LANES, [&] {
            for (int turn = 0; turn < TURNS; turn++) {
#pragma GCC unroll 12
                for (int i = 0; i < CHAINS; i++) {
                    x[i] = (u32v)popcount(x[i]);
                    touch(x[i]);
                }
            }
        });
    }
    Buffer<float> memory;  // 16 KiB: in the first cache
    if (!memory.make(256 * LANES)) return 0;
    f32v total[4] = {};
    return rate(seconds, 256.0 * LANES, [&] {
        for (int i = 0; i < 256; i += 4) {
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++) {
                f32v own = load<f32v>(memory.data + (i + j) * LANES);
                total[j] = floats(bits(total[j]) ^ bits(own));
            }
        }
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) touch(total[j]);
    });
}

}  // namespace ASSAY_ISA
