// SPDX-License-Identifier: Apache-2.0
// Rules that a script registers: subclasses of SubgraphRewriteRule and ResolveRule.
#pragma once

#include <memory>
#include <vector>

#include "compiler/graph/passes/pass.h"
#include "compiler/graph/script/script_graphs.h"
#include "lang/host/modules.h"

namespace hidet::graph {

// In the order in which they were registered. Names in `off` are rules of ours that the script has cleared.
class ScriptRules {
public:
    struct Registered {
        lang::Value object; // what registered_rewrite_rules() lists
        std::unique_ptr<UserRule> rule;
    };
    std::vector<Registered> rewrite;
    std::vector<Registered> resolve;
    std::vector<std::string> off;

    // The latest goes first, as in upstream's.
    void add_to(GraphOptions& options) const;
};

void add_rules(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);

} // namespace hidet::graph
