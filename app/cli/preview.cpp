// SPDX-License-Identifier: Apache-2.0
#include "app/cli/preview.h"

#include "app/cli/output.h"
#include "app/cli/text/document.h"

namespace hidet::cli {

using namespace session;

int open_preview(const SourceOptions& source, const std::atomic<bool>& cancelled, PreviewRequest& request) {
    if (const int exit = open_source(source, request.source))
        return exit;
    if (!are_calls_of_script(request.calls, request.source))
        return exit_usage;
    request.fault = source.fault;
    request.cancelled = &cancelled;
    return exit_fine;
}

bool are_calls_of_script(const std::vector<std::string>& calls, const Source& source) {
    return !source.is_ir || calls.empty() || refuse_option("--studio", "a script", source.name);
}

int report_preview(const SourceOptions& options, const PreviewResult& result) {
    if (options.json)
        print_text(json_of(result, ""));
    else
        print_diagnostics(result.diagnostics);
    return exit_code(result.status);
}

void require_modules(const std::string& file, const char* verb, int modules_built, Outcome& result) {
    if (result.status != Status::Ok || modules_built > 0)
        return;
    Diagnostic none = Diagnostic::make(DiagId::NoModules, {}, file, verb);
    none.notes.push_back({{},
                          "a function that returns kernels is previewed with a comment '# studio: matmul(64, 64, 64)' "
                          "or with --studio"});
    refuse(result, Status::UserMistake, none);
}

std::string body_of(bool with_lines, const TextSnapshot& text) {
    return with_lines ? with_origins(text) : text.text;
}

std::string heading_of(const ModuleSnapshot& module, std::size_t count, const char* comment) {
    if (count < 2)
        return "";
    std::string site = module.site.known() ? cat(", built at ", module.site.file, ":", module.site.line) : "";
    return cat(comment, " module ", module.number, site, "\n");
}

} // namespace hidet::cli
