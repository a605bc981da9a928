// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compare/compare_models.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "app/session/model/view/graph_index.h"
#include "app/session/model/view/kernel_figures.h"
#include "compiler/graph/core/data.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr std::size_t most_named = 2;

// Sets that grow together.
class Union {
public:
    explicit Union(std::size_t count) : m_parent(count) { std::iota(m_parent.begin(), m_parent.end(), 0u); }
    std::uint32_t find(std::uint32_t at) {
        while (m_parent[at] != at)
            at = m_parent[at] = m_parent[m_parent[at]];
        return at;
    }
    void join(std::uint32_t a, std::uint32_t b) { m_parent[std::max(find(a), find(b))] = std::min(find(a), find(b)); }

private:
    std::vector<std::uint32_t> m_parent;
};

class KernelComparison {
public:
    KernelComparison(const ComparedModel& left, const ComparedModel& right, const GraphMatching& imported)
        : m_models{&left, &right}, m_imported(imported), m_tables{table_of(left, right), table_of(right, left)} {}

    bool is_measured() const { return m_tables[0].is_measured() && m_tables[1].is_measured(); }

    std::vector<ComparedKernels> rows() {
        const std::size_t left = m_tables[0].rows().size(), right = m_tables[1].rows().size();
        Union sets(left + right);
        for (const GraphPair& pair : m_imported.nodes) {
            if (pair.left == no_id || pair.right == no_id)
                continue;
            const std::vector<std::uint32_t> here = m_tables[0].of(pair.left), there = m_tables[1].of(pair.right);
            for (const std::uint32_t a : here)
                for (const std::uint32_t b : there)
                    sets.join(a, static_cast<std::uint32_t>(left) + b);
        }
        std::map<std::uint32_t, ComparedKernels> rows;
        for (std::uint32_t a = 0; a < left; ++a)
            add(rows[sets.find(a)], 0, m_tables[0].rows()[a]);
        for (std::uint32_t b = 0; b < right; ++b)
            add(rows[sets.find(static_cast<std::uint32_t>(left) + b)], 1, m_tables[1].rows()[b]);
        std::vector<ComparedKernels> out;
        for (auto& [set, row] : rows) {
            row.name = name_of(row);
            out.push_back(std::move(row));
        }
        std::ranges::stable_sort(out, std::greater(), &KernelComparison::difference);
        return out;
    }

private:
    // Predictions of both are for the same machine: what one of them was measured on says nothing of the other.
    static KernelTable table_of(const ComparedModel& model, const ComparedModel& other) {
        const bool are_both = model.findings.bench && other.findings.bench;
        return KernelTable(*model.snapshot, are_both ? model.findings : ModelFindings());
    }
    static double difference(const ComparedKernels& row) {
        return std::abs(row.right_seconds.value_or(0) - row.left_seconds.value_or(0));
    }

    void add(ComparedKernels& row, int side, const KernelFigures& kernel) const {
        ++(side == 0 ? row.left_kernels : row.right_kernels);
        std::vector<std::uint32_t>& nodes = side == 0 ? row.left : row.right;
        nodes.insert(nodes.end(), kernel.nodes.begin(), kernel.nodes.end());
        const std::optional<double> seconds = is_measured() ? kernel.measured : std::optional(kernel.predicted);
        std::optional<double>& sum = side == 0 ? row.left_seconds : row.right_seconds;
        if (seconds)
            sum = sum.value_or(0) + *seconds;
        if (is_measured())
            (side == 0 ? row.left_spread : row.right_spread) += kernel.spread;
    }

    std::string name_of(const ComparedKernels& row) const {
        const bool is_left = !row.left.empty();
        const ModelGraph& graph = *m_models[is_left ? 0 : 1]->snapshot->last();
        const std::vector<std::uint32_t>& nodes = is_left ? row.left : row.right;
        std::string out;
        for (std::size_t i = 0; i < std::min(nodes.size(), most_named); ++i)
            if (const GraphNode* node = graph.node(nodes[i]))
                out += cat(i > 0 ? ", " : "", node->name.empty() ? node->op : node->name);
        return nodes.size() > most_named ? cat(out, " and ", nodes.size() - most_named, " more") : out;
    }

    const ComparedModel* m_models[2];
    const GraphMatching& m_imported;
    const KernelTable m_tables[2];
};

// Weights that a document leaves out are made from their hashes: they say something beside another document's alone.
bool are_weights_comparable(const ModelSnapshot& left, const ModelSnapshot& right) {
    const auto is_document = [](const ModelSnapshot& model) { return model.path.ends_with(".json"); };
    return is_document(left) == is_document(right);
}

const lang::Tensor* data_of(const ModelGraph& graph, std::uint32_t id) {
    const GraphValue* value = graph.index ? graph.value(id) : nullptr;
    if (!value || !value->is_constant)
        return nullptr;
    const lang::TensorRef& data = graph.index->graph->value(graph::ValueId{id}).data;
    return data && data->has_data() ? data.get() : nullptr;
}

bool has_other_elements(const ModelGraph& left, std::uint32_t a, const ModelGraph& right, std::uint32_t b) {
    const lang::Tensor *here = data_of(left, a), *there = data_of(right, b);
    if (!here || !there || here == there || here->dtype != there->dtype || here->shape != there->shape)
        return false;
    return std::memcmp(here->read(), there->read(), graph::bytes_of(*here)) != 0;
}

