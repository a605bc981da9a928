// SPDX-License-Identifier: Apache-2.0
// What the command line said about a model.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hidet::cli {

struct Options;

struct ModelOptions {
    std::string action;              // "show", "compile", "emit", "run", "bench"
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

void add_model(CLI::App& app, Options& options);

} // namespace hidet::cli
