// SPDX-License-Identifier: Apache-2.0
// The choices file: what the user decided about a model, by the stable keys of its operators. JSON, one decision a line.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "compiler/graph/passes/pass.h"
#include "lang/base/result.h"

namespace hidet::graph {

struct Choices {
    std::vector<FusionChoices::Edge> fusion; // forbid or force
    std::vector<NodeChoice> rewrites;        // a rule that shall not apply at an operator
    std::vector<NodeChoice> precisions;
    std::vector<NodeChoice> templates;
    std::vector<std::string> off; // rules and passes
    std::vector<std::string> on;
};

Result<Choices> read_choices(std::string_view text); // "choices-broken"
std::string write_choices(const Choices& choices);
void apply_choices(const Choices& choices, GraphOptions& options); // added to what stands there

// An instrument that remembers the keys that a graph has before and after each pass, to find choices that match nothing.
class KeyWatch : public GraphInstrument {
public:
    explicit KeyWatch(const Graph& imported) { add(imported); }
    void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) override;
    // One sentence for each choice whose operators the model does not have: "fusion of 'a' and 'b': there is no operator 'b'".
    std::vector<std::string> unmatched(const Choices& choices) const;

private:
    void add(const Graph& graph);
    std::unordered_set<std::string> m_known;
};

} // namespace hidet::graph
