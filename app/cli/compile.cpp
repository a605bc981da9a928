// SPDX-License-Identifier: Apache-2.0
// hidetc compile: CUDA C++ or PTX that was changed by hand, compiled as generated code is.
#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/cells.h"
#include "app/cli/text/document.h"
#include "app/cli/text/machine_text.h"
#include "app/cli/verbs.h"
#include "app/session/preview/compiled_text.h"
#include "app/session/worker/compile_pool.h"

namespace hidet::cli {

namespace {

using namespace session;

constexpr std::size_t rows_of_machine = 8;

struct CompileOptions {
    SourceOptions source;
    CompiledTextRequest request;
    std::string kind;
    bool no_contraction = false;
    bool lines = false;
};

std::string figures_text(const CompiledTextResult& result) {
    std::vector<Cells> rows = {titles({"kernel", "registers", "shared memory>"})};
    for (const KernelFacts& kernel : result.kernels)
        rows.push_back(
            {{kernel.name}, {registers_text(kernel)}, {cat(kernel.static_shared_bytes, " B"), Align::Right}});
    return rows.size() == 1 ? "no kernel\n" : columns_text(rows);
}

std::string shown_text(const CompileOptions& options, const Source& source, const CompiledTextResult& result) {
    if (options.kind == "ptx")
        return body_of(options.lines, result.ptx->text);
    if (options.kind == "sass")
        return body_of(options.lines, result.sass->text);
    const std::string figures = cat("compiled for ", result.arch, "\n", figures_text(result));
    return options.request.explains ? cat(figures, "\n", machine_text(*result.sass, source, rows_of_machine)) : figures;
}

Form form_of(const CompileOptions& options) {
    return compiled_form(options.source.file).value_or(Form::Cuda);
}

bool takes(const CompileOptions& options) {
    if (form_of(options) == Form::Ptx && options.kind == "ptx")
        return wrong_usage(cat("'", options.source.file, "' is PTX already; '--kind sass' shows its machine code"));
    return options.kind.empty() || !options.request.explains ||
           wrong_usage("'--machine' explains machine code; '--kind' shows a text instead of that");
}

int compile_file(const CompileOptions& options, const Cancelled& cancelled) {
    CompiledTextRequest request = options.request;
    if (!takes(options))
        return exit_usage;
    if (const int exit = open_source(options.source, request.source))
        return exit;
    request.form = form_of(options);
    request.contracts = !options.no_contraction;
    request.disassembles = options.kind == "sass" || request.explains || options.source.json;
    request.tools = open_confined_tools();
    request.cancelled = &cancelled;
    const CompiledTextResult result = compile_text(request);
    return print_result(
        options.source.json, result, [&] { return json_of(result); },
        [&] { return result.status == Status::Ok ? shown_text(options, request.source, result) : ""; });
}

} // namespace

void add_compile(Verb& program, Action& chosen) {
    Verb verb =
        program.add_verb("compile", "compile CUDA C++ or PTX that was changed by hand, and show what became of it");
    CompileOptions& options = options_for(verb, chosen, compile_file);
    add_source(verb, options.source);
    add_arch(verb, options.request.arch);
    add_contraction(verb, options.no_contraction);
    const Argument kind =
        verb.text("--kind", options.kind, "KIND", "ptx or sass: that text, in the place of the figures")
            .one_of({"ptx", "sass"});
    verb.flag("--lines", options.lines, "the line of the file before each line of that text").needs(kind);
    verb.flag("--machine", options.request.explains, "what the machine code says of itself, as 'hidetc machine' does");
}

} // namespace hidet::cli
