// SPDX-License-Identifier: Apache-2.0
// What is noted of an operator finds it again: after any pass, and in another view of the model.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "app/session/model/view/node_origins.h"

using namespace hidet;
using namespace hidet::session;

namespace {

SnapshotPtr residual_view(std::vector<std::string> off = {}) {
    ModelViewRequest request;
    request.path = std::string(HIDET_SOURCE_FOLDER) + "/tests/models/residual/residual.onnx";
    request.target = session::Target::Cpu;
    request.off = std::move(off);
    request.tools = open_tools({nullptr, false});
    return view_model(request);
}

} // namespace

TEST_CASE("every operator of every graph is found again by its anchor, in its own graph as itself") {
    const SnapshotPtr snapshot = residual_view();
    REQUIRE(snapshot->graphs.size() > 2u);
    const NodeOrigins origins(snapshot);
    for (int graph = 0; graph < static_cast<int>(snapshot->graphs.size()); ++graph) {
        for (const auto& node : snapshot->graphs[static_cast<std::size_t>(graph)]->nodes) {
            const NodeAnchor anchor = origins.anchor_of(node->id);
            CAPTURE(graph);
            CAPTURE(node->name);
            REQUIRE(!anchor.key.empty());
            const AnchoredNode found = origins.find(anchor, graph);
            REQUIRE(found.graph == graph);
            const GraphNode* there = snapshot->graphs[static_cast<std::size_t>(graph)]->node(found.node);
            REQUIRE(there->op == node->op);
            REQUIRE(there->name == node->name);
        }
    }
}

TEST_CASE("an operator of the import is followed to what became of it, and back") {
    const SnapshotPtr snapshot = residual_view();
    const NodeOrigins origins(snapshot);
    const int last = static_cast<int>(snapshot->graphs.size()) - 1;
    int replaced = 0;
    for (const auto& node : snapshot->graphs.front()->nodes) {
        const NodeAnchor anchor = origins.anchor_of(node->id);
        REQUIRE(anchor == NodeAnchor{node->key, node->name, node->op});
        const AnchoredNode found = origins.find(anchor, last);
        REQUIRE(found.node != no_id); // the import at least has it
        if (found.graph != last || found.node == node->id)
            continue;
        ++replaced;
        const std::vector<std::uint32_t> back = origins.origins_of(found.node);
        REQUIRE(std::ranges::find(back, node->id) != back.end());
    }
    REQUIRE(replaced > 0);
}

TEST_CASE("an anchor means the same in another view, with other passes, and nothing where its operator is gone") {
    const SnapshotPtr first = residual_view(), second = residual_view({"subgraph-rewrite"});
    const NodeOrigins before(first), after(second);
    for (const auto& node : first->last()->nodes) {
        const AnchoredNode found = after.find(before.anchor_of(node->id), 0);
        if (before.origins_of(node->id).empty())
            continue;
        REQUIRE(found.graph == 0);
        const GraphNode* there = second->graphs.front()->node(found.node);
        REQUIRE(there->key == before.anchor_of(node->id).key);
    }
    REQUIRE(after.find({"nobody", "nobody", "relu"}, 0).node == no_id);
    REQUIRE(NodeOrigins(std::make_shared<ModelSnapshot>()).find({"a", "a", "relu"}, 0).node == no_id);
}
