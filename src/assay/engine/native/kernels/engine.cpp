// The kernels of one instruction set, as a table of functions. Compiled once for each (portable.cpp, avx2.cpp, avx512.cpp)
// into a library of its own, with ASSAY_ISA as its name.
#include "peak.hpp"
#include "trial.hpp"

namespace ASSAY_ISA {

static void* begin(const Spec* spec, const float* params, const Progress* progress) {
    Trial* trial = new Trial(*spec);
    if (trial->begin(params, progress)) return trial;
    delete trial;
    return nullptr;
}
static int32_t advance(void* trial, int64_t until, double seconds) {
    return ((Trial*)trial)->advance(until, seconds);
}
static void look(void* trial, Progress* to) { *to = ((Trial*)trial)->look(); }
static int64_t size(const Spec* spec) { return Sizes(*spec).total(); }
static void params(void* trial, float* to) { ((Trial*)trial)->params(to); }
static int32_t measure(void* trial, int32_t wanted, Numbers* to) { return ((Trial*)trial)->measure(wanted, to); }
static void end(void* trial) { delete (Trial*)trial; }

// The first `count` training examples of a step, as packed words [example][Q] and labels +-1.
static void examples(const Spec* spec, int64_t step, int32_t count, uint32_t* packed, float* labels) {
    Examples source(*spec);
    Batch batch;
    if (!source.make() || !batch.make(source.a_step() > SLAB ? source.a_step() : SLAB, spec->n)) return;
    source.training(step, batch);
    for (int s = 0; s < count; s++) {
        for (int q = 0; q < batch.Q; q++) packed[s * batch.Q + q] = batch.slab_words(s / SLAB)[q * SLAB + s % SLAB];
        labels[s] = batch.label[s / SLAB] >> s % SLAB & 1 ? -1.0f : 1.0f;
    }
}
static void answers(void* trial, int32_t count, float* outputs) { ((Trial*)trial)->answers(count, outputs); }
static double peak(int32_t kind, double seconds) { return peak_rate(kind, seconds); }

}  // namespace ASSAY_ISA

#define TEXT(x) #x
#define NAME(x) TEXT(x)

// The one symbol of a library: nothing else is seen from outside.
extern "C" __attribute__((visibility("default"))) const Engine assay_engine = {
    ASSAY_ABI,          sizeof(Spec),       NAME(ASSAY_ISA),     ASSAY_ISA::begin,    ASSAY_ISA::advance, ASSAY_ISA::look,
    ASSAY_ISA::size,    ASSAY_ISA::params,  ASSAY_ISA::measure,  ASSAY_ISA::end,      ASSAY_ISA::examples,
    ASSAY_ISA::answers, ASSAY_ISA::peak,
};
