// SPDX-License-Identifier: Apache-2.0
// What 'hidetc export' is told of a model, which it writes as a package.
#pragma once

#include "app/cli/model_options.h"
#include "app/session/exporting/export.h"

namespace hidet::cli {

struct PackageOptions {
    ModelOptions model;
    std::vector<std::string> targets;
    std::vector<std::string> entries; // "small:batch=1", "decode=decoder.onnx"
    std::string key;
};
void add_package(Verb& verb, PackageOptions& options);
// The first that is given; empty: none is.
std::string given_option(const PackageOptions& options);
// False: reported as wrong usage.
bool fill(const PackageOptions& options, const Cancelled& cancelled, session::ExportRequest& request);

} // namespace hidet::cli
