// SPDX-License-Identifier: Apache-2.0
// Whole models: a request names a file (ONNX, a graph document in JSON, or a script that traces a graph), results are plain
// values.
//
// Every request goes through the same stages (stages.h): import, optimise, plan, build; run and bench then run it. Without a
// GPU `auto` means the CPU; `emulate` runs the kernels for CUDA in the emulator.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/bench/bench.h"
#include "app/session/kernel_bench/kernel_bench.h"

namespace hidet::session {

struct ModelProgress {
    std::string what; // "compiling"
    std::size_t done = 0;
    std::size_t total = 0;
    double seconds = 0;      // since the stage began
    double seconds_left = 0; // if the rest takes as long as what is done
};
std::string progress_text(const ModelProgress& progress); // "compiling, 3 of 10"

struct ModelRequest {
    std::string path;
    Target target = Target::Auto;
    std::vector<Dimension> dims;   // "batch", 4
    bool specialise = true;        // an ONNX file, for them alone; else they are only extents of inputs
    std::string precision;         // "", "float16", "bfloat16", "tf32", "float32"
    std::string quantize;          // "", "int8", "int4", "fp8": the constant matrices of products
    double quantize_limit = 0;     // of the relative error of one; 0: that of the kind
    std::vector<std::string> off;  // passes and rules that do not run
    std::vector<std::string> on;   // those that do, though they are off by default
    std::string choices;           // a file
    std::string choices_text;      // in its place
    std::vector<std::string> with; // scripts with operators and rules of the user
    int traced = 0;                // of the graphs that a script traces, from 1 on; 0: the last
    // Texts of scripts that an editor holds, by path: they come before what is on disk.
    std::vector<std::pair<std::string, std::string>> texts;
    bool fuse = true;
    int space = 0;       // 0: schedules as templates choose them; 1, 2: tuned, from records or by measuring (tune.h)
    std::string records; // of tuning, a file; empty: the user's
    double deadline = 0; // seconds that tuning may take; 0: as many as it needs
    std::vector<std::string> tuned; // operators, by key or name, that are tuned; empty: all
    int processes = 1;              // that share the model: this one is of them
    int replicas = 1;               // of the model, among these: each computes a part of the batch
    int stages = 1; // as many as processes, each of which computes operators that follow each other, or 1
    int parts = 0;  // of the batch, which stages work on one behind the other; 0: as many as stages
    int rank = 0;   // which one
    std::vector<std::pair<std::string, std::string>> placements; // of operators: key, "split along 1"
    std::string meeting;                                         // where they meet, as init_process_group() has it
    std::function<bool()> is_left;                               // one of the others has ended, and will not come
    bool measures = true;                                        // tuning may; else what is recorded counts
    std::uint64_t seed = 0;
    double kernel_seconds = 60;
    std::shared_ptr<Tools> tools;
    std::string fault;
    const std::atomic<bool>* cancelled = nullptr;
    std::function<void(const ModelProgress&)> progress;
    std::function<void(std::string_view)> print;        // what the scripts print
    std::function<void(const DiagnosticView*)> calling; // as RunRequest has it
};

struct ModelTensor {
    std::string name;
    std::string dtype; // "float32"
    std::string shape; // "[1, seq, 768]"
};

struct ModelKernel {
    std::string name;
    std::vector<std::string> nodes; // what it computes, by their names or operators
    std::string program;            // key
    std::string schedule;           // the template of its operator; empty: the rules
    std::size_t launches = 0;       // steps of the plan that launch it
};

std::string tensors_text(const std::vector<ModelTensor>& tensors); // "x: float32[1, 3, 224, 224]", and so on

// A kernel that computes nothing: it only moves elements to where others want them.
struct ModelRearrangement {
    std::string name;                  // of its last operator, in the model
    std::vector<std::string> moves;    // the operators' kinds: "PermuteDims"
    std::optional<std::int64_t> bytes; // read and written; nothing: it depends on dynamic dimensions
};

// What became of the matrix of a product that was to have few bits.
struct ModelWeight {
    std::string node;
    double error = 0;             // relative: the root of the mean square
    double before = 0, after = 0; // bytes
    std::string left;             // why it is as it was; empty: it has few bits
};

// How an operator is divided among processes that share the model.
struct ModelPlacement {
    std::string node, op, placement; // "split along 1"
    std::string left;                // why every process computes all of it; empty: they share it
};

struct ModelFacts {
    std::string name;
    std::string producer;
    std::int64_t opset = 0;
    std::string target; // "cuda", "cpu"
    std::vector<ModelTensor> inputs, outputs;
    std::vector<std::string> symbols; // dynamic dimensions
    std::size_t imported_nodes = 0;
    std::size_t nodes = 0;  // after the passes
    std::size_t groups = 0; // that share a kernel, or stand alone
    std::size_t steps = 0;  // launches and host operators of a run
    std::size_t host_steps = 0;
    std::size_t programs = 0; // different ones
    std::size_t kernels = 0;  // functions of all programs
    std::size_t launches = 0; // of a run: a step may launch several functions
    double weight_bytes = 0;
    std::optional<std::int64_t> arena_bytes;        // nothing: it depends on dynamic dimensions
    std::optional<std::int64_t> arena_bound;        // no plan can do with less
    std::vector<std::string> refused;               // edges that were not fused, each with the reason
    std::vector<ModelRearrangement> rearrangements; // of a run
    std::vector<ModelWeight> quantized;             // as it was asked for
    std::vector<ModelPlacement> placements;         // where processes share the model
    std::string
        schedules; // that it runs with: "untuned", "2 of 14 kernels tuned at level 1"; empty: not known, or none to choose
    // Fused kernels of a run; equal ones count as often as they run.
    std::size_t launched() const { return steps - host_steps; }
};

enum class ModelForm : std::uint8_t { Text, Dot, Netron, Document };

struct ModelShowRequest : ModelRequest {
    ModelForm form = ModelForm::Text;
    std::string after;    // a pass, or "import"; empty: all
    bool every = false;   // after each pass that changed something
    bool verbose = false; // with compute definitions
    bool fused = false;   // groups as one operator
    bool kernels = false; // programs, steps and memory
    bool measure = false; // Document: runs the model on random inputs, and adds the times
};
struct ModelShowResult : Outcome {
    std::string text;
};
ModelShowResult show_model(const ModelShowRequest& request);

struct ModelCompileResult : Outcome {
    ModelFacts facts;
    std::vector<ModelKernel> kernels;
};
// `graph`: gets the text of the graph with its kernels, as of show_model(); may be null.
ModelCompileResult compile_model(const ModelRequest& request, std::string* graph = nullptr);

struct ModelRunRequest : ModelRequest {
    std::vector<std::pair<std::string, std::string>> inputs; // name, file (.npy, .pb)
    std::string data;                                        // folder of an ONNX test data set
    std::string expected;           // folder of output_0.npy, ...: as another run left them, likewise compared
    std::string output;             // folder for output_0.npy, ...
    std::string trace;              // file for a Chrome trace
    bool compare = false;           // node by node with an unfused run in float64
    bool results = false;           // and what is compared is written to `output` as well, up to 512 MiB in all
    std::optional<double> relative; // tolerance; nothing: from the dtype
    std::optional<double> absolute;
    bool trusts = false; // machine code of a package may run in this process
    std::string entry;   // of a package; empty: the first
};

struct ModelOutput {
    ModelTensor tensor;                   // its shape without symbols
    std::string summary;                  // "min -1.2, max 3.4, mean 0.1" or the first elements
    std::string file;                     // where it was written
    std::optional<Comparison> comparison; // with the recorded result
};

struct ModelNodeError { // of a value that the run made and the reference has
    std::string node;
    std::string op;
    std::string kernel;
    std::uint32_t node_id = UINT32_MAX;
    std::size_t step = 0; // of the plan
    double max_absolute = 0;
    double relative = 0;  // to the greatest magnitude in the reference
    double tolerance = 0; // that `relative` may reach
    bool is_bad = false;
    std::string dtype = {};
    std::string shape = {};       // "[3, 4]"
    std::string file = {};        // where the value was written; empty: it was not
    std::string wanted_file = {}; // what it should be
    double absolute = 0;          // that `max_absolute` may reach
};

// What a product loses by a matrix of few bits on the inputs of a run, all before it being exact. Relative: the root of the
// mean square.
struct ModelFewBits {
    std::string node;
    std::uint32_t node_id = UINT32_MAX; // of the model as it was imported
    std::string shape = {};             // of the matrix: "[3, 4]"
    double weight_error = 0;            // of the matrix
    double result_error = 0;            // of the product
};

struct ModelRunResult : Outcome {
    ModelFacts facts;
    std::string where; // "CPU, 2 threads"
    double run_ms = 0;
    bool is_replayed = false; // that run, as one CUDA graph, after one by steps
    std::vector<ModelOutput> outputs;
    std::vector<ModelNodeError> nodes; // with `compare`
    std::size_t nodes_not_compared = 0;
    std::vector<ModelFewBits> few_bits; // with `compare` and `quantize`, the worst first
};
ModelRunResult run_model(const ModelRunRequest& request);
// Of `compare`, in a sentence that front ends share: "all 31 operators are within tolerance; 9 have no counterpart".
std::string comparison_text(const ModelRunResult& result);

using perf::DeviceRoofs;

struct ModelStepRow {
    std::size_t step = 0; // of the plan
    std::string group;    // the key of its anchor
    std::vector<std::uint32_t> node_ids;
    std::string kernel;
    std::vector<std::string> nodes;
    double seconds = 0; // median
    double spread = 0;  // (p90 - p10) / median
    // In one run: where steps are replayed as one graph, they follow each other and take their medians.
    double start_seconds = 0;
    double run_seconds = 0;
    std::size_t launches = 0;
    bool is_host = false;
    double flops = 0;          // of its operators; 0: none, or not known
    double bytes = 0;          // of its arguments
    double least_seconds = 0;  // that the device allows, measured as `seconds` are
    double least_in_run = 0;   // beside the other steps, which take the cache from it
    double constant_bytes = 0; // of `bytes`
    std::string bound;         // what takes that long: "memory", "arithmetic", "launches"; empty: not known
    std::optional<double> recorded_seconds; // that it took before (recorded_times.h)
};
// What somebody measured before.
struct RecordedRun {
    std::string name;
    double seconds = 0;
};
struct ModelBenchResult : Outcome {
    ModelFacts facts;
    std::string where;
    bool is_emulated = false;
    TimesView times;
    bool is_replayed = false; // as one CUDA graph
    double host_us = 0;       // of a run that is replayed, until the host goes on
    double flops = 0;
    double bytes = 0;
    DeviceRoofs roofs;
    std::vector<ModelStepRow> steps; // in the order of the run
    std::vector<RecordedRun> against;
};
ModelBenchResult bench_model(const ModelRunRequest& request);

// How near a run comes to what the device allows, and what bounds it: "memory", "mostly memory" where kernels differ. Nothing
// where the limits are not known, or where the estimate of what a launch takes is too high for kernels as small as these.
struct RooflineShare {
    double least_seconds = 0;
    double reached = 0; // 0 to 1
    std::string bound;
};
std::optional<RooflineShare> roofline_share(const ModelBenchResult& result);

} // namespace hidet::session
