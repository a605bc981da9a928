// SPDX-License-Identifier: Apache-2.0
// The graph as data: one JSON text for scripts, frontends and viewers. It has the model as it was imported, what each pass
// made of it, the graph that is run with its groups, blockers and costs, and whatever sections the caller adds (kernels,
// memory plan, times). compiler/graph/document/README.md describes the format; reading back gives the graph again, with the
// ids that it had.
//
// Every node, value, match, group and blocker stands on a line of its own, in order of ids, so that texts diff well.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/passes/pass.h"
#include "lang/base/result.h"

namespace hidet::graph {

// What a pass changed. Ids are never used twice, so this says it all.
struct GraphChange {
    std::string pass;
    std::vector<NodeId> removed;
    std::vector<std::string> added;              // nodes, as JSON
    std::vector<std::string> values;             // new ones, as JSON
    std::vector<std::string> rewired;            // {"id", "inputs"} of nodes that read other values than before
    std::optional<std::vector<ValueId>> outputs; // when they are others
};

// An instrument that keeps what every pass did. Holds the inputs of every node, not copies of graphs.
class GraphRecorder : public GraphInstrument {
public:
    // `sources`: of the sites of nodes, which the document then has.
    explicit GraphRecorder(const Graph& imported, const SourceMap* sources = nullptr);
    void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) override;

    const std::string& imported() const { return m_imported; } // the graph before all passes, as JSON
    const std::vector<GraphChange>& changes() const { return m_changes; }

private:
    struct Seen {
        bool is_live = false;
        std::vector<ValueId> inputs;
    };
    const SourceMap* m_sources;
    std::string m_imported;
    std::vector<Seen> m_seen; // by node
    std::size_t m_values = 0;
    std::vector<ValueId> m_outputs;
    std::vector<GraphChange> m_changes;
};

struct DocumentParts {
    const Graph& graph;
    const GraphRecorder* recorder = nullptr;
    const Optimised* optimised = nullptr;
    std::vector<std::pair<std::string, std::string>> sections = {}; // name, JSON
    bool with_times = false;                                        // of passes: texts with times never compare equal
    const SourceMap* sources = nullptr;                             // of the sites of nodes; null: they are not said
};
std::string write_document(const DocumentParts& parts);

// Constants whose elements are not in the document; null or an empty result: the constant has no data.
using WeightSource = std::function<lang::TensorRef(const std::string& hash, const TensorSpec& spec)>;
enum class DocumentGraph : std::uint8_t { Final, Imported };
// "document-broken" with what is wrong and where. Sites of nodes are places in `sources`: their files are added to it by name, with
// empty lines, as no file is opened.
Result<Graph> read_document(std::string_view text, const WeightSource& weights = {},
                            DocumentGraph which = DocumentGraph::Final, SourceMap* sources = nullptr);

} // namespace hidet::graph
