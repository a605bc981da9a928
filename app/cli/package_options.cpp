// SPDX-License-Identifier: Apache-2.0
#include "app/cli/package_options.h"

#include <algorithm>

#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

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
            return wrong_usage(DiagId::BadValue, cat("'", text, "' names no model: 'decode=decoder.onnx' does"));
    }
    return rest.empty() || read_dimensions(split(std::string_view(rest).substr(1), ','), entry.dims);
}

} // namespace

void add_package(Verb& verb, PackageOptions& options) {
    verb.texts("--target", options.targets, "TARGET",
               "of a model: cuda, cpu; may be given twice (what can be compiled for here)")
        .one_of({"cuda", "cpu"});
    verb.text("--sign", options.key, "KEY",
              "sign a model: a file with the seed of an Ed25519 key, 32 bytes or 64 hexadecimal digits");
    verb.texts(
        "--entry", options.entries, "ENTRY",
        "of a model: an entry of the package that users choose by its name; may be given several times. "
        "NAME:batch=8 has these dimensions, NAME=FILE is another model, NAME=FILE:batch=8 is both. Equal weights "
        "of all entries are stored once");
    add_compilation(verb, options.model);
}

std::string given_option(const PackageOptions& options) {
    const ModelOptions& model = options.model;
    const std::pair<bool, const char*> rows[] = {{!options.targets.empty(), "--target"},
                                                 {!options.entries.empty(), "--entry"},
                                                 {!options.key.empty(), "--sign"},
                                                 {!model.dimensions.empty(), "--dim"},
                                                 {!model.off.empty(), "--off"},
                                                 {!model.on.empty(), "--on"},
                                                 {!model.with.empty(), "--with"},
                                                 {model.no_fusion, "--no-fusion"},
                                                 {!model.precision.empty(), "--precision"},
                                                 {!model.choices.empty(), "--choices"},
                                                 {model.space != 0, "--space"},
                                                 {!model.records.empty(), "--records"},
                                                 {model.deadline != 0, "--deadline"}};
    for (const auto& [is_given, name] : rows)
        if (is_given)
            return name;
    return "";
}

bool fill(const PackageOptions& options, const Cancelled& cancelled, ExportRequest& request) {
    for (const std::string& target : options.targets)
        request.targets.push_back(target == "cuda" ? Target::Cuda : Target::Cpu);
    for (const std::string& text : options.entries)
        if (!read_entry(text, request.entries.emplace_back()))
            return false;
    request.key = options.key;
    return fill(options.model, cancelled, request.model);
}

} // namespace hidet::cli
