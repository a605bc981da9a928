// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/blockers.h"

#include "lang/base/text.h"

namespace hidet::graph {

namespace {

const char* sentence(FusionBlocker reason) {
    constexpr const char* sentences[] = {
#define HIDET_FUSION_BLOCKER(name, id, text) text,
#include "compiler/graph/fuse/fusion_blockers.def"
#undef HIDET_FUSION_BLOCKER
    };
    return sentences[static_cast<std::size_t>(reason)];
}

std::string called(const Node& node) {
    return node.name.empty() ? std::string(node.op->name) : cat(node.op->name, " '", node.name, "'");
}

std::string detail(const Graph& graph, const Blocker& blocker) {
    if (blocker.reason == FusionBlocker::SeveralReaders)
        return cat(" (", graph.value(blocker.value).uses.size(), ")");
    if (blocker.reason == FusionBlocker::NoInverse)
        return cat(" (its result is ", text_of(graph.value(graph.node(blocker.consumer).outputs[0]).spec), ")");
    return "";
}

} // namespace

const char* blocker_id(FusionBlocker reason) {
    constexpr const char* ids[] = {
#define HIDET_FUSION_BLOCKER(name, id, text) id,
#include "compiler/graph/fuse/fusion_blockers.def"
#undef HIDET_FUSION_BLOCKER
    };
    return ids[static_cast<std::size_t>(reason)];
}

std::string condition_of(const Graph& graph, const Blocker& blocker) {
    return sentence(blocker.reason) + detail(graph, blocker);
}

Blocker blocker_of(const Graph& graph, NodeId producer, NodeId consumer, ValueId value, FusionBlocker reason) {
    Blocker out{producer, consumer, value, reason, {}};
    out.text = cat(called(graph.node(producer)), " -> ", called(graph.node(consumer)), ", ",
                   text_of(graph.value(value).spec), ": ", condition_of(graph, out));
    return out;
}

} // namespace hidet::graph
