// Examples as bits. An input of n bits is Q = ceil(n / 32) words, bit i % 32 of word i / 32 being 1 where x_i = -1.
//
// Examples come in slabs of 32, so that one word holds one coordinate of a whole slab. Each slab is kept both ways:
//   packed[slab][q][s]   word q of example s: sums over coordinates look up tables by its bits
//   columns[slab][i]     coordinate i of all 32 examples: sums over examples count or look up its bits
// and label[slab], whose bit s is 1 where y = -1: the parity of the word's bits on the hidden subset.
#pragma once

#include "api.h"
#include "streams.hpp"

namespace ASSAY_ISA {

constexpr int SLAB = 32;

struct Batch {
    int count = 0, slabs = 0, Q = 0;
    Buffer<uint32_t> packed, columns, label, valid;

    bool make(int most, int n) {
        Q = (n + 31) / 32;
        const size_t room = (most + SLAB - 1) / SLAB;
        return packed.make(room * Q * SLAB) && columns.make(room * Q * SLAB) && label.make(room) && valid.make(room);
    }
    void set_count(int n) {
        if (n == count) return;
        count = n;
        slabs = (n + SLAB - 1) / SLAB;
        for (int slab = 0; slab < slabs; slab++) {
            const int left = n - slab * SLAB;
            valid[slab] = left >= SLAB ? ~0u : (1u << left) - 1;
        }
    }
    // One more input at the end of at most sixteen; its place, or -1 where there is none left.
    int append(const uint32_t* input) {
        if (count >= LANES) return -1;
        for (int q = 0; q < Q; q++) packed[q * SLAB + count] = input[q];
        set_count(count + 1);
        return count - 1;
    }
    uint32_t* slab_words(int slab) { return packed.data + (size_t)slab * Q * SLAB; }
    const uint32_t* slab_words(int slab) const { return packed.data + (size_t)slab * Q * SLAB; }
    const uint32_t* slab_columns(int slab) const { return columns.data + (size_t)slab * Q * SLAB; }
    // Sixteen labels as numbers +-1; `half` counts the halves of slabs.
    f32v labels(int half) const { return signs(label[half / 2], half % 2 * LANES); }
};

// The transpose of a 32 x 32 matrix of bits: bit s of out[i] is bit i of in[s]. Five exchanges of blocks, each half the
// size of the one before (Warren, Hacker's Delight, section 7-3), on two registers at once.
INLINE void transpose(const uint32_t* in, uint32_t* out) {
    u32v low = load<u32v>(in), high = load<u32v>(in + LANES);
    u32v first = (low & 0xFFFFu) | (high << 16), second = (low >> 16) | (high & 0xFFFF0000u);
    const u32v lane = lane_numbers();
    constexpr uint32_t masks[4] = {0x00FF00FFu, 0x0F0F0F0Fu, 0x33333333u, 0x55555555u};
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const uint32_t step = 8 >> i;
        const u32v upper = (u32v)((lane & step) != 0);  // lanes that hold the second word of a pair
        const u32v keep = (upper & ~masks[i]) | (~upper & masks[i]);
        u32v* both[2] = {&first, &second};
        for (u32v* words : both) {
            const u32v other = shuffle(*words, lane ^ step);
            const u32v moved = (upper & (other >> step)) | (~upper & (other << step));
            *words = (*words & keep) | (moved & ~keep);
        }
    }
    store(out, first);
    store(out + LANES, second);
}

// Where the examples of a trial come from: what assay.tasks.data and assay.tasks.parity say, for sixteen at a time.
class Examples {
  public:
    explicit Examples(const Spec& spec) : spec(spec), streams(spec.seed), Q((spec.n + 31) / 32), coordinates(~0u >> (32 * Q - spec.n)) {}

    bool make() {
        for (int lane = 0; lane < LANES; lane++) {
            turn[lane] = lane / a_step();
            place[lane] = lane % a_step();
        }
        return drawn.make(SLAB, spec.n) && queue.make((size_t)Q * QUEUE);
    }

    // Examples that a step trains on.
    int a_step() const { return spec.order == ALL ? spec.samples : spec.batch; }
    // Training examples there are; where they are fresh, those of a step.
    int total() const { return spec.source == ONLINE ? spec.batch : spec.samples; }

