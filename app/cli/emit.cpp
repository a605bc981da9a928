// SPDX-License-Identifier: Apache-2.0
// hidetc emit: one form of a script's modules, on standard output or in a file.
#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/verbs.h"

namespace hidet::cli {

namespace {

using namespace session;

bool is_binary(Form form) {
    return form == Form::Cubin;
}

const char* comment_of(Form form) {
    return form == Form::Ir || form == Form::Bytecode ? "#" : "//";
}

void refuse(PreviewResult& result, Status status, Diagnostic diagnostic) {
    result.status = status;
    result.diagnostics.push_back(view_of(diagnostic, SourceMap{}));
}

std::string names_of_forms() {
    std::vector<std::string> names;
    for (const FormInfo& form : all_forms())
        names.push_back(cat("'", form.name, "'"));
    return join(names, ", ");
}

// The modules one after the other; of a binary form, the bytes of the one.
std::string content_of(const Options& options, Form form, const PreviewResult& result) {
    std::string out;
    for (const ModuleSnapshot& module : result.modules)
        for (const auto& made : module.forms) {
            if (is_binary(form)) {
                out += made->bytes;
                continue;
            }
            if (!out.empty())
                out += "\n";
            out += heading_of(module, result.modules.size(), comment_of(form)) + body_of(options, made->text);
        }
    return out;
}

// Two binary files cannot stand one after the other.
void check_binary(const Options& options, PreviewResult& result) {
    std::size_t made = 0;
    for (const ModuleSnapshot& module : result.modules)
        made += module.forms.size();
    if (made > 1)
        return refuse(result, Status::WrongUsage, Diagnostic::make(DiagId::OneModuleOnly, {}, options.kind, made));
    if (options.out.empty() && !options.json)
        refuse(result, Status::WrongUsage, Diagnostic::make(DiagId::BinaryNeedsFile, {}, options.kind));
}

void write(const Options& options, Form form, PreviewResult& result) {
    // With --json a binary goes to its file, and the document says what it holds.
    std::string content = options.json && !is_binary(form) ? json_of(result) : content_of(options, form, result);
    bool to_file = !options.out.empty() && result.status == Status::Fine;
    if (is_binary(form) && result.status != Status::Fine)
        content.clear();
    if (options.json && (is_binary(form) || !to_file))
        print_text(json_of(result));
    if (!to_file && !options.json)
        return print_text(content);
    DiagnosticSink sink;
    if (!to_file || write_text(options.out, content, sink))
        return;
    for (const Diagnostic& diagnostic : sink.all())
        refuse(result, Status::Environment, diagnostic);
}

} // namespace

int emit(const Options& options, const std::atomic<bool>& cancelled) {
    std::optional<Form> form = find_form(options.kind);
    if (!form) {
        PreviewResult refused;
        refuse(refused, Status::WrongUsage,
               Diagnostic::make(DiagId::KindUnavailable, {}, options.kind, names_of_forms()));
        return report_preview(options, refused);
    }
    Source source;
    int exit = exit_fine;
    if (!open_source(options, source, exit))
        return exit;
    PreviewRequest request = preview_request(options, std::move(source), cancelled);
    request.forms = {*form};
    if (!options.arch.empty())
        request.arch = options.arch;
    request.tools = open_tools();
    request.lower = *form != Form::Ir || !options.only.empty();
    request.texts = Keep::Nothing;
    PreviewResult result = preview(request);
    require_modules(options, result);
    if (is_binary(*form) && result.status == Status::Fine)
        check_binary(options, result);
    write(options, *form, result);
    if (!options.json || !options.out.empty())
        print_diagnostics(result.diagnostics);
    return exit_code(result.status);
}

} // namespace hidet::cli
