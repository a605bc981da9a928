// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_options.h"

#include "app/session/model/processes.h"
#include "app/session/worker/compile_pool.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "app/cli/text/numbers.h"
#include "lang/base/columns.h"
#include "lang/base/printable.h"

namespace hidet::cli {

using namespace session;

bool read_dimensions(const std::vector<std::string>& texts, std::vector<Dimension>& dimensions) {
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        std::int64_t extent = 0;
        if (equals == 0 || equals == std::string::npos || !read_number(text.substr(equals + 1), extent) || extent < 0)
            return wrong_usage(cat("'", text, "' is not a dimension, such as 'batch=4'"));
        dimensions.push_back({text.substr(0, equals), extent});
    }
    return true;
}

namespace {

bool g_shows_progress = false; // a line of it stands on the terminal

// One line of a terminal, written over and over; nothing where standard error is a file.
void show_progress(const ModelProgress& progress) {
    const std::string left =
        progress.seconds_left >= 1 ? cat(", ", static_cast<int>(progress.seconds_left), " s left") : "";
    std::fprintf(stderr, "\r%s%s\033[K", progress_text(progress).c_str(), left.c_str());
    std::fflush(stderr);
    g_shows_progress = true;
}

} // namespace

void add_model(Verb& action, ModelOptions& options) {
    action.file(
        "MODEL", options.request.path,
        "an ONNX file, a graph that was saved (*.hidet) or its document (*.json), or a script (*.py) that traces a "
        "graph; 'run' also takes a package (*.hidet)");
    add_model_options(action, options);
}

void add_model_options(Verb& action, ModelOptions& options) {
    action.number("--graph", options.request.traced, "N", "of a script: which of the graphs that it traces (the last)")
        .between(1, 64);
    action.flag("--json", options.json, "one JSON document on standard output");
    add_target(action, options.request.target, "where it runs");
    add_compilation(action, options);
    action.text("--fault", options.request.fault, "STAGE", "raise an internal error in this stage").hidden();
}

void add_compilation(Verb& action, ModelOptions& options) {
    action.texts("--dim", options.dimensions, "NAME=N", "the value of a dynamic dimension: batch=4");
    action.texts("--off", options.request.off, "NAME", "a pass or rule that shall not run");
    action.texts("--on", options.request.on, "NAME", "a rule that is off by default and shall run");
    action.texts("--with", options.request.with, "SCRIPT", "a script with operators and rules of your own");
    action.flag("--no-fusion", options.no_fusion, "each operator is a kernel of its own");
    action.text("--precision", options.request.precision, "DTYPE", "compute in float16, bfloat16, tf32 or float32")
        .one_of({"float16", "bfloat16", "tf32", "float32"});
    action
        .text("--quantize", options.request.quantize, "KIND",
              "store the constant matrices of products in few bits: int8, int4 (in groups of 128) or fp8 (e4m3)")
        .one_of({"int8", "int4", "fp8"});
    action.number(
        "--quantize-limit", options.request.quantize_limit, "ERROR",
        "the largest relative error of such a matrix, above which it stays (int8: 0.03, int4: 0.16, fp8: 0.05)");
    action.text("--choices", options.request.choices, "FILE", "decisions about fusions, rewrites and precisions");
    action
        .number("--space", options.request.space, "N",
                "0: kernels as their templates choose; 1, 2: those as 'hidetc tune' found them of which it did")
        .between(0, 2);
    action.text("--records", options.request.records, "FILE", "what tuning has measured (one file of the user's)");
}

// What was measured counts where schedules are chosen by it.
static bool fits_space(const ModelRequest& options) {
    return options.records.empty() || options.space != 0 ||
           wrong_usage("'--records' is of tuning, and '--space 0', which is the default, has none: give '--space 1' or "
                       "'--space 2'");
}

static bool fits_quantize(const ModelRequest& options) {
    if (options.quantize_limit < 0)
        return wrong_usage("'--quantize-limit' is a relative error, such as 0.1");
    return options.quantize_limit == 0 || !options.quantize.empty() ||
           wrong_usage("'--quantize-limit' is of '--quantize', which says in how many bits weights are stored");
}

// "data=2,tensor=2"
static bool read_mesh(const ModelOptions& options, ModelRequest& request) {
    if (options.mesh.empty())
        return true;
    if (request.processes != 1)
        return wrong_usage("'--tensor-parallel' and '--mesh' both say how many processes there are");
    std::map<std::string, std::int64_t> counts = {{"data", 0}, {"tensor", 0}, {"pipe", 0}, {"parts", 0}};
    for (const std::string& axis : split(options.mesh, ',')) {
        const std::size_t equals = axis.find('=');
        const auto count = counts.find(axis.substr(0, equals));
        if (count == counts.end() || count->second != 0 || equals == std::string::npos ||
            !read_number(axis.substr(equals + 1), count->second) || count->second < 1 || count->second > most_processes)
            return wrong_usage(cat("'", axis, "' is no axis of a mesh, such as 'data=2', 'tensor=4' or 'pipe=2'"));
    }
    const auto asked = [&](const char* axis) { return static_cast<int>(std::max<std::int64_t>(counts.at(axis), 1)); };
    request.replicas = asked("data");
    request.stages = asked("pipe");
    request.parts = static_cast<int>(counts.at("parts"));
    request.processes = request.replicas * asked("tensor") * request.stages;
    if (request.stages > 1 && request.stages != request.processes)
        return wrong_usage(cat("'--mesh ", options.mesh,
                               "': stages of a pipeline are one process each, so 'pipe' goes ",
                               "without 'data' and 'tensor'"));
    if (request.parts > 0 && request.stages == 1)
        return wrong_usage(cat("'--mesh ", options.mesh, "': 'parts' of the batch are what stages of 'pipe' work on"));
    return request.processes <= most_processes ||
           wrong_usage(cat("'--mesh ", options.mesh, "' is of ", request.processes, " processes, and ", most_processes,
                           " are the most"));
}

