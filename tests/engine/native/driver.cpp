// Takes trials (structures Spec, read from a file) through everything that kernels can be asked for. Compiled with the
// sanitisers by test_sanitized.py: what they find ends it with an error.
#include "engine.cpp"

#include <cstdio>
#include <vector>

static const Engine& kernels = assay_engine;

static bool take(const Spec& spec) {
    const int64_t size = kernels.size(&spec);
    std::vector<float> params(size);  // no room to spare: what is written beyond its end is found
    Progress progress;
    Numbers numbers;
    void* trial = kernels.begin(&spec, nullptr, nullptr);
    if (!trial) return false;
    kernels.advance(trial, 13, 60);  // cuts a block of steps
    kernels.look(trial, &progress);
    kernels.advance(trial, 40, 60);
    kernels.params(trial, params.data());
    kernels.look(trial, &progress);
    bool well = kernels.measure(trial, TRAIN | EVAL | WEIGHTS, &numbers);
    kernels.advance(trial, 47, 60);
    std::vector<float> outputs(37);
    kernels.answers(trial, (int32_t)outputs.size(), outputs.data());
    kernels.end(trial);

    trial = kernels.begin(&spec, params.data(), &progress);  // goes on from there
    if (!trial) return false;
    kernels.advance(trial, 55, 60);
    kernels.look(trial, &progress);
    kernels.end(trial);

    const int count = spec.order == ALL ? spec.samples : spec.batch;
    std::vector<uint32_t> packed((size_t)count * ((spec.n + 31) / 32));
    std::vector<float> labels(count);
    kernels.examples(&spec, 3, count, packed.data(), labels.data());
    return well;
}

int main(int, char** arguments) {
    FILE* file = fopen(arguments[1], "rb");
    if (!file) return 2;
    Spec spec;
    int taken = 0;
    for (; fread(&spec, sizeof spec, 1, file) == 1; taken++)
        if (!take(spec)) return 3;
    fclose(file);
    kernels.peak(0, 1e-3);
    printf("%d trials\n", taken);
}
