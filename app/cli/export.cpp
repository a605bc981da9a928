// SPDX-License-Identifier: Apache-2.0
// hidetc export: the kernels of a script, or a model, as files that others use without this program.
#include "app/session/exporting/export.h"

#include <algorithm>

#include "app/cli/model_options.h"
#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/verbs.h"
#include "app/cli/version.h"
#include "app/session/worker/compile_pool.h"
#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

// What 'hidetc export' is told of a model, which it writes as a package.
struct PackageOptions {
    ModelOptions model;
    std::vector<std::string> targets;
    std::vector<std::string> entries; // "small:batch=1", "decode=decoder.onnx"
};

// "prefill", "small:batch=1,seq=16", "decode=decoder.onnx:seq=1".
bool read_entry(const std::string& text, ModelEntry& entry) {
    const std::size_t name_end = std::min(text.find_first_of("=:"), text.size());
    entry.name = text.substr(0, name_end);
    std::string rest = text.substr(name_end);
    if (rest.starts_with("=")) {
        const std::size_t colon = rest.rfind(':');
        const bool has_dims = colon != std::string::npos && rest.find('=', colon) != std::string::npos;
        entry.path = rest.substr(1, has_dims ? colon - 1 : std::string::npos);
        rest = has_dims ? rest.substr(colon) : "";
        if (entry.path.empty())
            return wrong_usage(cat("'", text, "' names no model: 'decode=decoder.onnx' does"));
    }
    return rest.empty() || read_dimensions(split(std::string_view(rest).substr(1), ','), entry.dims);
}

void add_package(Verb& verb, PackageOptions& options, std::string& key) {
    verb.texts("--target", options.targets, "TARGET",
               "of a model: cuda, cpu; may be given twice (what can be compiled for here)")
        .one_of({"cuda", "cpu"});
    verb.text("--sign", key, "KEY",
              "sign a model: a file with the seed of an Ed25519 key, 32 bytes or 64 hexadecimal digits");
    verb.texts(
        "--entry", options.entries, "ENTRY",
        "of a model: an entry of the package that users choose by its name; may be given several times. "
        "NAME:batch=8 has these dimensions, NAME=FILE is another model, NAME=FILE:batch=8 is both. Equal weights "
        "of all entries are stored once");
    add_processes(verb, options.model);
    add_compilation(verb, options.model);
}

std::string given_option(const PackageOptions& options, const std::string& key) {
    const ModelRequest& model = options.model.request;
    return first_given({{!options.targets.empty(), "--target"},
                        {!options.entries.empty(), "--entry"},
                        {!key.empty(), "--sign"},
                        {model.processes != 1, "--tensor-parallel"},
                        {!options.model.mesh.empty(), "--mesh"},
                        {!options.model.places.empty(), "--place"},
                        {!options.model.dimensions.empty(), "--dim"},
                        {!model.off.empty(), "--off"},
                        {!model.on.empty(), "--on"},
                        {!model.with.empty(), "--with"},
                        {options.model.no_fusion, "--no-fusion"},
                        {!model.precision.empty(), "--precision"},
                        {!model.quantize.empty(), "--quantize"},
                        {!model.choices.empty(), "--choices"},
                        {model.space != 0, "--space"},
                        {!model.records.empty(), "--records"}});
}

// False: reported as wrong usage.
bool fill(const PackageOptions& options, const Cancelled& cancelled, ExportRequest& request) {
    for (const std::string& target : options.targets)
        request.targets.push_back(target == "cuda" ? Target::Cuda : Target::Cpu);
    for (const std::string& text : options.entries)
        if (!read_entry(text, request.entries.emplace_back()))
            return false;
    return fill(options.model, cancelled, request.model);
}

struct ExportOptions {
    SourceOptions source;
    ExportRequest request;
    bool no_contraction = false;
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
        return given_option(options.package, options.request.key);
    return first_given({{!options.request.calls.empty(), "--studio"},
                        {options.request.module != 0, "--module"},
                        {!options.request.function.empty(), "--function"},
                        {options.no_contraction, "--no-contraction"},
                        {options.request.seed != 0, "--seed"},
                        {!options.request.history.empty(), "--history"}});
}

int export_files(const ExportOptions& options, const Cancelled& cancelled) {
    ExportRequest request = options.request;
    const bool is_model = export_subject_of(options.source.file) == ExportSubject::Model;
    if (const std::string option = option_of_other(options, is_model); !option.empty()) {
        refuse_option(option, is_model ? "a script" : "a model", options.source.file);
        return exit_usage;
    }
    if (is_model) {
        PackageOptions package = options.package;
        package.model.request.path = options.source.file;
        package.model.json = options.source.json;
        package.model.request.fault = options.source.fault;
        if (!fill(package, cancelled, request))
            return exit_usage;
    } else if (const int exit = open_source(options.source, request.source)) {
        return exit;
    } else if (!are_calls_of_script(request.calls, request.source)) {
        return exit_usage;
    }
    request.contracts = !options.no_contraction;
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
    add_preview(verb, options.request.calls, options.request.module);
    std::string formats;
    for (const ExportFormatInfo& each : all_export_formats())
        formats += cat("\n", each.name, ": ", each.summary);
    verb.text("--format", options.request.format, "FORMAT", cat("what to write, one of", formats));
    verb.text("--function", options.request.function, "F", "only this function of a script");
    verb.texts(
        "--arch", options.request.architectures, "ARCH",
        "a GPU to compile for; may be given several times (what the script says, else sm_90a); code for the CPU: a "
        "level, x86-64-v2, x86-64-v3 or x86-64-v4 (all three)");
    add_contraction(verb, options.no_contraction);
    verb.number("--seed", options.request.seed, "N", "of the inputs that results are stored for");
    verb.text("--history", options.request.history, "FILE",
              "runs that 'hidetc try --history' or the studio has kept: those of this script are named in its files");
    add_package(verb, options.package, options.request.key);
    verb.text("-o,--output", options.out, "OUT", "the folder to write to, or the file, where it is one").required();
}

} // namespace hidet::cli
