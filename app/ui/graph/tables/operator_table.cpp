// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/tables/operator_table.h"

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

// Compared byte by byte, keys are in the order of the words: a number begins with how long it is, without zeros in front.
std::string keyOf(std::string_view word) {
    std::string key;
    key.reserve(word.size() + 8);
    for (std::size_t at = 0; at < word.size();) {
        if (!isDigit(word[at])) {
            key += lower(word[at++]);
            continue;
        }
        while (at < word.size() && word[at] == '0')
            ++at;
        const std::size_t begin = at;
        while (at < word.size() && isDigit(word[at]))
            ++at;
        key += '0';
        key += static_cast<char>(std::min<std::size_t>(at - begin, 100));
        key += word.substr(begin, at - begin);
    }
    return key;
}

// Of all operators, so that they make the whole: a fused kernel moves fewer bytes than its operators would by themselves.
double sumOf(const session::Overlay& overlay) {
    double sum = 0;
    for (const session::NodeReading& reading : overlay.nodes)
        sum += reading.value.value_or(0);
    return sum;
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

std::array<std::string_view, 5> wordsOf(const OperatorRow& row) {
    return {row.node->name, row.node->op, row.shape, row.dtype, row.kernel};
}

bool comesBefore(std::string_view a, std::string_view b) {
    return keyOf(a) < keyOf(b);
}

void rankWords(std::vector<OperatorRow>& rows) {
    std::vector<std::pair<std::string, std::size_t>> keys;
    keys.reserve(rows.size());
    for (std::size_t column = 0; column < OperatorRow().ranks.size(); ++column) {
        keys.clear();
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (const std::string_view word = wordsOf(rows[i])[column]; !word.empty())
                keys.emplace_back(keyOf(word), i);
        std::sort(keys.begin(), keys.end());
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            rank += i > 0 && keys[i].first != keys[i - 1].first;
            rows[keys[i].second].ranks[column] = rank;
        }
    }
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
    table->unit = scale_of(table->overlay.greatest, table->overlay.unit);
    const double sum = kind == session::OverlayKind::Share ? 100
                       : session::is_additive(kind)        ? sumOf(table->overlay)
                                                           : 0;
    std::unordered_map<std::uint32_t, std::size_t> rowOf;
    table->rows.reserve(graph.nodes.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        OperatorRow row;
        row.node = graph.nodes[i];
        row.reading = std::move(table->overlay.nodes[i]);
        if (sum > 0 && row.reading.value)
            row.share = *row.reading.value / sum;
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
    rankWords(table->rows);
    return table;
}

} // namespace hidet::ui
