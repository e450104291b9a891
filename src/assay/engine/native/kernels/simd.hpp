// Sixteen lanes of 32 bits, with the compiler's vector extensions: one source for AVX-512, AVX2, NEON and plain C++.
//
// This file and all that include it are compiled once for each instruction set, into a library of its own (ASSAY_ISA).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ASSAY_ISA {

constexpr int LANES = 16;

// Whether a vector is one register, so that sixteen of them need not go through memory.
#if defined(__AVX512F__)
constexpr bool ONE_REGISTER = true;
#else
constexpr bool ONE_REGISTER = false;
#endif

typedef float f32v __attribute__((vector_size(4 * LANES)));
typedef uint32_t u32v __attribute__((vector_size(4 * LANES)));
typedef int32_t i32v __attribute__((vector_size(4 * LANES)));

#define INLINE static inline __attribute__((always_inline))

INLINE f32v splat(float x) { return x - f32v{}; }
INLINE u32v splat_bits(uint32_t x) { return x | u32v{}; }

template <class Vector>
INLINE Vector load(const void* from) {
    Vector v;
    memcpy(&v, from, sizeof v);
    return v;
}
template <class Vector>
INLINE void store(void* to, Vector v) {
    memcpy(to, &v, sizeof v);
}

INLINE u32v bits(f32v x) { return (u32v)x; }
INLINE f32v floats(u32v x) { return (f32v)x; }
INLINE f32v to_float(i32v x) { return __builtin_convertvector(x, f32v); }
INLINE f32v choose(i32v mask, f32v yes, f32v no) { return mask ? yes : no; }
INLINE u32v lane_numbers() { return u32v{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
INLINE u32v rotate_left(u32v x, int by) { return (x << by) | (x >> (32 - by)); }

// a b + c in one rounding where the machine can: written out, since the compiler may otherwise round once in one copy
// of a loop and twice in another, and a trial's numbers would depend on which of them it went through.
INLINE f32v fma(f32v a, f32v b, f32v c) {
#if defined(__AVX512F__)
    return (f32v)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__) && defined(__FMA__)
    __m256 low = _mm256_fmadd_ps(((__m256*)&a)[0], ((__m256*)&b)[0], ((__m256*)&c)[0]);
    __m256 high = _mm256_fmadd_ps(((__m256*)&a)[1], ((__m256*)&b)[1], ((__m256*)&c)[1]);
    f32v result;
    memcpy(&result, &low, 32);
    memcpy((char*)&result + 32, &high, 32);
    return result;
#else
    return a * b + c;  // compiled with -ffp-contract=off: two roundings, everywhere
#endif
}

// Some of the lanes, as whatever the machine compares into (NaN counts as positive), and what is done in these only.
#if defined(__AVX512F__)
typedef __mmask16 Lanes;
INLINE Lanes positive(f32v x) { return _mm512_cmp_ps_mask((__m512)x, _mm512_setzero_ps(), _CMP_NLE_UQ); }
INLINE u32v or_where(Lanes on, u32v x, u32v more) {
    return (u32v)_mm512_mask_or_epi32((__m512i)x, on, (__m512i)x, (__m512i)more);
}
INLINE f32v fma_where(Lanes on, f32v a, f32v b, f32v c) {
    return (f32v)_mm512_mask3_fmadd_ps((__m512)a, (__m512)b, (__m512)c, on);
}
INLINE f32v where(Lanes on, f32v x) { return (f32v)_mm512_maskz_mov_ps(on, (__m512)x); }
INLINE Lanes lanes_of(uint32_t word, int first) { return (__mmask16)(word >> first); }  // where a bit is 1
#else
typedef i32v Lanes;
INLINE Lanes positive(f32v x) { return ~(x <= 0); }
INLINE u32v or_where(Lanes on, u32v x, u32v more) { return x | ((u32v)on & more); }
INLINE f32v fma_where(Lanes on, f32v a, f32v b, f32v c) { return choose(on, fma(a, b, c), c); }
INLINE f32v where(Lanes on, f32v x) { return floats((u32v)on & bits(x)); }
INLINE Lanes lanes_of(uint32_t word, int first) { return (i32v)(splat_bits(word) << (31u - first - lane_numbers())) >> 31; }
#endif

// The bits that are 1 in each lane.
INLINE i32v popcount(u32v x) {
#if defined(__AVX512VPOPCNTDQ__)
    return (i32v)_mm512_popcnt_epi32((__m512i)x);
#else  // Warren, Hacker's Delight, figure 5-2
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (i32v)((x * 0x01010101u) >> 24);
#endif
}

// The lowest bits of the lanes as one word.
INLINE uint32_t lowest_bits(u32v x) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)x, _mm512_set1_epi32(1));
#else
    x = (x & 1u) << lane_numbers();
    for (int width = LANES / 2; width >= 1; width /= 2)
        for (int lane = 0; lane < width; lane++) x[lane] |= x[lane + width];
    return x[0];
