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

std::string detail(const Graph& graph, NodeId consumer, ValueId value, FusionBlocker reason) {
    const Value& tensor = graph.value(value);
    if (reason == FusionBlocker::SeveralReaders)
        return cat(" (", tensor.uses.size(), ")");
    if (reason == FusionBlocker::NoInverse)
        return cat(" (its result is ", text_of(graph.value(graph.node(consumer).outputs[0]).spec), ")");
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

Blocker blocker_of(const Graph& graph, NodeId producer, NodeId consumer, ValueId value, FusionBlocker reason) {
    return {producer, consumer, value, reason,
            cat(called(graph.node(producer)), " -> ", called(graph.node(consumer)), ", ",
                text_of(graph.value(value).spec), ": ", sentence(reason), detail(graph, consumer, value, reason))};
}

} // namespace hidet::graph
