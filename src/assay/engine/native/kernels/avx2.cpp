// The kernels for x86 machines with AVX2, FMA and BMI2.
#define ASSAY_ISA avx2
#include "engine.cpp"
