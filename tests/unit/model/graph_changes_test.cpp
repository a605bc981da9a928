// SPDX-License-Identifier: Apache-2.0
// What passes changed, counted in groups: nothing is lost and nothing counts twice, however a graph is folded.
#include "app/session/model/compare/graph_changes.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <string>

using namespace hidet;
using namespace hidet::session;

namespace {

SnapshotPtr changed_model(const std::string& path) {
    ModelViewRequest request;
    request.path = std::string(HIDET_SOURCE_FOLDER) + "/" + path;
    request.target = Target::Cpu;
    request.tools = open_tools({nullptr, false});
    request.plans = false;
    SnapshotPtr out = view_model(request);
    REQUIRE(out->graphs.size() > 1);
    return out;
}

void check_folding(const GraphChanges& changes, const GraphBoxes& boxes, const FoldedChanges& found) {
    REQUIRE(found.groups.size() == boxes.groups.size());
    REQUIRE(found.home.size() == changes.gone.size());
    CHECK(found.groups[0] == changes.total);
    // A group has what its groups have, and what stands in it alone.
    std::vector<ChangeCounts> own(found.groups.size());
    for (const auto& [node, state] : changes.states)
        own[boxes.drawn.nodes[boxes.box_of_node.at(node)].group].count(state);
    for (const std::uint32_t home : found.home)
        own[home].count(PairState::Gone);
    for (std::size_t i = own.size(); i-- > 1;)
        own[boxes.drawn.groups[i].parent] += own[i];
    for (std::size_t i = 0; i < own.size(); ++i)
        CHECK(own[i] == found.groups[i]);
}

} // namespace

TEST_CASE("counts of groups add up, between any two graphs and at any folding") {
    for (const char* path : {"samples/models/encoder.onnx", "tests/models/residual/residual.onnx",
                             "tests/models/attention/attention.onnx", "tests/models/mlp/mlp.onnx"}) {
        const SnapshotPtr snapshot = changed_model(path);
        const std::size_t last = snapshot->graphs.size() - 1;
        for (std::size_t from = 0; from < last; ++from)
            for (const GroupingOptions& grouping :
                 {GroupingOptions{true, true, false}, GroupingOptions{true, true, true},
                  GroupingOptions{false, false, false}, GroupingOptions{false, true, true}}) {
                const GraphChanges changes = changes_between(*snapshot, from, last);
                const auto boxes = snapshot->graphs[last]->boxes(grouping);
                const auto earlier = snapshot->graphs[from]->boxes(grouping);
                check_folding(changes, *boxes, folded(changes, *boxes, earlier.get()));
                check_folding(changes, *boxes, folded(changes, *boxes));
            }
    }
}

TEST_CASE("operators of both graphs are new, gone, changed or the same") {
    const SnapshotPtr snapshot = changed_model("tests/models/attention/attention.onnx");
    const ModelGraph &before = *snapshot->graphs.front(), &after = *snapshot->graphs.back();
    const GraphChanges changes = changes_between(*snapshot, 0, snapshot->graphs.size() - 1);
    REQUIRE(changes.total.any());
    CHECK(before.nodes.size() + changes.total.added - changes.total.gone == after.nodes.size());
    const std::set<std::uint32_t> gone(changes.gone.begin(), changes.gone.end());
    for (const auto& node : before.nodes)
        CHECK(gone.contains(node->id) == (after.node(node->id) == nullptr));
    // Partners lead both ways.
    for (const auto& [node, partners] : changes.partners)
        for (const std::uint32_t partner : partners) {
            const auto back = changes.partners.find(partner);
            REQUIRE(back != changes.partners.end());
            CHECK(std::ranges::find(back->second, node) != back->second.end());
        }
}

TEST_CASE("a graph differs in nothing from itself") {
    const SnapshotPtr snapshot = changed_model("tests/models/mlp/mlp.onnx");
    const GraphChanges changes = changes_between(*snapshot, 1, 1);
    CHECK(!changes.total.any());
    CHECK(counts_text(changes.total).empty());
    CHECK(counts_text({3, 0, 2}) == "+3 ~2");
}
