// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/cli/execution.h"
#include "app/cli/measured_text.h"
#include "app/cli/model_options.h"
#include "app/cli/numbers.h"
#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/verbs.h"
#include "app/session/model/compile.h"

namespace hidet::cli {

namespace {

using namespace session;

bool read_dims(const ModelOptions& options, ModelRequest& request) {
    for (const std::string& text : options.dimensions) {
        const std::size_t equals = text.find('=');
        std::int64_t extent = 0;
        if (equals == 0 || equals == std::string::npos || !read_number(text.substr(equals + 1), extent) || extent < 0)
            return wrong_usage(DiagId::BadValue, cat("'", text, "' is no dimension; 'batch=4' would be one"));
        request.dims.emplace_back(text.substr(0, equals), extent);
    }
    return true;
}

bool read_inputs(const ModelOptions& options, ModelRunRequest& request) {
    for (const std::string& text : options.inputs) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos)
            return wrong_usage(DiagId::BadValue, cat("'", text, "' is no input; 'x=x.npy' would be one"));
        request.inputs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    if (options.tolerance.empty())
        return true;
    const std::vector<std::string> parts = split(options.tolerance, ',');
    double absolute = 0, relative = 0;
    if (parts.size() != 2 || !read_number(parts[0], absolute) || !read_number(parts[1], relative) || !(absolute >= 0) ||
        !(relative >= 0))
        return wrong_usage(DiagId::BadValue, cat("'", options.tolerance,
                                                 "' is no tolerance; '1e-5,1e-3' would be one: absolute, relative"));
    request.absolute = absolute;
    request.relative = relative;
    return true;
}

// One line of a terminal, written over and over; nothing where standard error is a file.
void show_progress(const ModelProgress& progress) {
    if (progress.total == 0)
        return;
    const std::string left =
        progress.seconds_left >= 1 ? cat(", ", static_cast<int>(progress.seconds_left), " s left") : "";
    std::fprintf(stderr, "\r%s %zu of %zu%s\033[K%s", progress.what.c_str(), progress.done, progress.total,
                 left.c_str(), progress.done == progress.total ? "\r\033[K" : "");
    std::fflush(stderr);
}

void fill(const ModelOptions& options, const Cancelled& cancelled, ModelRequest& request) {
    request.path = options.file;
    request.target = target_of(options.target.target);
    request.precision = options.precision;
    request.off = options.off;
    request.on = options.on;
    request.with = options.with;
    request.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
    request.choices = options.choices;
    request.fuse = !options.no_fusion;
    request.seed = options.seed;
    request.kernel_seconds = options.target.timeout;
    request.tools = open_tools();
    request.fault = options.fault;
    request.cancelled = &cancelled;
    if (isatty(2) && !options.json)
        request.progress = show_progress;
}

void fill_run(const ModelOptions& options, const Cancelled& cancelled, ModelRunRequest& request) {
    fill(options, cancelled, request);
    request.data = options.data;
    request.output = options.out;
    request.trace = options.trace;
    request.compare = options.compare;
}

std::string bytes_text(double bytes) {
    char text[32];
    const char* units[] = {"B", "KiB", "MiB", "GiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit)
        bytes /= 1024;
    std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return text;
}

std::string tensors_text(const std::vector<ModelTensor>& tensors) {
    std::vector<std::string> parts;
    for (const ModelTensor& tensor : tensors)
        parts.push_back(cat(tensor.name, ": ", tensor.dtype, tensor.shape));
    return join(parts, ", ");
}

std::string text_of(const ModelFacts& facts) {
    std::string out = cat(facts.name.empty() ? "model" : facts.name, " for ", facts.target);
    if (facts.opset > 0)
        out += cat(", opset ", facts.opset, facts.producer.empty() ? "" : ", by " + facts.producer);
    out += cat("\n  inputs     ", tensors_text(facts.inputs), "\n  outputs    ", tensors_text(facts.outputs),
               "\n  operators  ", facts.nodes, " of ", facts.imported_nodes, " imported\n  kernels    ", facts.kernels,
               " in ", count_of(facts.programs, "program"), ", ", count_of(facts.steps, "step"));
    if (facts.host_steps > 0)
        out += cat(", ", facts.host_steps, " of them on the host");
    out += cat("\n  weights    ", bytes_text(facts.weight_bytes), "\n  memory     ");
    out += facts.arena_bytes ? cat(bytes_text(static_cast<double>(*facts.arena_bytes)), ", at least ",
                                   bytes_text(static_cast<double>(*facts.arena_bound)), " are needed at once")
                             : "depends on " + join(facts.symbols, ", ");
    return out + "\n";
}

std::string stages_text(const std::vector<StageTime>& stages) {
    std::string out;
    for (const StageTime& stage : stages)
        out += cat("  ", stage.stage, std::string(stage.stage.size() < 10 ? 11 - stage.stage.size() : 1, ' '),
                   seconds_text(stage.ms * 1e-3), "\n");
    return out;
}

std::string text_of(const ModelOutput& output) {
    std::string out =
        cat(output.tensor.name, ": ", output.tensor.dtype, output.tensor.shape, " ", output.summary, "\n");
    if (!output.file.empty())
        out += cat("  written to ", output.file, "\n");
    if (output.comparison && output.comparison->bad == 0 && output.comparison->refusal.empty())
        out += cat("  as recorded: differs by at most ", figure(output.comparison->max_absolute), "\n");
    return out;
}

// Where errors grow: the table of operators, worst last known beside each.
std::string text_of(const std::vector<ModelNodeError>& nodes, std::size_t not_compared) {
    std::string out;
    for (const ModelNodeError& node : nodes)
        out += cat(node.is_bad ? "  wrong " : "  fine  ", figure(node.relative), " (", figure(node.max_absolute), ") ",
                   node.node, " [", node.op, "]\n");
    return out + cat("  ", count_of(nodes.size(), "operator"), " compared with float64, ", not_compared,
                     " without a counterpart\n");
}

int show(const ModelOptions& options, const Cancelled& cancelled) {
    ModelShowRequest request;
    if (!read_dims(options, request))
        return exit_usage;
    fill(options, cancelled, request);
    request.form = options.json                 ? ModelForm::Document
                   : options.format == "dot"    ? ModelForm::Dot
                   : options.format == "netron" ? ModelForm::Netron
                                                : ModelForm::Text;
    request.after = options.after;
    request.every = options.all;
    request.verbose = options.verbose;
    request.fused = options.fused;
    request.kernels = options.kernels;
    request.measure = options.measure;
    const ModelShowResult result = show_model(request);
    if (result.status != Status::Fine && options.json)
        print_text(json_of(static_cast<const Outcome&>(result)));
    else
        print_text(result.text);
    if (!options.json || result.status == Status::Fine)
        print_diagnostics(result.diagnostics);
    return end_of(result);
}

int compile(const ModelOptions& options, const Cancelled& cancelled) {
    ModelRequest request;
    if (!read_dims(options, request))
        return exit_usage;
    fill(options, cancelled, request);
    const ModelCompileResult result = compile_model_to_file(request, options.out);
    if (options.json) {
        print_text(json_of(result));
        return end_of(result);
    }
    if (result.status == Status::Fine)
        print_text(text_of(result.facts) + stages_text(result.stages));
    print_diagnostics(result.diagnostics);
    return end_of(result);
}

bool wants_file(const ModelOptions& options, std::size_t programs) {
    if (options.kind != "cubin")
        return true;
    if (programs > 1)
        return wrong_usage(DiagId::BadValue, cat("'cubin' is one binary file, and there are ", programs,
                                                 " programs; name an operator with --node"));
    return !options.out.empty() || wrong_usage(DiagId::BadValue, "'cubin' is binary; name a file with --output");
}

// The programs one after the other, each with what it computes.
std::string text_of(const ModelOptions& options, const ModelCodeResult& result) {
    const char* comment = options.kind == "ir" || options.kind == "bytecode" ? "#" : "//";
    std::string out;
    for (const ModelProgram& program : result.programs) {
        if (program.module.forms.empty())
            continue;
        const FormSnapshot& form = *program.module.forms.front();
        if (options.kind == "cubin")
            return form.bytes;
        std::vector<std::string> names;
        for (const ModelOperatorLine& each : result.operators)
            if (std::ranges::find(program.nodes, each.node) != program.nodes.end() &&
                (names.empty() || names.back() != each.name))
                names.push_back(each.name);
        out += cat(out.empty() ? "" : "\n", comment, " program ", program.key, ": ", join(names, ", "),
                   program.uses.size() > 1 ? cat(", in ", program.uses.size(), " places") : "", "\n",
                   body_of(options.lines, form.text));
    }
    return out;
}

int emit_code(const ModelOptions& options, const Cancelled& cancelled) {
    ModelCodeRequest request;
    if (!read_dims(options, request))
        return exit_usage;
    fill(options, cancelled, request);
    request.node = options.node;
    request.forms = {*find_form(options.kind)};
    if (!options.arch.empty())
        request.arch = options.arch;
    const ModelCodeResult result = code_of_model(request);
    if (options.json) {
        print_text(json_of(result));
        return end_of(result);
    }
    print_diagnostics(result.diagnostics);
    if (result.status != Status::Fine)
        return end_of(result);
    if (!wants_file(options, result.programs.size()))
        return exit_usage;
    const std::string text = text_of(options, result);
    if (options.out.empty()) {
        print_text(text);
        return exit_fine;
    }
    DiagnosticSink sink;
    if (write_text(options.out, text, sink))
        return exit_fine;
    for (const Diagnostic& diagnostic : sink.all())
        print_diagnostics({view_of(diagnostic, SourceMap{})});
    return exit_environment;
}

int run(const ModelOptions& options, const Cancelled& cancelled) {
    ModelRunRequest request;
    if (!read_dims(options, request) || !read_inputs(options, request))
        return exit_usage;
    fill_run(options, cancelled, request);
    const ModelRunResult result = run_model(request);
    if (options.json) {
        print_text(json_of(result));
        return end_of(result);
    }
    for (const ModelOutput& output : result.outputs)
        print_text(text_of(output));
    if (!result.nodes.empty())
        print_text(text_of(result.nodes, result.nodes_not_compared));
    if (!result.where.empty())
        print_note(cat("ran on ", result.where, ": ", count_of(result.facts.steps, "step"), ", ",
                       seconds_text(result.run_ms * 1e-3)));
    print_diagnostics(result.diagnostics);
    return end_of(result);
}

std::string text_of(const ModelStepRow& row, double total) {
    std::string out = cat("  ", seconds_text(row.seconds), "  ", figure(row.seconds / total * 100), " %  ", row.kernel);
    if (row.flops > 0)
        out += ", " + rate_text(row.flops, row.seconds, "FLOP/s");
    return out + ", " + rate_text(row.bytes, row.seconds, "B/s") + "  " + join(row.nodes, ", ") + "\n";
}

int bench_verb(const ModelOptions& options, const Cancelled& cancelled) {
    ModelRunRequest request;
    if (!read_dims(options, request) || !read_inputs(options, request))
        return exit_usage;
    fill_run(options, cancelled, request);
    const ModelBenchResult result = bench_model(request);
    if (options.json) {
        print_text(json_of(result));
        return end_of(result);
    }
    if (result.times.count > 0) {
        char spread[32];
        std::snprintf(spread, sizeof spread, "%.0f %%", result.times.spread * 100);
        print_text(cat(result.facts.name.empty() ? "model" : result.facts.name, " on ", result.where, "\n  ",
                       seconds_text(result.times.median), " (spread ", spread, ", ", result.times.count, " runs",
                       result.is_replayed ? ", replayed as a CUDA graph" : "", "), ",
                       rate_text(result.flops, result.times.median, "FLOP/s"), "\n"));
        double total = 0;
        for (const ModelStepRow& row : result.steps)
            total += row.seconds;
        for (const ModelStepRow& row : result.steps)
            print_text(text_of(row, total));
    }
    print_diagnostics(result.diagnostics);
    return end_of(result);
}

} // namespace

int model(const ModelOptions& options, const Cancelled& cancelled) {
    if (options.action == "show")
        return show(options, cancelled);
    if (options.action == "compile")
        return compile(options, cancelled);
    if (options.action == "emit")
        return emit_code(options, cancelled);
    return options.action == "run" ? run(options, cancelled) : bench_verb(options, cancelled);
}

} // namespace hidet::cli
