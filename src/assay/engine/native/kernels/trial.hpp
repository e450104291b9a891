// One trial from its first weights to its end: batches, steps, the solve test, and what is measured.
#pragma once

#include "ahead.hpp"
#include "clock.hpp"
#include "counting.hpp"
#include "init.hpp"
#include "rows.hpp"

namespace ASSAY_ISA {

constexpr int SCREEN = 64;  // held-out examples that are answered one by one: guessing nets fail here
constexpr int BLOCK = 256;  // held-out examples a time beyond them
constexpr int PERIOD = 100;  // where there is no test a trial may be stopped at every so many steps (library.py)
constexpr int64_t WIDE = 1 << 14;  // neurons from which the whole test takes one slab at a time, for memory's sake

class Trial {
  public:
    explicit Trial(const Spec& given) : spec(given), examples(spec) {}
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial() { delete kernel; }

    // False where there is no room.
    bool begin(const float* params, const Progress* progress) {
        const int size = examples.a_step();
        block = spec.rows < WIDE ? BLOCK : SLAB;
        const int most = size > block ? size : block;
        if (!choose_kernel(most) || !examples.make() || !batch[0].make(size, spec.n) || !batch[1].make(size, spec.n) ||
            !probe.make(SCREEN, spec.n) || !block_batch.make(block, spec.n) || !suspect_input.make(batch[0].Q))
            return false;
        for (Buffer<float>& f : output)
            if (!f.make((size_t)most + SLAB)) return false;
        if (!block_output.make((size_t)block + SLAB)) return false;
        if (params) {
            kernel->set(params);
        } else {
            Buffer<float> drawn;
            if (!drawn.make(Sizes(spec).total())) return false;
            Initialiser(spec).fill(drawn.data);
            kernel->set(drawn.data);
        }
        at = progress ? *progress : Progress{0, -1, -1, 0, -1, 0};
        if (at.suspect >= 0) {
            uint32_t input[MASK_WORDS];
            examples.held_out(0, (uint32_t)at.suspect, 1, block_batch);
            input_of(block_batch, 0, input);
            suspect(at.suspect, input, label(block_batch, 0));
        }
        if (spec.every && !spec.fresh) examples.held_out(0, 0, screened(), probe);
        return true;
    }

    // Trains until step `until`, until it is solved or has diverged, or for about so many seconds.
    // The order of things is that of the engine `xla`: a check wherever the step is a multiple of `every`, then the ends.
    Status advance(int64_t until, double seconds) {
        const double deadline = seconds_now() + seconds;
        go_back();
        for (int64_t steps = 0;;) {
            if (spec.every && at.step % spec.every == 0 && at.checked != at.step) check();
            if (spec.every && at.streak >= spec.streak) return SOLVED;
            if (at.bad >= 0) return DIVERGED;
            if (at.step >= until) return REACHED;
            if (steps >= between_looks()) {
                if (seconds_now() > deadline) return PAUSED;
                steps = 0;
            }
            const int64_t next = next_period(at.step), then = next < until ? next : until;
            steps += then - at.step;
            while (at.step < then) kernel->steps_at_once() > 1 ? block_of_steps(then) : step();
        }
    }

    Progress look() {
        if (trained) at.loss = last_loss();
        return at;
    }

    void params(float* to) const { kernel->get(to); }

    // False where there is no room.
    bool measure(int wanted, Numbers* numbers) {
        if (wanted & TRAIN) {
            const Score score = over(spec.source == ONLINE ? spec.batch : spec.samples, true);
            numbers->train_loss = score.loss;
            numbers->train_error = score.error;
        }
        if (wanted & EVAL) {
            const Score score = over(spec.sample, false);
            numbers->eval_loss = score.loss;
            numbers->eval_error = score.error;
        }
        return !(wanted & WEIGHTS) || measure_weights(numbers);
    }

    void answers(int count, float* outputs) {
        for (int from = 0; from < count; from += block) {
            const int some = count - from < block ? count - from : block;
            examples.held_out(0, from, some, block_batch);
            evaluate(block_batch, block_output.data);  // which has room for what is answered beyond `some`
            memcpy(outputs + from, block_output.data, some * sizeof(float));
        }
    }

  private:
    // Steps between looks at the clock, at least: a step may take 20 ns.
    int64_t between_looks() const { return 1 + (1 << 22) / (Sizes(spec).total() * examples.a_step()); }
    struct Score {
        float loss, error;
    };

    const Spec spec;
    Examples examples;
    Kernel* kernel = nullptr;
    Progress at = {};
    Batch batch[2];  // what this step trains on, and what the last one did
    Buffer<float> output[2];
    int now = 0, current = 0;  // which of them
    bool drawn = false;  // whether batch[now] is that of at.step
    bool ready = false;  // whether the kernel has just answered it
    bool trained = false;  // whether a step was made since `begin`
    int block = 0;
    Batch probe, block_batch;
    Buffer<float> block_output, start;
    const Batch* last_block = nullptr;  // of steps made together, and where its last step begins
    int last_of_block = 0;
    int watched = -1;  // where in the block to come the suspect stands, or -1
    int64_t period_end = 0;  // the first multiple of the period behind the step that was last asked for
    int64_t cut_from = -1;  // where a block began that was cut short, or -1, and the weights there
    Buffer<float> cut_params;
    Buffer<uint32_t> suspect_input;  // the held-out example that the last failed check failed at
    float suspect_label = 0;