#endif
}

// table[index mod 16] in each lane: a table of 16 numbers is one register.
INLINE f32v lookup(f32v table, u32v index) {
#if defined(__AVX512F__)
    return (f32v)_mm512_permutexvar_ps((__m512i)index, (__m512)table);
#elif defined(__AVX2__)
    f32v result;
    __m256 low = ((__m256*)&table)[0], high = ((__m256*)&table)[1];
    for (int half = 0; half < 2; half++) {
        __m256i i = ((__m256i*)&index)[half];
        __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(i, 28));  // bit 3 of the index becomes the sign: which half
        __m256 found =
            _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, i), _mm256_permutevar8x32_ps(high, i), upper);
        memcpy((char*)&result + 32 * half, &found, 32);
    }
    return result;
#else
    f32v result;
    for (int lane = 0; lane < LANES; lane++) result[lane] = table[index[lane] & 15];
    return result;
#endif
}

// x[index mod 16], for bits.
INLINE u32v shuffle(u32v x, u32v index) { return bits(lookup(floats(x), index)); }

// The sum of all lanes, always in the same order: halves onto halves.
INLINE float sum(f32v x) {
#if defined(__AVX512F__)  // what the compiler makes of the loop below takes three times as long
    __m512 v = (__m512)x;
    __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
#else
    for (int width = LANES / 2; width >= 1; width /= 2)
        for (int lane = 0; lane < width; lane++) x[lane] += x[lane + width];
    return x[0];
#endif
}

// The sum of all lanes, in each of them.
INLINE f32v sums_everywhere(f32v x) {
#if defined(__AVX512F__)
    __m512 v = (__m512)x;
    v = _mm512_add_ps(v, _mm512_shuffle_f32x4(v, v, 0x4E));
    v = _mm512_add_ps(v, _mm512_shuffle_f32x4(v, v, 0xB1));
    v = _mm512_add_ps(v, _mm512_shuffle_ps(v, v, 0x4E));
    return (f32v)_mm512_add_ps(v, _mm512_shuffle_ps(v, v, 0xB1));
#else
    return splat(sum(x));
#endif
}

// +1 where a bit is 0, -1 where it is 1: lane j reads bit `first + j` of the word.
INLINE f32v signs(uint32_t word, int first) {
#if defined(__AVX512F__)
    return (f32v)_mm512_mask_blend_ps((__mmask16)(word >> first), _mm512_set1_ps(1.0f), _mm512_set1_ps(-1.0f));
#endif
    u32v own = splat_bits(word) >> (lane_numbers() + (uint32_t)first);
    return floats((own << 31) | 0x3f800000u);
}

// Memory of the trial, aligned to a cache line and filled with zeros.
template <class T>
struct Buffer {
    T* data = nullptr;
    size_t size = 0;
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { free(data); }
    // False where there is no room.
    bool make(size_t count) {
        free(data);
        size_t bytes = (count * sizeof(T) + 127) / 64 * 64;
        data = (T*)aligned_alloc(64, bytes);
        size = data ? count : 0;
        if (data) memset(data, 0, bytes);
        return data != nullptr;
    }
    T& operator[](size_t i) { return data[i]; }
    const T& operator[](size_t i) const { return data[i]; }
};

}  // namespace ASSAY_ISA
