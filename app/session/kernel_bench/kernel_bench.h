// SPDX-License-Identifier: Apache-2.0
// The benchmark of a kernel: one function of a built module called with chosen arguments, its results checked against a reference, and
// measured. What a run panel fills in and what a verdict strip shows; `hidetc try` is the same on the command line.
//
// Where the script's own tensors are asked for (no arguments are chosen, a fill is FromScript, or its own asserts are the
// reference) the script runs first, as `hidetc run` does it, and the benchmark repeats its first call of the function on copies
// of what it passed. Otherwise the script is only evaluated, as for a preview: none of its own calls run, so a script that
// works on large tensors can be tried on small ones. The benchmark never writes to a tensor of the script.
//
// Kernel figures come from a cubin of the chosen architecture, so they are there for emulated kernels too.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/bench/bench.h"
#include "app/session/compare/comparison.h"
#include "compiler/artifact/launch_shape.h"
#include "compiler/perf/occupancy.h"
#include "lang/base/result.h"

namespace hidet::session {

// ---- what can be tried ---------------------------------------------------------------------------------------------

enum class ParameterKind : std::uint8_t { Tensor, Pointer, Scalar, Text };

struct ParameterView {
    std::string name;
    ParameterKind kind = ParameterKind::Scalar;
    std::string dtype;              // "f32": of the scalar or of the elements; empty: not a number
    std::vector<std::string> shape; // of a Tensor: "64", "m" for a dynamic dimension, "?" for an expression
    bool read = false;              // memory behind it; both are false for scalars
    bool written = false;
    // What the script passes in its first call of the function, as far as the preview knows it.
    std::vector<std::string> script_shape; // "16"; "?" where it depends on data
    std::string script_value;              // of a scalar: "64"
};

struct FunctionSignature {
    std::string name;
    std::string kind;    // "cuda_kernel", "cpu_kernel", "public"
    Place site;          // where the script defines it
    bool called = false; // by the script, so that a benchmark can take its arguments from there
    std::vector<ParameterView> parameters;
    std::vector<std::string> dimensions; // names of dynamic dimensions, each once
    std::vector<std::string> references; // host functions of the script that take what this one takes
};

struct ModuleSignatures {
    int number = 0; // 1-based, as in a preview
    Place site;
    std::vector<FunctionSignature> functions; // what a script can call, `launch` first where there is one
};

struct SignatureResult : Outcome {
    std::vector<ModuleSignatures> modules;
};

// Evaluates the script without data. `calls` are of kernel factories, as PreviewRequest has them.
SignatureResult signatures(const Source& source, const std::vector<std::string>& calls = {},
                           const std::atomic<bool>* cancelled = nullptr);

// ---- what to try ---------------------------------------------------------------------------------------------------

enum class Fill : std::uint8_t {
#define HIDET_FILL(name, text, summary) name,
#include "app/session/kernel_bench/fills.def"
};
struct FillInfo {
    Fill fill;
    const char* name; // "random"
    const char* summary;
};
const std::vector<FillInfo>& all_fills(); // in table order
std::optional<Fill> find_fill(std::string_view name);

struct ArgumentSpec {
    std::string name;               // of the parameter
    std::string dtype;              // "f32", "float32"; empty: the parameter's. Pointers may be given another one
    std::vector<std::string> shape; // "64", or a name of KernelBenchRequest::dimensions; empty: as the parameter says
    Fill fill = Fill::Default;
    std::string file;  // File: a path, relative to the script's folder unless it is absolute
    std::string value; // of a scalar: "64", "2.5", "True"; empty: that of the dimension of the same name
};
// "a=f32[64,80]:random", "a=:zeros", "a=[m,80]", "a=data.npy", "n=64". The error says what is wrong with the text.
Result<ArgumentSpec> parse_argument(std::string_view text);

enum class ReferenceKind : std::uint8_t {
    None,
    Automatic, // the script's own asserts of its own call; else a function of it that is called a reference; else, on
               // a device, the emulator where that takes little
    ScriptFunction, // a host function: called with copies of the inputs, or of all arguments, by name where the names fit;
                    // returns the results, or writes to the arguments that the function that is measured writes to
    Variant,      // a function of another module, of this script or of another one, called with copies of the arguments
    Emulator,     // the same module, emulated with every access checked
    ScriptChecks, // the script's own asserts
};

struct Reference {
    ReferenceKind kind = ReferenceKind::None;
    std::string function;         // ScriptFunction, Variant (empty: the same name)
    int module = 0;               // Variant: 1-based; 0: the first that has the function
    std::optional<Source> script; // Variant: another script
};

struct Dimension {
    std::string name;
    std::int64_t value = 0;
};

struct Sweep {
    std::string
        name; // a dynamic dimension, a scalar parameter, an axis of an argument ("a.0"), a name in braces of a call
    std::vector<std::int64_t> values; // empty: no sweep
};

struct KernelBenchProgress {
    std::string text;    // "measuring 'matmul'"
    double fraction = 0; // of everything, 0 to 1; never goes back
};

// What `against` says for the generated kernel beside the one that replaces it.
inline constexpr const char* generated_baseline = "generated";

struct KernelBenchRequest {
    RunRequest run;                 // script, target, seed, tools, limits, cancel, print
    std::vector<std::string> calls; // of kernel factories; "{m}" stands for the dimension m: "matmul({m}, 64, 64)"
    int module = 0;                 // 1-based; 0: the first that fits
    std::string function; // empty: the first that the script calls; `launch` or the only one where it calls none
    std::vector<ArgumentSpec> arguments;
    std::vector<Dimension> dimensions; // values of dynamic dimensions, and of names in shapes and calls
    Reference reference;
    Tolerance tolerance;
    bool measure = true;
    bool figures = true; // of the kernels; needs NVRTC
    std::string arch;    // of the figures; empty: that of the GPU it runs on, else default_arch
    std::optional<Sweep> vary;
    std::string against; // measured in turns with this, as BenchRequest has it
    // Or with a function of another script, which is to compute the same: a Variant.
    std::optional<Reference> other;
    std::string save; // a folder that is there: the tensors of the call are written to it; empty: they are not
    std::function<void(const KernelBenchProgress&)> progress; // called on the thread of the request
};

// ---- what came out -------------------------------------------------------------------------------------------------

struct OwnerLaunch {
    std::string kernel;
    artifact::LaunchShape shape;
};

// A tensor that a call took, as it was when the call had ended or failed, in a .npy file.
struct SavedTensor {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    bool is_written = false; // by the call
    std::string file;        // empty: `refusal` says why
    std::string wanted_file; // what it should be; empty: not known
    std::string wanted_dtype;
    double absolute = 0; // tolerated
    double relative = 0;
    std::string refusal;
    bool is_before = false; // as it was before the call, which failed and took its results with it
    std::optional<std::array<std::int64_t, 3>> block; // of a tensor of a block's memory: whose it was
    bool is_asked = true;                             // likewise: it is the block that was asked for
    std::string memory;                               // likewise: "shared" or "registers"
    std::optional<int> found_at; // likewise: the line of the finding that it is as of; nothing: as the block left it
    std::string written_file;    // likewise: which elements something was written to; empty: all of them
    std::string owner_file;      // who wrote each element: numbers that owner_of() reads; empty: nobody asked
    std::vector<OwnerLaunch> owner_launches;
};

using perf::grid_text;
using perf::Occupancy;
using perf::occupancy_text;
using perf::waves_text;

struct KernelView {
    std::string name;
    std::string arch;                            // "sm_90a"
    std::optional<KernelFacts> facts;            // registers, spills, stack, static shared memory
    std::string unavailable;                     // why there are no facts; empty where there are
    std::optional<artifact::LaunchShape> launch; // the last one; nothing: it was not launched
    std::int64_t launches = 0;                   // by one call
    std::int64_t dynamic_shared() const { return launch ? launch->dynamic_shared : 0; } // bytes
    std::optional<Occupancy> occupancy;
};
std::string registers_text(const KernelFacts& facts); // "32 registers per thread, no spills"

struct SweepPoint {
    std::int64_t value = 0;
    std::string shapes;
    Verdict verdict;
    std::optional<double> max_absolute; // the largest of its comparisons; nothing: no element was compared
    std::int64_t bad = 0;
    std::optional<BenchRow> measured;
    std::string unavailable; // why it was not measured
};

struct KernelBenchResult : Outcome {
    RunSummary summary;
    std::string script;
    int module = 0; // which one it was
    std::string function;
    std::string shapes;                  // "f32[64, 80], f32[80, 96], f32[64, 96], 64"
    std::string where;                   // "emulator", "CPU, 2 threads", the name of a GPU
    std::string other_size;              // that it is right at too: "n = 32, emulated"; empty: none was tried
    std::string reference;               // in words: "'expected', a function of the script"
    Verdict verdict;                     // with a sweep the worst of its points
    std::vector<Comparison> comparisons; // with a sweep: of its first point that is wrong, else of the last one
    std::optional<BenchRow> measured;    // likewise
    std::optional<double> bytes_per_second;
    std::optional<double> flops_per_second; // nothing: measured->flops_unknown says why
    Roofline roofline;
    std::vector<KernelView> kernels;
    std::vector<SweepPoint> sweep;
    // Where they were asked for; with a sweep: of its last point. Of a call that failed: as they were then.
    std::vector<SavedTensor> tensors;
};

KernelBenchResult bench_kernel(const KernelBenchRequest& request);

} // namespace hidet::session
