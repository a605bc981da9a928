// SPDX-License-Identifier: Apache-2.0
// Instruments for people who look at what passes do. Who asked for files writes them.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/passes/pass.h"
#include "compiler/graph/text/contents.h"

namespace hidet::graph {

// The graph before all passes and after each that changed something, as text and as the viewer's JSON.
class SavedGraphs : public GraphInstrument {
public:
    struct Saved {
        std::string name; // "0_origin", "4_subgraph-rewrite": what its files are called
        std::string text;
        std::string netron;
    };
    explicit SavedGraphs(const Graph& origin) { save("0_origin", origin); }
    void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) override;
    const std::vector<Saved>& graphs() const { return m_graphs; }

private:
    void save(std::string name, const Graph& graph);

    std::vector<Saved> m_graphs;
    ContentHashes m_hashes;
    std::size_t m_passes = 0;
};

// A line for each pass: time, applications, and the rules with how often each applied.
std::string profile_text(const std::vector<PassRecord>& records);

} // namespace hidet::graph
