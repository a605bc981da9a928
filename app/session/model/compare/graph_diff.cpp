// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compare/graph_diff.h"

#include <string_view>

#include "lang/base/lines.h"

namespace hidet::session {

namespace {

std::uint32_t node_of(const GraphText& text, int line) {
    const auto place = static_cast<std::size_t>(line - 1);
    return line > 0 && place < text.nodes.size() ? text.nodes[place] : no_id;
}

// What is said of a constant's elements: a hash looks like one more name, but is none.
std::string_view contents_in(const std::vector<std::string_view>& lines, int line) {
    const std::string_view text = line > 0 ? lines[static_cast<std::size_t>(line - 1)] : std::string_view();
    const std::size_t at = text.find(" = Constant(");
    const std::size_t comment = at == std::string_view::npos ? at : text.find("  # ", at);
    return comment == std::string_view::npos ? std::string_view() : text.substr(comment);
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
    const std::vector<std::string_view> left_lines = split_lines(before.text), right_lines = split_lines(after.text);
    for (DiffRow& row : found->rows) {
        if (row.kind == RowKind::Equal && contents_in(left_lines, row.left) != contents_in(right_lines, row.right)) {
            row.kind = RowKind::Changed;
            ++out.added;
            ++out.removed;
        }
        const std::uint32_t from = node_of(before, row.left), to = node_of(after, row.right);
        out.rows.push_back({std::move(row), from, to});
    }
    return out;
}

} // namespace hidet::session
