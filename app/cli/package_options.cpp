// SPDX-License-Identifier: Apache-2.0
#include "app/cli/package_options.h"

namespace hidet::cli {

using namespace session;

void add_package(Verb& verb, PackageOptions& options) {
    verb.texts("--target", options.targets, "TARGET",
               "of a model: cuda, cpu; may be given twice (what can be compiled for here)")
        .one_of({"cuda", "cpu"});
    verb.text("--sign", options.key, "KEY",
              "sign a model: a file with the seed of an Ed25519 key, 32 bytes or 64 hexadecimal digits");
    add_compilation(verb, options.model);
}

std::string given_option(const PackageOptions& options) {
    const ModelOptions& model = options.model;
    const std::pair<bool, const char*> rows[] = {{!options.targets.empty(), "--target"},
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
    request.key = options.key;
    return fill(options.model, cancelled, request.model);
}

} // namespace hidet::cli
