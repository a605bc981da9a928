// SPDX-License-Identifier: Apache-2.0
// What the command line said about a model.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/cli/verbs.h"

namespace hidet::cli {

struct ModelOptions {
    std::string action; // "show", "compile", "emit", "run", "bench"
    std::string file;
    bool json = false;
    std::string fault;
    TargetOptions target;
    std::uint64_t seed = 0;
    std::vector<std::string> dimensions; // "batch=4"
    std::string tolerance;
    std::string after;
    bool all = false;
    std::string kind = "ir";         // emit
    std::string arch;                // emit
    bool lines = false;              // emit
    std::string out;                 // a file; run: a folder
    std::vector<std::string> inputs; // "x=x.npy"
    std::vector<std::string> off;
    std::vector<std::string> on;
    std::vector<std::string> with;
    std::string data;
    std::string choices;
    std::string precision;
    std::string trace;
    std::string node; // emit
    std::string format = "text";
    bool compare = false;
    bool fused = false;
    bool kernels = false;
    bool measure = false;
    bool verbose = false;
    bool no_fusion = false;
};

int model(const ModelOptions& options, const Cancelled& cancelled);

} // namespace hidet::cli