static bool read_places(const ModelOptions& options, ModelRequest& request) {
    for (const std::string& text : options.places) {
        const std::size_t equals = text.rfind('=');
        if (equals == 0 || equals == std::string::npos)
            return wrong_usage(cat("'", text, "' places no operator: 'conv1=whole' does"));
        request.placements.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return request.placements.empty() || request.processes > 1 ||
           wrong_usage("'--place' is of processes that share a model: '--tensor-parallel' says how many");
}

bool fill(const ModelOptions& options, const Cancelled& cancelled, ModelRequest& request) {
    request = options.request;
    if (!fits_space(request) || !fits_quantize(request) || !read_dimensions(options.dimensions, request.dims) ||
        !read_mesh(options, request) || !read_places(options, request))
        return false;
    if (request.traced != 0 && !request.path.ends_with(".py") && !options.other.ends_with(".py"))
        return refuse_option("--graph", "a script", request.path);
    request.print = [](std::string_view text) { std::fputs(for_terminal(text).c_str(), stderr); };
    request.fuse = !options.no_fusion;
    request.tools = open_confined_tools();
    request.cancelled = &cancelled;
    if (isatty(2) && !options.json)
        request.progress = show_progress;
    return true;
}

void end_progress() {
    if (std::exchange(g_shows_progress, false))
        std::fputs("\r\033[K", stderr);
}

std::string title_of_model(const ModelFacts& facts) {
    return facts.name.empty() ? "model" : facts.name;
}

std::string launches_text(const ModelFacts& facts) {
    return (facts.launches == 1 ? "1 launch" : cat(facts.launches, " launches")) +
           (facts.host_steps > 0 ? cat(", ", count_of(facts.host_steps, "step"), " on the host") : "");
}

void add_processes(Verb& action, ModelOptions& options) {
    action
        .number("--tensor-parallel", options.request.processes, "N",
                "processes of this machine that share the operators of the model and its weights")
        .between(1, most_processes);
    action.text("--mesh", options.mesh, "AXES",
                "the same as replicas that compute parts of the batch, and processes that share the operators of each: "
                "data=2,tensor=2; or as stages that each have some of the operators, one behind the other: pipe=2, of "
                "a batch in parts=4 (2)");
    action.texts("--place", options.places, "NODE=PLACE",
                 "how processes share an operator, in place of what takes least time: whole, 'split along 1', 'partial "
                 "sums'");
}

std::string placements_text(const ModelFacts& facts) {
    struct Row {
        const ModelPlacement* first = nullptr;
        std::size_t count = 0;
    };
    std::vector<Row> rows;
    std::size_t shared = 0;
    for (const ModelPlacement& each : facts.placements) {
        const auto row = std::ranges::find_if(rows, [&](const Row& known) {
            return known.first->op == each.op && known.first->placement == each.placement &&
                   known.first->left == each.left;
        });
        shared += each.left.empty() ? 1 : 0;
        if (row == rows.end())
            rows.push_back({&each, 1});
        else
            ++row->count;
    }
    std::vector<Cells> cells;
    for (const Row& row : rows)
        cells.push_back({{row.count > 1 ? cat(row.count, " x ", row.first->op) : row.first->op},
                         {row.first->placement},
                         {row.first->left}});
    return rows.empty() ? ""
                        : cat("shared operators: ", shared, " of ", facts.placements.size(), "\n", columns_text(cells));
}

void add_inputs(Verb& action, ModelInputOptions& options) {
    action.text("--data", options.data, "DIR", "a folder with input_0.pb, ..., compared with its output_0.pb, ...");
    action.texts("--input", options.inputs, "NAME=FILE",
                 "an input from a file (.npy, .pb): x=x.npy; the others are random");
    action.number("--seed", options.seed, "N", "of random inputs");
    add_timeout(action, options.timeout);
    add_remote(action, options.remote);
}

bool take_remote(const std::string& name, const ModelRequest& request, RemoteWorker& out) {
    if (!name.empty() && !request.records.empty())
        return wrong_usage(
            "'--records' is a file of this machine, and '--remote' keeps what is measured on the other one");
    if (!name.empty() && request.processes > 1)
        return wrong_usage("processes share a model on this machine: what is of several goes without '--remote'");
    int exit = exit_usage;
    return take_remote(name, out, exit);
}

bool fill(const ModelInputOptions& options, ModelRunRequest& request) {
    for (const std::string& text : options.inputs) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos)
            return wrong_usage(cat("'", text, "' is not an input, such as 'x=x.npy'"));
        request.inputs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    request.data = options.data;
    request.seed = options.seed;
    request.kernel_seconds = options.timeout;
    return true;
}

} // namespace hidet::cli
