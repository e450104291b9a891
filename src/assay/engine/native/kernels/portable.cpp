// The kernels for any machine, and the question which others it can run.
#define ASSAY_ISA portable
#include "engine.cpp"

#include <string.h>

// Asked before any other kernels are loaded, hence compiled for the plainest machine.
extern "C" __attribute__((visibility("default"))) int32_t assay_runs(const char* isa) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512vpopcntdq");
    if (!strcmp(isa, "avx2")) return avx2;
    if (!strcmp(isa, "avx512")) return avx512;
#endif
    return !strcmp(isa, "portable");
}
