// SPDX-License-Identifier: Apache-2.0
// hidetc export: the kernels of a script, or a model, as files that others use without this program.
#include "app/session/exporting/export.h"

#include "app/cli/output.h"
#include "app/cli/package_options.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"
#include "app/session/worker/compile_pool.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::cli {

namespace {

using namespace session;

struct ExportOptions {
    SourceOptions source;
    PreviewOptions preview;
    std::string format;
    std::string function;
    std::vector<std::string> architectures;
    bool no_contraction = false;
    std::uint64_t seed = 0;
    std::string history;
    std::string out;
    PackageOptions package;
};

std::string files_text(const ExportResult& result, const std::vector<std::string>& written) {
    if (result.status != Status::Ok)
        return "";
    std::string text;
    for (std::size_t i = 0; i < written.size(); ++i)
        text += cat("wrote ", written[i], ", ", result.files[i].bytes.size(), " bytes\n");
    text += "\n";
    for (const std::string& line : result.next)
        text += line + "\n";
    return text;
}

int report(const ExportOptions& options, const ExportResult& result, const std::vector<std::string>& written) {
    return print_result(
        options.source.json, result, [&] { return json_of(result); }, [&] { return files_text(result, written); });
}

// Empty: each option that is given is for what is exported.
std::string option_of_other(const ExportOptions& options, bool is_model) {
    if (!is_model)
        return given_option(options.package);
    const std::pair<bool, const char*> rows[] = {{!options.preview.studio.empty(), "--studio"},
                                                 {options.preview.module != 0, "--module"},
                                                 {!options.function.empty(), "--function"},
                                                 {options.no_contraction, "--no-contraction"},
                                                 {options.seed != 0, "--seed"},
                                                 {!options.history.empty(), "--history"}};
    for (const auto& [is_given, name] : rows)
        if (is_given)
            return name;
    return "";
}

int export_files(const ExportOptions& options, const Cancelled& cancelled) {
    ExportRequest request;
    int exit = exit_fine;
    const bool is_model = export_subject_of(options.source.file) == ExportSubject::Model;
    if (const std::string option = option_of_other(options, is_model); !option.empty()) {
        refuse_option(option.c_str(), is_model ? "a script" : "a model", options.source.file);
        return exit_usage;
    }
    if (is_model) {
        PackageOptions package = options.package;
        package.model.file = options.source.file;
        package.model.json = options.source.json;
        package.model.fault = options.source.fault;
        if (!fill(package, cancelled, request))
            return exit_usage;
    } else if (!open_source(options.source, request.source, exit)) {
        return exit;
    } else if (!are_calls_of_script(options.preview, request.source)) {
        return exit_usage;
    }
    request.format = options.format;
    request.calls = options.preview.studio;
    request.module = options.preview.module;
    request.function = options.function;
    request.architectures = options.architectures;
    request.contracts = !options.no_contraction;
    request.seed = options.seed;
    request.history = options.history;
    request.version = HIDET_VERSION;
    request.tools = is_model ? request.model.tools : open_confined_tools();
    request.fault = options.source.fault;
    request.cancelled = &cancelled;
    ExportResult result = make_export(request);
    end_progress();
    std::vector<std::string> written;
    if (result.status == Status::Ok)
        write_export(result, options.out, written);
    return report(options, result, written);
}

} // namespace

void add_export(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("export", "write kernels, or a model, as files that run without hidetc");
    ExportOptions& options = options_for(verb, chosen, export_files);
    add_source(verb, options.source);
    add_preview(verb, options.preview);
    std::string formats;
    for (const ExportFormatInfo& each : all_export_formats())
        formats += cat("\n", each.name, ": ", each.summary);
    verb.text("--format", options.format, "FORMAT", cat("what to write, one of", formats));
    verb.text("--function", options.function, "F", "only this function of a script");
    verb.texts(
        "--arch", options.architectures, "ARCH",
        "a GPU to compile for; may be given several times (what the script says, else sm_90a); code for the CPU: a "
        "level, x86-64-v2, x86-64-v3 or x86-64-v4 (all three)");
    add_contraction(verb, options.no_contraction);
    verb.number("--seed", options.seed, "N", "of the inputs that results are stored for");
    verb.text("--history", options.history, "FILE",
              "runs that 'hidetc try --history' or the studio has kept: those of this script are named in its files");
    add_package(verb, options.package);
    verb.text("-o,--output", options.out, "OUT", "the folder to write to, or the file, where it is one").required();
}

} // namespace hidet::cli