std::vector<std::uint32_t> find_other_weights(const ModelGraph& left, const ModelGraph& right,
                                              const GraphMatching& matching, const std::atomic<bool>* cancelled) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t at = 0; at < matching.nodes.size() && !(cancelled && *cancelled); ++at) {
        const GraphNode* node = left.node(matching.nodes[at].left);
        if (!node || matching.nodes[at].right == no_id)
            continue;
        const bool differs = std::ranges::any_of(node->inputs, [&](std::uint32_t value) {
            const auto partner = matching.value_of_left.find(value);
            return partner != matching.value_of_left.end() && has_other_elements(left, value, right, partner->second);
        });
        if (differs)
            out.push_back(at);
    }
    return out;
}

class TotalsMaker {
public:
    TotalsMaker(const ComparedModel& left, const ComparedModel& right) : m_left(left), m_right(right) {}

    std::vector<ComparedTotal> make() {
        add("Operators in the file", "", OverlaySource::Fact, [](const ModelSnapshot& model) -> Number {
            return static_cast<double>(model.graphs.front()->nodes.size());
        });
        const auto of_totals = [&](const char* title, const char* unit, OverlaySource source,
                                   auto ModelTotals::*field) {
            add(title, unit, source, [=](const ModelSnapshot& model) -> Number {
                return model.phase == ModelPhase::Imported ? Number() : static_cast<double>(model.totals.*field);
            });
        };
        of_totals("Operators after the passes", "", OverlaySource::Fact, &ModelTotals::nodes);
        of_totals("Kernels", "", OverlaySource::Fact, &ModelTotals::kernels);
        of_totals("Launches", "", OverlaySource::Fact, &ModelTotals::launches);
        of_totals("Operations", "FLOP", OverlaySource::Fact, &ModelTotals::flops);
        of_totals("Bytes that kernels move", "B", OverlaySource::Fact, &ModelTotals::bytes);
        add("Weights", "B", OverlaySource::Fact, [](const ModelSnapshot& model) { return model.weight_bytes; });
        add("Memory for results", "B", OverlaySource::Fact,
            [](const ModelSnapshot& model) { return model.arena_bytes; });
        of_totals("Predicted time", "s", OverlaySource::Predicted, &ModelTotals::seconds);
        m_out.push_back({"Measured time", "s", OverlaySource::Measured, measured(m_left), measured(m_right)});
        return std::move(m_out);
    }

private:
    using Number = std::optional<double>;
    void add(const char* title, const char* unit, OverlaySource source, const auto& number) {
        m_out.push_back({title, unit, source, number(*m_left.snapshot), number(*m_right.snapshot)});
    }
    static Number measured(const ComparedModel& model) {
        const auto& bench = model.findings.bench;
        return bench && bench->times.count > 0 ? Number(bench->times.median) : Number();
    }

    const ComparedModel& m_left;
    const ComparedModel& m_right;
    std::vector<ComparedTotal> m_out;
};

} // namespace

bool ComparedKernels::is_within_spread() const {
    return left_seconds && right_seconds &&
           std::abs(*right_seconds - *left_seconds) < std::max(left_spread, right_spread);
}

ModelComparison compare_models(const ComparedModel& left, const ComparedModel& right,
                               const std::atomic<bool>* cancelled) {
    ModelComparison out;
    const ModelGraph &shown = *left.snapshot->graphs[left.shown], &shown_there = *right.snapshot->graphs[right.shown];
    out.matching = match_graphs(shown, shown_there, cancelled);
    if (are_weights_comparable(*left.snapshot, *right.snapshot))
        out.other_weights = find_other_weights(shown, shown_there, out.matching, cancelled);
    const bool are_imports = left.shown == 0 && right.shown == 0;
    const GraphMatching imported =
        are_imports ? out.matching
                    : match_graphs(*left.snapshot->graphs.front(), *right.snapshot->graphs.front(), cancelled);
    if (cancelled && *cancelled)
        return {};
    KernelComparison kernels(left, right, imported);
    out.is_measured = kernels.is_measured();
    out.kernels = kernels.rows();
    out.totals = TotalsMaker(left, right).make();
    return out;
}

std::unordered_map<drawing::Key, drawing::Key> match_groups(const GraphBoxes& left, const GraphBoxes& right,
                                                            const GraphMatching& matching) {
    // An operator speaks for the groups around it, up to the outermost, of one kind with one kind, at the same depth.
    std::vector<std::uint32_t> depth_left(left.groups.size()), depth_right(right.groups.size());
    for (std::size_t i = 1; i < left.groups.size(); ++i)
        depth_left[i] = depth_left[left.drawn.groups[i].parent] + 1;
    for (std::size_t i = 1; i < right.groups.size(); ++i)
        depth_right[i] = depth_right[right.drawn.groups[i].parent] + 1;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> votes;
    for (const GraphPair& pair : matching.nodes) {
        const auto a = left.box_of_node.find(pair.left);
        const auto b = right.box_of_node.find(pair.right);
        if (a == left.box_of_node.end() || b == right.box_of_node.end())
            continue;
        std::uint32_t c = left.drawn.nodes[a->second].group, d = right.drawn.nodes[b->second].group;
        while (c != 0 && d != 0) {
            if (depth_left[c] == depth_right[d] && left.groups[c].kind == right.groups[d].kind)
                ++votes[{c, d}];
            const bool up_left = depth_left[c] >= depth_right[d], up_right = depth_right[d] >= depth_left[c];
            c = up_left ? left.drawn.groups[c].parent : c;
            d = up_right ? right.drawn.groups[d].parent : d;
        }
    }
    std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> best; // of a group: its partner, votes
    for (const auto& [groups, count] : votes)
        if (auto& most = best[groups.first]; count > most.second)
            most = {groups.second, count};
    std::unordered_map<drawing::Key, drawing::Key> out;
    for (const auto& [group, partner] : best)
        out[left.drawn.groups[group].key] = right.drawn.groups[partner.first].key;
    return out;
}

} // namespace hidet::session