    // -- training --------------------------------------------------------------------------------------------------

    // The same examples at every step.
    bool fixed() const { return spec.order == ALL; }

    void step() {
        Batch& own = batch[now];
        Batch& next = fixed() ? own : batch[1 - now];
        if (!drawn) {
            examples.training(at.step, own);
            drawn = true;
        }
        if (!ready) {
            kernel->forward(own, output[current].data);
            ready = true;
        }
        if (!fixed()) examples.training(at.step + 1, next);
        const bool finite = kernel->update(own, output[current].data, &next, output[1 - current].data);
        if (!finite && at.bad < 0) at.bad = at.step;
        at.step++;
        trained = true;
        current = 1 - current;
        if (!fixed()) now = 1 - now;
    }

    // The first multiple of the period behind a step.
    int64_t next_period(int64_t step) {
        const int64_t period = spec.every ? spec.every : PERIOD;
        if (step >= period_end || step < period_end - period) period_end = (step / period + 1) * period;
        return period_end;
    }

    // Where a block that begins at a step ends: a matter of the step alone, so that stopping and looking change nothing.
    int64_t end_of_block(int64_t step) {
        const int64_t end = step + kernel->steps_at_once(), next = next_period(step);
        return end < next ? end : next;
    }

    // Several steps, up to `then` at most. A block that is cut short is for looking at: training goes on from its beginning.
    void block_of_steps(int64_t then) {
        const int64_t from = at.step, end = end_of_block(from);
        const bool whole = end <= then;
        Batch &own = batch[now], &next = batch[1 - now];
        if (!drawn) examples.ahead(from, (int)(end - from), own);
        drawn = true;
        if (!ready) kernel->look_ahead(own);
        ready = whole;
        if (!whole) {
            cut_from = from;
            kernel->get(cut_params.data);
        }
        at.step = whole ? end : then;
        const int steps = (int)(at.step - from);
        const int bad = kernel->steps_ahead(own, steps, output[0].data);
        if (whole) {
            examples.ahead(end, (int)(end_of_block(end) - end), next);
            watched = strict() && at.suspect >= 0 && end == next_period(from) ? next.append(suspect_input.data) : -1;
        }
        kernel->arrive(own, steps, whole ? &next : nullptr);
        if (bad >= 0 && at.bad < 0) at.bad = from + bad;
        last_of_block = (steps - 1) * spec.batch;
        last_block = &own;
        trained = true;
        if (whole) now = 1 - now;
    }

    // To the beginning of a block that was cut short.
    void go_back() {
        if (cut_from < 0) return;
        kernel->set(cut_params.data);
        at.step = cut_from;
        cut_from = -1;
    }

    // Mean loss of the last step's batch, before that step.
    float last_loss() const {
        if (kernel->steps_at_once() > 1) return mean_loss(*last_block, output[0].data, last_of_block, spec.batch);
        const Batch& own = fixed() ? batch[now] : batch[1 - now];
        return mean_loss(own, output[1 - current].data, 0, own.count);
    }

    float mean_loss(const Batch& own, const float* f, int first, int count) const {
        double total = 0;
        for (int s = first; s < first + count; s++) total += loss(f[s], label(own, s));
        return (float)(total / count);
    }

    // -- the solve test ----------------------------------------------------------------------------------------------

    int screened() const { return spec.sample < SCREEN ? spec.sample : SCREEN; }

    bool strict() const { return spec.every && spec.allowed == 0 && !spec.fresh; }

    static float label(const Batch& own, int s) { return own.label[s / SLAB] >> s % SLAB & 1 ? -1.0f : 1.0f; }
    static bool right(float f, float y) { return f * y > 0; }  // not for an output of 0, nor for NaN

    void check() {
        at.checked = at.step;
        at.streak = passes() ? at.streak + 1 : 0;
    }

    // Whether at most spec.allowed held-out answers are wrong. The first wrong answer too many ends it, and where none is
    // allowed the example that failed last time comes first: it mostly fails again, and where there is room for it among
    // the examples of the next steps its answer is known already. The decision is that of all answers.
    bool passes() {
        if (strict() && at.suspect >= 0) {
            const bool seen = ready && watched >= 0;
            const float f = seen ? kernel->answer_ahead(watched) : kernel->answer(suspect_input.data);
            if (!right(f, suspect_label)) return false;
        }
        if (spec.fresh) examples.held_out(at.step, 0, screened(), probe);
        int wrong = 0;
        uint32_t input[MASK_WORDS];
        for (int s = 0; s < screened(); s++) {
            input_of(probe, s, input);
            wrong += !right(kernel->answer(input), label(probe, s));
            if (wrong > spec.allowed) return failed_at(s, input, label(probe, s));
        }
        for (int from = screened(); from < spec.sample; from += block) {
            const int some = spec.sample - from < block ? spec.sample - from : block;
            examples.held_out(at.step, from, some, block_batch);
            evaluate(block_batch, block_output.data);
            for (int s = 0; s < some; s++) {
                wrong += !right(block_output[s], label(block_batch, s));
                if (wrong > spec.allowed) {
                    input_of(block_batch, s, input);
                    return failed_at(from + s, input, label(block_batch, s));
                }
            }
        }
        return true;
    }