    // What step `step` trains on.
    void training(int64_t step, Batch& batch) {
        const int size = a_step();
        batch.set_count(size);
        if (size <= LANES / 2 && spec.order != ALL) {
            ahead(step, 1, batch);
        } else {
            const Key key = spec.order == REPLACEMENT ? fold_in(streams.order, (uint32_t)step)
                            : spec.order == EPOCHS    ? fold_in(streams.order, epoch(step))
                                                 : Key{};
            for (int half = 0; half * LANES < size; half++) {
                u32v index = lane_numbers() + (uint32_t)(half * LANES);
                if (spec.order == REPLACEMENT) index = below(key, index, spec.samples);
                if (spec.order == EPOCHS) index = shuffled(key, inside(index, size) + first_of_turn(step), spec.samples);
                draw_training(step, index, batch, half);
            }
        }
        turn_over(batch);
    }

    // What `steps` steps from `step` on train on, at most sixteen examples, one step after the other. Those of as many
    // steps as fit are drawn with one pass of the cipher; what is not asked for yet waits.
    void ahead(int64_t step, int steps, Batch& batch) {
        const int wanted = steps * a_step();
        if (step != waiting_from) {
            waiting_from = step;
            waiting = 0;
        }
        while (waiting < wanted) {
            draw_steps(waiting_from + waiting / a_step(), drawn);
            for (int q = 0; q < Q; q++) store(queue.data + q * QUEUE + waiting, load<u32v>(drawn.packed.data + q * SLAB));
            queue_labels = (queue_labels & ((1u << waiting) - 1)) | drawn.label[0] << waiting;
            waiting += LANES / a_step() * a_step();
        }
        batch.set_count(wanted);
        for (int q = 0; q < Q; q++) {
            uint32_t* own = queue.data + q * QUEUE;
            store(batch.packed.data + q * SLAB, load<u32v>(own));
            store(own, load<u32v>(own + wanted));
        }
        batch.label[0] = queue_labels & batch.valid[0];
        queue_labels >>= wanted;
        waiting -= wanted;
        waiting_from += steps;
    }

    // Training examples first, ..., first + count - 1, with their labels as trained on.
    void trained_on(int64_t step, uint32_t first, int count, Batch& batch) {
        batch.set_count(count);
        for (int half = 0; half * LANES < count; half++)
            draw_training(step, lane_numbers() + (first + half * LANES), batch, half);
    }

    // Held-out examples first, ..., with clean labels; those of the step where each check has a sample of its own.
    void held_out(int64_t step, uint32_t first, int count, Batch& batch) const {
        draw_held_out(spec.fresh ? fold_in(streams.eval, (uint32_t)step) : streams.eval, first, count, batch);
    }
    void held_out_fixed(uint32_t first, int count, Batch& batch) const { draw_held_out(streams.eval, first, count, batch); }

  private:
    const Spec& spec;
    const Streams streams;
    const int Q;
    const uint32_t coordinates;  // which bits of the last word are coordinates
    int64_t keys_from = -1;
    Keys data_keys, noise_keys;  // of the sixteen steps from `keys_from`
    u32v turn, place;  // of sixteen examples drawn together: which step, which example of it
    static constexpr int QUEUE = 3 * LANES;  // fewer than sixteen wait, sixteen come, and as many are read at a time
    Batch drawn;
    Buffer<uint32_t> queue;  // examples that wait, those of step `waiting_from` first: [word][place]
    uint32_t queue_labels = 0;
    int64_t waiting_from = -1;
    int waiting = 0;

    void turn_over(Batch& batch) const {
        for (int slab = 0; slab < batch.slabs; slab++)
            for (int q = 0; q < Q; q++) {
                const size_t at = ((size_t)slab * Q + q) * SLAB;
                transpose(batch.packed.data + at, batch.columns.data + at);
            }
    }

    uint32_t epoch(int64_t step) const { return (uint32_t)(step / (spec.samples / spec.batch)); }
    uint32_t first_of_turn(int64_t step) const { return (uint32_t)(step % (spec.samples / spec.batch)) * spec.batch; }

