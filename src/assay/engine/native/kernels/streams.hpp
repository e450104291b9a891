// The random streams of assay.maths.streams: the same numbers at the same addresses.
#pragma once

#include "simd.hpp"

namespace ASSAY_ISA {

struct Key {
    uint32_t a, b;
};

// Threefry-2x32, 20 rounds (Salmon et al. 2011), on single words or on vectors of them.
template <class K, class Word>
INLINE void threefry(K a, K b, Word& x0, Word& x1) {
    const K c = a ^ b ^ 0x1BD11BDAu;
    const K schedule[3] = {a, b, c};
    constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    x0 = x0 + a;
    x1 = x1 + b;
#pragma GCC unroll 5
    for (int group = 0; group < 5; group++) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            const int r = rotations[group % 2][i];
            x0 = x0 + x1;
            x1 = ((x1 << r) | (x1 >> (32 - r))) ^ x0;
        }
        x0 = x0 + schedule[(group + 1) % 3];
        x1 = x1 + schedule[(group + 2) % 3] + (uint32_t)(group + 1);
    }
}

// The key of sub-stream `number`.
INLINE Key fold_in(Key key, uint32_t number) {
    uint32_t x0 = 0, x1 = number;
    threefry(key.a, key.b, x0, x1);
    return {x0, x1};
}

// The keys of sixteen sub-streams.
struct Keys {
    u32v a, b;
};
INLINE Keys fold_in(Key key, u32v number) {
    u32v x0 = {}, x1 = number;
    threefry(key.a, key.b, x0, x1);
    return {x0, x1};
}

// The named streams of a trial; the numbers are crc32 of the names, as assay.maths.streams.name_number has it.
struct Streams {
    Key init, data, order, noise, eval;
    explicit Streams(uint32_t seed) {
        const Key root = {0, seed};
        init = fold_in(root, 0xC674E474u);
        data = fold_in(root, 0xADF3F363u);
        order = fold_in(root, 0xF5299398u);
        noise = fold_in(root, 0xFDA99629u);
        eval = fold_in(root, 0x4522BB5Au);
    }
};

// The words 2j and 2j+1 at each address.
template <class K>
INLINE void words(K a, K b, u32v index, uint32_t j, u32v& even, u32v& odd) {
    even = index;
    odd = splat_bits(j);
    threefry(a, b, even, odd);
}

// A number of [0, 1) with 24 random bits at each address.
template <class K>
INLINE f32v uniform(K a, K b, u32v index) {
    u32v word, unused;
    words(a, b, index, 0, word, unused);
    return to_float((i32v)(word >> 8)) * 0x1p-24f;
}

// A whole number below `bound` at each address: the upper half of word * bound, by 16-bit halves.
template <class K>
INLINE u32v below(K key, u32v index, uint32_t bound) {
    u32v word, unused;
    words(key.a, key.b, index, 0, word, unused);
    const u32v high = word >> 16, low = word & 0xFFFFu;
    const uint32_t bound_high = bound >> 16, bound_low = bound & 0xFFFFu;
    const u32v middle = high * bound_low + ((low * bound_low) >> 16);
    const u32v carry = low * bound_high + (middle & 0xFFFFu);
    return high * bound_high + (middle >> 16) + (carry >> 16);
}

// The element at each position of a random ordering of {0, ..., size-1}: a Feistel network, walked until inside.
template <class K>
INLINE u32v shuffled(K key, u32v position, uint32_t size) {
    int bits = 0;
    for (uint32_t left = size - 1; left; left >>= 1) bits++;
    const int half = bits < 2 ? 1 : (bits + 1) / 2;
    const uint32_t low_bits = (1u << half) - 1;
    u32v number = position;
    u32v walking = splat_bits(~0u);
    for (;;) {
        u32v left = number >> half, right = number & low_bits;
        for (uint32_t turn = 0; turn < 6; turn++) {
            u32v mixed = right, unused = splat_bits(turn);
            threefry(key.a, key.b, mixed, unused);
            const u32v next = left ^ (mixed & low_bits);
            left = right;
            right = next;
        }
        const u32v reached = (left << half) | right;
        number = (reached & walking) | (number & ~walking);
        walking = (u32v)(number >= size);
        bool outside = false;
        for (int lane = 0; lane < LANES; lane++) outside |= walking[lane] != 0;
        if (!outside) return number;
    }
}

}  // namespace ASSAY_ISA