    bool failed_at(int64_t example, const uint32_t* input, float y) {
        if (strict()) suspect(example, input, y);
        return false;
    }

    void suspect(int64_t example, const uint32_t* input, float y) {
        at.suspect = example;
        memcpy(suspect_input.data, input, probe.Q * sizeof(uint32_t));
        suspect_label = y;
    }

    static void input_of(const Batch& own, int s, uint32_t* input) {
        for (int q = 0; q < own.Q; q++) input[q] = own.slab_words(s / SLAB)[q * SLAB + s % SLAB];
    }

    // Outputs of some examples. A kernel remembers one batch at a time: the step that waits is answered again.
    void evaluate(const Batch& own, float* f) {
        kernel->forward(own, f);
        ready = false;
    }

    // -- measures ----------------------------------------------------------------------------------------------------

    float loss(float f, float y) const {
        switch (spec.loss) {
            case HINGE: return Hinge::value(f, y);
            case SQUARE: return Square::value(f, y);
            case LOGISTIC: return Logistic::value(f, y);
            default: return Correlation::value(f, y);
        }
    }

    // Mean loss and error over all training examples, or over the held-out sample.
    Score over(int64_t count, bool training) {
        double total = 0;
        int64_t wrong = 0;
        for (int64_t from = 0; from < count; from += block) {
            const int some = count - from < block ? (int)(count - from) : block;
            if (training)
                examples.trained_on(at.step, (uint32_t)from, some, block_batch);
            else
                examples.held_out_fixed((uint32_t)from, some, block_batch);
            evaluate(block_batch, block_output.data);
            for (int s = 0; s < some; s++) {
                const float y = label(block_batch, s);
                total += loss(block_output[s], y);
                wrong += !right(block_output[s], y);
            }
        }
        return {(float)(total / count), (float)((double)wrong / count)};
    }

    bool measure_weights(Numbers* numbers) {
        const int64_t total = Sizes(spec).total(), first = Sizes(spec).part[0];
        if (!start.size) {
            if (!start.make(total)) return false;
            Initialiser(spec).fill(start.data);
        }
        Buffer<float> current;
        if (!current.make(total)) return false;
        kernel->get(current.data);
        float largest = 0;
        double moved = 0, norm = 0;
        for (int64_t i = 0; i < total; i++) norm += (double)current[i] * current[i];
        for (int64_t i = 0; i < first; i++) {
            const float change = current[i] - start[i];
            if (!(fabsf(change) <= largest)) largest = fabsf(change);  // NaN stays
            moved += (double)change * change;
        }
        numbers->movement_linf = largest;
        numbers->movement_l2 = (float)sqrt(moved);
        numbers->norm_l2 = (float)sqrt(norm);
        return true;
    }

    // -- which kernel ------------------------------------------------------------------------------------------------

    bool counts() const {
        return spec.model == MLP && spec.activation == RELU && spec.scale == 1.0f &&
               (spec.loss == HINGE || spec.loss == CORRELATION);
    }
    bool looks_ahead() const { return spec.order != ALL && spec.batch <= MOST_AHEAD; }

    template <class K>
    bool take(int most) {
        K* made = new K(spec);
        kernel = made;
        return made->make(most);
    }

    template <class Sigma>
    bool take_sigma(int most) {
        if (spec.model != MLP) return take<Rows<NeuronHead<Sigma>>>(most);
        if (!looks_ahead()) return take<Dense<Sigma>>(most);
        return take<Ahead<Sigma>>(most) && cut_params.make(Sizes(spec).total());
    }

    bool choose_kernel(int most) {
        if (spec.model == POLYNET || spec.model == DISJOINT) return take<Rows<ProductHead>>(most);
        if (counts() && !looks_ahead()) return spec.loss == HINGE ? take<Counting<Hinge>>(most) : take<Counting<Correlation>>(most);
        switch (spec.activation) {
            case RELU: return take_sigma<Relu>(most);
            case POWER: return take_sigma<Power>(most);
            case ZIGZAG: return take_sigma<Zigzag>(most);
            case POLYNOMIAL: return take_sigma<Polynomial>(most);
            case TRIANGLE: return take_sigma<Triangle>(most);
            default: return take_sigma<Sinusoid>(most);
        }
    }
};

}  // namespace ASSAY_ISA
