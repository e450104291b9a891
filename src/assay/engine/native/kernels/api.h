// What Python and the kernels say to each other: plain structures, the same for every instruction set.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ASSAY_ABI = 2, MASK_WORDS = 128 };
enum Model { MLP, NEURON, POLYNET, DISJOINT };
enum Activation { RELU, POWER, ZIGZAG, POLYNOMIAL, TRIANGLE, SINUSOID };
enum LossKind { HINGE, SQUARE, LOGISTIC, CORRELATION };
enum Source { ONLINE, OFFLINE, POPULATION };
enum Order { EPOCHS, REPLACEMENT, ALL, FRESH };
enum InitKind { UNIFORM, GAUSSIAN, SIGN, SPARSE };
enum BiasRule { BIAS_SAME, BIAS_ZERO, BIAS_UNIFORM };
enum Status { PAUSED, REACHED, SOLVED, DIVERGED };

// One trial: everything that its numbers depend on.
struct Spec {
    int32_t model, activation, degree, loss;
    int32_t n, rows, batch;  // inputs; neurons or factors; examples a step
    int32_t output, hidden_bias, output_bias;  // whether there is a second layer, and which biases
    int32_t source, order, samples;
    int32_t init, bias_rule, nonzeros;
    int32_t every, sample, allowed, fresh, streak;  // of the solve test; every = 0 stands for no test
    uint32_t seed, init_seed;  // the second for the first weights alone
    float init_scale, scale, noise;
    float rate[2], decay[2];  // of the first and the second layer: w <- w - decay w - rate gradient
    float coefficients[16];  // of the oscillating polynomial, highest power first
    uint32_t mask[MASK_WORDS];  // of the hidden subset, packed like an input
};

// Where a trial stands, beside its weights.
struct Progress {
    int64_t step, bad, checked, streak, suspect;  // bad, checked: -1 where there is none
    float loss;
};

// One record, in the order of the fields.
struct Numbers {
    float train_loss, train_error, eval_loss, eval_error, movement_linf, movement_l2, norm_l2;
};
enum Wanted { TRAIN = 1, EVAL = 2, WEIGHTS = 4 };

// The kernels of one instruction set.
struct Engine {
    int32_t abi, spec_bytes;  // to be compared before anything is called
    const char* isa;
    void* (*begin)(const struct Spec*, const float* params, const struct Progress*);  // params: null to draw them
    int32_t (*advance)(void*, int64_t until, double seconds);
    void (*look)(void*, struct Progress*);
    int64_t (*size)(const struct Spec*);  // number of parameters
    void (*params)(void*, float* to);  // layer by layer, weights before biases
    int32_t (*measure)(void*, int32_t wanted, struct Numbers*);  // 0 where there is no room
    void (*end)(void*);
    // for the tests of single tricks
    void (*examples)(const struct Spec*, int64_t step, int32_t count, uint32_t* packed, float* labels);
    void (*answers)(void*, int32_t count, float* outputs);  // for the first held-out examples
    double (*peak)(int32_t kind, double seconds);  // operations a second of one core: see peak.hpp
};

#ifdef __cplusplus
}
#endif