    void draw_held_out(Key key, uint32_t first, int count, Batch& batch) const {
        batch.set_count(count);
        for (int half = 0; half * LANES < count; half++)
            draw(key.a, key.b, lane_numbers() + (first + half * LANES), batch, half);
    }

    // Inputs and clean labels at sixteen addresses of the stream with key (a, b), into half a slab.
    template <class K>
    void draw(K a, K b, u32v index, Batch& batch, int half) const {
        uint32_t* to = batch.slab_words(half / 2) + half % 2 * LANES;
        u32v odd_bits = {};
        for (int q = 0; q < Q; q += 2) {
            u32v even, odd;
            words(a, b, index, (uint32_t)(q / 2), even, odd);
            if (q == Q - 1) even &= coordinates;
            if (q == Q - 2) odd &= coordinates;
            store(to + q * SLAB, even);
            odd_bits ^= even & spec.mask[q];
            if (q + 1 < Q) {
                store(to + (q + 1) * SLAB, odd);
                odd_bits ^= odd & spec.mask[q + 1];
            }
        }
        set_labels(batch.label[half / 2], half % 2, lowest_bits((u32v)popcount(odd_bits)));
    }

    void draw_training(int64_t step, u32v index, Batch& batch, int half) {
        if (spec.source == ONLINE && keys_from != step / LANES * LANES) {
            keys_from = step / LANES * LANES;
            const u32v steps = lane_numbers() + (uint32_t)keys_from;
            data_keys = fold_in(streams.data, steps);
            if (spec.noise > 0) noise_keys = fold_in(streams.noise, steps);
        }
        const int lane = (int)(step - keys_from);
        const bool online = spec.source == ONLINE;
        const Key data = online ? Key{data_keys.a[lane], data_keys.b[lane]} : streams.data;
        if (spec.source == POPULATION) {  // example number i is the input whose bits are i
            store(batch.slab_words(half / 2) + half % 2 * LANES, index);
            set_labels(batch.label[half / 2], half % 2, lowest_bits((u32v)popcount(index & spec.mask[0])));
        } else {
            draw(data.a, data.b, index, batch, half);
        }
        if (spec.noise > 0) {
            const Key noise = online ? Key{noise_keys.a[lane], noise_keys.b[lane]} : streams.noise;
            flip(batch.label[half / 2], half % 2, uniform(noise.a, noise.b, index));
        }
    }

    // Sixteen examples of successive steps, of `size` each, from `step` on.
    void draw_steps(int64_t step, Batch& batch) {
        const u32v steps = turn + (uint32_t)step;
        u32v index = place;
        if (spec.order == REPLACEMENT) index = below(fold_in(streams.order, steps), place, spec.samples);
        if (spec.order == EPOCHS) {
            u32v epochs, positions = place;
            for (int lane = 0; lane < LANES; lane++) {
                epochs[lane] = epoch(steps[lane]);
                positions[lane] += first_of_turn(steps[lane]);
            }
            index = shuffled(fold_in(streams.order, epochs), positions, spec.samples);
        }
        batch.set_count(LANES);
        if (spec.source == POPULATION) {
            store(batch.packed.data, index);
            set_labels(batch.label[0], 0, lowest_bits((u32v)popcount(index & spec.mask[0])));
        } else if (spec.source == ONLINE) {
            const Keys data = fold_in(streams.data, steps);
            draw(data.a, data.b, index, batch, 0);
        } else {
            draw(streams.data.a, streams.data.b, index, batch, 0);
        }
        if (spec.noise > 0 && spec.source == ONLINE) {
            const Keys noise = fold_in(streams.noise, steps);
            flip(batch.label[0], 0, uniform(noise.a, noise.b, index));
        } else if (spec.noise > 0) {
            flip(batch.label[0], 0, uniform(streams.noise.a, streams.noise.b, index));
        }
    }

    void flip(uint32_t& labels, int half, f32v draw) const {
        labels ^= lowest_bits((u32v)(draw < spec.noise)) << half * LANES;
    }

    // Lanes behind the end of a batch stand for its first example.
    static u32v inside(u32v index, int size) { return index & (u32v)(index < (uint32_t)size); }

    static void set_labels(uint32_t& word, int half, uint32_t labels) {
        word = half ? (word & 0xFFFFu) | (labels << LANES) : labels;
    }
};

}  // namespace ASSAY_ISA
