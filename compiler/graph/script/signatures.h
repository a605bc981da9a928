// SPDX-License-Identifier: Apache-2.0
// How functions of hidet.ops are called: which parameter of the operator's row an argument is, by its place or its name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/core/op.h"

namespace hidet::graph {

struct CalledParameter {
    std::size_t index = 0;              // in the operator's row
    std::string name;                   // that callers use; its name in the row is understood as well
    std::optional<Attribute> otherwise; // a default that is not the row's
};

struct Signature {
    std::vector<CalledParameter> parameters; // each of the row once
    std::size_t positional = 0;              // so many of them, from the first on, may be given by place
    bool is_own = true;                      // as the row has it
};

const Signature& signature_of(const OpInfo& op);

// For people, as the row has it: "data, weight, stride: ints = [1], dilations: ints = [1], groups: int = 1, padding: ints = [0]".
std::string text_of(const OpInfo& op, const Signature& signature);

} // namespace hidet::graph
