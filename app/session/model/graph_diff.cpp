// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/graph_diff.h"

namespace hidet::session {

namespace {

std::uint32_t node_of(const GraphText& text, int line) {
    const auto place = static_cast<std::size_t>(line - 1);
    return line > 0 && place < text.nodes.size() ? text.nodes[place] : no_id;
}

} // namespace

std::optional<GraphDiff> diff_graphs(const ModelGraph& left, const ModelGraph& right,
                                     const std::atomic<bool>* cancelled) {
    DiffOptions options;
    options.ignore_renames = true;
    options.cancelled = cancelled;
    const GraphText& before = left.printed();
    const GraphText& after = right.printed();
    std::optional<TextDiff> found = diff(before.text, after.text, options);
    if (!found)
        return std::nullopt;
    GraphDiff out;
    out.added = found->added;
    out.removed = found->removed;
    out.rows.reserve(found->rows.size());
    for (DiffRow& row : found->rows) {
        const std::uint32_t from = node_of(before, row.left), to = node_of(after, row.right);
        out.rows.push_back({std::move(row), from, to});
    }
    return out;
}

} // namespace hidet::session
