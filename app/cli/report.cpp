// SPDX-License-Identifier: Apache-2.0
// hidetc report: one page of HTML about a script or a model.
#include "app/session/report/report.h"

#include <algorithm>

#include "app/cli/model_options.h"
#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/verbs.h"
#include "app/session/worker/compile_pool.h"
#include "app/session/worker/run_in_worker.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ReportOptions {
    std::string file;
    std::string out;
    PreviewRequest preview;
    std::string history;
    bool no_compile = false;
    bool no_run = false;
    bool measure = false;
    session::Target target = session::Target::Auto;
};

bool is_model(const std::string& file) {
    return file.ends_with(".onnx") || file.ends_with(".json");
}

int write_page(const std::string& file, const std::string& page) {
    if (!write_file(file, page))
        return exit_environment;
    print_note(cat("wrote ", file));
    return exit_fine;
}

// On the emulator, for what it finds and for its pipelines.
RunResult emulated(const PreviewRequest& preview, const Cancelled& cancelled) {
    RunRequest request;
    request.source = preview.source;
    request.target = Target::Emulate;
    request.all_checks = request.times = true;
    request.cancelled = &cancelled;
    return run_in_worker(request);
}

constexpr std::size_t most_graphs = 8; // of a script on its page

// Those that the script traces, the first ones of many. They are for the GPU that figures are assumed for, so that a page
// is the same everywhere.
std::vector<SnapshotPtr> graphs_of(const PreviewRequest& preview) {
    ModelViewRequest request;
    request.path = preview.source.name;
    request.texts = {{preview.source.name, preview.source.text}};
    request.target = Target::Emulate;
    request.tools = preview.tools;
    request.cancelled = preview.cancelled;
    request.traced = 1;
    std::vector<SnapshotPtr> out;
    for (std::size_t count = 1; out.size() < std::min(count, most_graphs); ++request.traced) {
        out.push_back(view_model(request));
        count = out.back()->traced.size();
        if (out.back()->graphs.empty()) // what is wrong with the script was said of its preview
            return {};
    }
    return out;
}

int report_script(const ReportOptions& options, const Cancelled& cancelled) {
    SourceOptions source;
    source.file = options.file;
    PreviewRequest preview = options.preview;
    if (const int exit = open_preview(source, cancelled, preview))
        return exit;
    if (!options.no_compile)
        preview.tools = open_confined_tools();
    ScriptReport report;
    report.source = preview.source;
    if (!options.history.empty()) {
        Result<std::vector<RunRecord>> runs = last_runs(options.history, preview.source.text);
        if (!runs)
            return refuse_environment(runs.error());
        report.runs = std::move(runs.value());
    }
    PreviewRequest stages = preview;
    stages.forms = {Form::Ir, Form::Cuda};
    if (!options.no_compile)
        stages.forms = {Form::Ir, Form::Cuda, Form::Ptx, Form::Sass};
    report.preview = session::preview(stages);
    if (!preview.source.is_ir && report.preview.status == Status::Ok)
        report.graphs = graphs_of(preview);
    if (report.graphs.empty())
        require_modules(options.file, "report", report.preview.modules_built, report.preview);
    if (report.preview.status == Status::WrongUsage || report.preview.status == Status::UserMistake) {
        print_diagnostics(report.preview.diagnostics);
        return exit_code(report.preview.status);
    }
    ExplainRequest explained;
    explained.preview = preview;
    explained.waves = explained.loops = true;
    explained.fixes = false;
    report.explained = explain(explained);
    report.contracts = check_contracts(explained);
    if (!options.no_run && !preview.source.is_ir)
        report.run = emulated(preview, cancelled);
    if (cancelled)
        return exit_cancelled;
    return write_page(options.out, page_of(report));
}

int report_model(const ReportOptions& options, const Cancelled& cancelled) {
    ModelOptions model;
    model.request.path = options.file;
    model.request.target = options.target;
    ModelRunRequest request;
    if (!fill(model, cancelled, request))
        return exit_usage;
    ModelReport report;
    report.compiled = compile_model(request, &report.graph);
    end_progress();
    if (report.compiled.status != Status::Ok) {
        print_diagnostics(report.compiled.diagnostics);
        return exit_code(report.compiled.status);
    }
    ModelViewRequest view;
    static_cast<ModelRequest&>(view) = request;
    view.plans = false; // which has been done
    view.progress = {};
    report.view = view_model(view);
    if (options.measure) {
        ModelBenchResult measured = bench_model_apart(request);
        end_progress();
        if (measured.status != Status::Ok) {
            print_diagnostics(measured.diagnostics);
            return end_of(measured);
        }
        report.measured = std::move(measured);
    }
    return write_page(options.out, page_of(report));
}

int report_verb(const ReportOptions& options, const Cancelled& cancelled) {
    const bool of_model = is_model(options.file);
    const bool of_ir = options.file.ends_with(".ir");
    const std::string of_script = first_given({{options.no_run, "--no-run"},
                                               {!options.history.empty(), "--history"},
                                               {!options.preview.calls.empty(), "--studio"}});
    const std::string of_code = first_given({{options.preview.module != 0, "--module"},
                                             {!options.preview.arch.empty(), "--arch"},
                                             {options.no_compile, "--no-compile"}});
    const std::string of_models =
        first_given({{options.measure, "--measure"}, {options.target != Target::Auto, "--target"}});
    if (!of_script.empty() && (of_model || of_ir))
        return refuse_option(of_script, "a script", options.file), exit_usage;
    if (!of_code.empty() && of_model)
        return refuse_option(of_code, "a script", options.file), exit_usage;
    if (!of_models.empty() && !of_model)
        return refuse_option(of_models, "a model", options.file), exit_usage;
    return of_model ? report_model(options, cancelled) : report_script(options, cancelled);
}

} // namespace

void add_report(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("report", "write a page of HTML about a script or a model");
    ReportOptions& options = options_for(verb, chosen, report_verb);
    verb.file("FILE", options.file, "a script, or a model (.onnx)");
    verb.text("-o,--output", options.out, "FILE", "the page, which needs nothing but itself").required();
    add_preview(verb, options.preview);
    add_arch(verb, options.preview.arch);
    verb.flag("--no-compile", options.no_compile, "ask no compiler: no PTX, no machine code, no registers");
    verb.flag("--no-run", options.no_run, "do not run the script on the emulator: no findings, no pipelines");
    verb.text("--history", options.history, "FILE", "also show the last runs of this text that the studio kept there");
    verb.flag("--measure", options.measure, "of a model: run it on random inputs, and show its times");
    add_target(verb, options.target, "of a model: where its kernels are for");
}

} // namespace hidet::cli
