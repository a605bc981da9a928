// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/operator_table.h"

#include <algorithm>
#include <unordered_map>

#include "lang/base/text.h"

namespace hidet::ui {

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

// Past zeros in front; then the number that is longer is the greater one.
std::string_view numberAt(std::string_view text, std::size_t& at) {
    while (at < text.size() && text[at] == '0')
        ++at;
    const std::size_t begin = at;
    while (at < text.size() && isDigit(text[at]))
        ++at;
    return text.substr(begin, at - begin);
}

int compared(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            const std::string_view x = numberAt(a, i), y = numberAt(b, j);
            if (x.size() != y.size())
                return x.size() < y.size() ? -1 : 1;
            if (const int order = x.compare(y))
                return order;
            continue;
        }
        const char x = lower(a[i++]), y = lower(b[j++]);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return static_cast<int>(i < a.size()) - static_cast<int>(j < b.size());
}

bool isAdded(session::OverlayKind kind) {
    switch (kind) {
    case session::OverlayKind::Latency:
    case session::OverlayKind::Predicted:
    case session::OverlayKind::Bytes:
    case session::OverlayKind::Flops: return true;
    default: return false;
    }
}

// Once the model is planned, a group without kernels is a view of what it reads: nothing runs for it.
void addKernels(const session::ModelGraph& graph, bool isPlanned, OperatorTable& table,
                const std::unordered_map<std::uint32_t, std::size_t>& rowOf) {
    for (const session::GraphKernel& kernel : graph.kernels) {
        if (isPlanned && !kernel.is_host && kernel.names.empty())
            continue;
        ++(kernel.is_host ? table.host : table.kernels);
        const std::string title = titleOfKernel(graph, kernel);
        for (const std::uint32_t node : kernel.nodes)
            if (const auto row = rowOf.find(node); row != rowOf.end())
                table.rows[row->second].kernel = title;
    }
}

} // namespace

bool comesBefore(std::string_view a, std::string_view b) {
    return compared(a, b) < 0;
}

std::string titleOfKernel(const session::ModelGraph& graph, const session::GraphKernel& kernel) {
    if (kernel.is_host)
        return "host";
    if (!kernel.names.empty())
        return join(kernel.names, " + ");
    const session::GraphNode* anchor = graph.node(kernel.anchor);
    const std::string name = anchor ? anchor->name : kernel.key;
    return kernel.nodes.size() < 2 ? name : cat(name, " +", kernel.nodes.size() - 1);
}

std::shared_ptr<const OperatorTable> operatorTable(const session::ModelSnapshot& snapshot, std::size_t place,
                                                   const session::ModelFindings& findings, session::OverlayKind kind) {
    auto table = std::make_shared<OperatorTable>();
    table->graph = snapshot.graphs[place];
    const session::ModelGraph& graph = *table->graph;
    table->overlay = session::overlay_of(snapshot, graph, findings, kind);
    table->unit = session::scale_of(table->overlay.greatest, table->info().unit);
    std::unordered_map<std::uint32_t, std::size_t> rowOf;
    table->rows.reserve(graph.nodes.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        OperatorRow row;
        row.node = graph.nodes[i];
        row.reading = std::move(table->overlay.nodes[i]);
        if (isAdded(kind) && row.reading.value && table->overlay.total > 0)
            row.share = *row.reading.value / table->overlay.total;
        if (kind == session::OverlayKind::Share && row.reading.value)
            row.share = *row.reading.value / 100;
        if (!row.node->outputs.empty())
            if (const session::GraphValue* value = graph.value(row.node->outputs.front())) {
                row.shape = value->shape;
                row.dtype = value->dtype;
            }
        rowOf[row.node->id] = i;
        table->rows.push_back(std::move(row));
    }
    table->overlay.nodes.clear();
    addKernels(graph, snapshot.phase == session::ModelPhase::Planned, *table, rowOf);
    return table;
}

} // namespace hidet::ui
