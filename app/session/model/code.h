// SPDX-License-Identifier: Apache-2.0
// From an operator of a model to its code and back: the programs of a model as modules, from IR to machine code, with an
// origin for every line and token.
//
// An origin is a place in the printed graph, where each operator has a line. Groups that are alike share a program, which is
// lowered once: its origins are the operators of the first such group, and `uses` says which operators of another group stand
// in their places.
#pragma once

#include "app/session/model/model.h"

namespace hidet::session {

struct ModelCodeRequest : ModelRequest {
    std::string node;        // an operator by its key or name, in the graph or as it was imported; empty: all programs
    std::vector<Form> forms; // what each module shall be written as
    Keep texts = Keep::Nothing;
    std::string arch = default_arch;
};

struct ModelOperatorLine {
    std::uint32_t node = 0; // id
    std::string key;
    std::string name; // as the model has it
    int line = 0;     // of the printed graph
};

struct ModelProgram {
    std::string key;
    std::vector<std::uint32_t> nodes; // that origins name
    struct Use {
        std::size_t step = 0;
        std::vector<std::uint32_t> nodes; // in the places of those
    };
    std::vector<Use> uses;
    ModuleSnapshot module;
};

struct ModelCodeResult : Outcome {
    std::string graph_name; // the file of the origins: "mlp.graph"
    std::string graph_text;
    std::vector<ModelOperatorLine> operators; // in the order of the text
    std::vector<ModelProgram> programs;       // in the order of the run
};
ModelCodeResult code_of_model(const ModelCodeRequest& request);

} // namespace hidet::session
