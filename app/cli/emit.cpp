// SPDX-License-Identifier: Apache-2.0
// hidetc emit: one form of a script's modules, on standard output or in a file.

#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/text/machine_text.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"
#include "app/session/exporting/saved_stage.h"
#include "app/session/worker/compile_pool.h"
#include "lang/base/transformed.h"

namespace hidet::cli {

namespace {

using namespace session;

struct EmitOptions {
    ModuleOptions modules;
    std::string kind;
    std::string out; // "": standard output
    bool no_contraction = false;
    bool control = false;
};

bool is_binary(Form form) {
    return info(form).content == Content::Bytes;
}

std::string names_of_forms() {
    return join(transformed(form_names(), [&](const std::string& name) { return cat("'", name, "'"); }), ", ");
}

std::string shown(const EmitOptions& options, TextSnapshot text) {
    if (options.control)
        text.text = with_controls(text);
    return body_of(options.modules.lines, text);
}

// The modules one after the other; of a binary form, the bytes of the one.
std::string content_of(const EmitOptions& options, Form form, const PreviewResult& result) {
    std::string out;
    for (const ModuleSnapshot& module : result.modules)
        for (const auto& made : module.forms) {
            if (is_binary(form)) {
                out += made->bytes;
                continue;
            }
            if (!out.empty())
                out += "\n";
            out += heading_of(module, result.modules.size(), info(form).comment) + shown(options, made->text);
        }
    return out;
}

// A file says how it came about; standard output is for whoever asked just now.
std::string first_comment(const EmitOptions& options, Form form, const PreviewRequest& request,
                          const PreviewResult& result) {
    SavedStage stage;
    stage.version = HIDET_VERSION;
    stage.what = info(form).label;
    stage.subject = options.modules.source.file;
    stage.text = request.source.text;
    stage.calls = request.calls;
    stage.contracts = request.contracts;
    stage.arch = depends_on_arch(form) ? request.arch : "";
    for (const ModuleSnapshot& module : result.modules)
        for (const auto& made : module.forms)
            stage.compiler = made->compiler;
    return comment_of(stage, info(form).comment);
}

// Two binary files cannot stand one after the other.
void check_binary(const EmitOptions& options, PreviewResult& result) {
    std::size_t made = 0;
    for (const ModuleSnapshot& module : result.modules)
        made += module.forms.size();
    if (made > 1)
        return refuse(result, Status::WrongUsage, Diagnostic::make(DiagId::OneModuleOnly, {}, options.kind, made));
    if (options.out.empty() && !options.modules.source.json)
        refuse(result, Status::WrongUsage, Diagnostic::make(DiagId::BinaryNeedsFile, {}, options.kind));
}

void write(const EmitOptions& options, Form form, const PreviewRequest& request, PreviewResult& result) {
    // With --json a binary goes to its file, and the document says what it holds.
    std::string content =
        options.modules.source.json && !is_binary(form) ? json_of(result, "") : content_of(options, form, result);
    bool to_file = !options.out.empty() && result.status == Status::Ok;
    if (is_binary(form) && result.status != Status::Ok)
        content.clear();
    if (options.modules.source.json && (is_binary(form) || !to_file))
        print_text(json_of(result, ""));
    if (!to_file && !options.modules.source.json)
        return print_text(content);
    if (!is_binary(form) && !options.modules.source.json)
        content.insert(0, first_comment(options, form, request, result));
    DiagnosticSink sink;
    if (to_file && !write_text(options.out, content, sink))
        refuse(result, Status::Environment, sink);
}

std::optional<Diagnostic> mistake_in(const EmitOptions& options, std::optional<Form> form) {
    if (!form)
        return Diagnostic::make(DiagId::KindUnavailable, {}, options.kind, names_of_forms());
    std::string text;
    if (options.no_contraction && info(*form).needs == Needs::Nothing)
        text = cat("'--no-contraction' is for what NVRTC makes, such as 'ptx'; no text of kind '", options.kind,
                   "' says how sums are rounded");
    else if (options.control && *form != Form::Sass)
        text =
            cat("'--control' is for 'sass': no text of kind '", options.kind, "' says how instructions are scheduled");
    else if (options.modules.lines && is_binary(*form))
        text = cat("'--lines' is of a text, and '", options.kind, "' is none");
    return text.empty() ? std::nullopt : std::optional(Diagnostic::make(DiagId::BadValue, {}, text));
}

int emit(const EmitOptions& options, const Cancelled& cancelled) {
    std::optional<Form> form = find_form(options.kind);
    if (const std::optional<Diagnostic> mistake = mistake_in(options, form)) {
        PreviewResult refused;
        refuse(refused, Status::WrongUsage, *mistake);
        return report_preview(options.modules.source, refused);
    }
    PreviewRequest request = options.modules.preview;
    if (const int exit = open_preview(options.modules.source, cancelled, request))
        return exit;
    request.forms = {*form};
    request.contracts = !options.no_contraction;
    request.tools = open_confined_tools();
    request.lower = *form != Form::Ir || !request.only_pass.empty();
    request.texts = Keep::Nothing;
    PreviewResult result = preview(request);
    require_modules(options.modules.source.file, "emit", result.modules_built, result);
    if (is_binary(*form) && result.status == Status::Ok)
        check_binary(options, result);
    write(options, *form, request, result);
    if (!options.modules.source.json || !options.out.empty())
        print_diagnostics(result.diagnostics);
    return exit_code(result.status);
}

} // namespace

void add_emit(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("emit", "write one form of a script's modules");
    EmitOptions& options = options_for(verb, chosen, emit);
    add_modules(verb, options.modules);
    verb.text("--kind", options.kind, "KIND", join(form_names(), ", ")).required();
    add_arch(verb, options.modules.preview.arch);
    add_contraction(verb, options.no_contraction);
    verb.flag(
        "--control", options.control,
        "before each instruction of 'sass' how it is scheduled: B01---- waits for barriers 0 and 1, R- sets none once "
        "its operands are read, W2 sets 2 for its result, Y lets another warp go, S05 stalls for 5 cycles");
    add_output(verb, options.out);
}

} // namespace hidet::cli
