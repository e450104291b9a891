// The kernels for x86 machines with AVX-512 and its popcount.
#define ASSAY_ISA avx512
#include "engine.cpp"
