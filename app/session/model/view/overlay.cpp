// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/overlay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "app/session/model/compare/graph_changes.h"
#include "app/session/model/view/kernel_figures.h"
#include "app/session/model/view/node_origins.h"
#include "app/session/model/view/node_placements.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr double widest_linear_scale = 100; // from the least to the greatest
constexpr const char* not_measured = "Nothing is measured yet. Run the model (F5) to measure it.";
constexpr const char* not_compared =
    "Nothing is compared yet. Compare the model with double precision to see how far each "
    "operator is from it.";
constexpr const char* no_kernels = "Kernels are not formed yet. They appear once the model is optimised.";
constexpr const char* not_known =
    "It is known of no operator here. If it depends on dynamic dimensions, give them values.";
constexpr const char* no_numbers = "No file with numbers is chosen. Choose one: Colour by numbers from a file.";
constexpr const char* no_number = "no number";
constexpr const char* not_shared =
    "One process computes the model. Settings, Run, Processes of a model: how many share it.";
constexpr const char* no_roofs = "What the device allows is not known: it was not measured on one.";

// The widest first; hues are places in it.
constexpr std::array<std::string_view, 20> known_types = {
    "float32", "float16", "bfloat16", "float64", "int64",  "int32",  "int8",   "uint8", "bool",        "tfloat32",
    "int16",   "int4",    "uint4",    "uint16",  "uint32", "uint64", "string", "",      "float8_e4m3", "float8_e5m2"};

bool is_floating(std::string_view dtype) {
    return dtype.starts_with("float") || dtype.starts_with("bfloat") || dtype.starts_with("tfloat");
}

std::optional<double> greatest_of(std::optional<double> a, std::optional<double> b) {
    return !a || (b && !(*b <= *a)) ? b : a;
}

// The numbers of a file, by name, and which names something has. Of an operator: by its name or key; else by its kernel; else as
// what it came from. Of several the greatest.
class FileNumbers {
public:
    FileNumbers(const NumberFile& file, const ModelSnapshot& snapshot, const KernelTable& kernels)
        : m_file(file), m_snapshot(snapshot), m_kernels(kernels), m_nodes(snapshot) {
        for (const NamedNumber& each : file.numbers)
            m_numbers.emplace(each.name, Entry{each.value});
        for (const GraphNode* node : m_nodes.all()) {
            meet(node->name);
            meet(node->key);
        }
        if (const ModelGraph* last = snapshot.last())
            for (const GraphKernel& kernel : last->kernels)
                for (const std::string& name : kernel.names)
                    meet(name);
    }

    std::optional<double> of(const GraphNode& node) const {
        if (const std::optional<double> its = own(node))
            return its;
        std::optional<double> out;
        for (const std::uint32_t row : m_kernels.of(node.id))
            for (const std::string& name : m_snapshot.last()->kernels[row].names)
                out = greatest_of(out, of(name));
        return out ? out : of_origins(node);
    }
    std::vector<std::string> unmet() const {
        std::vector<std::string> out;
        for (const NamedNumber& each : m_file.numbers)
            if (!m_numbers.at(each.name).is_met)
                out.push_back(each.name);
        return out;
    }

private:
    struct Entry {
        double value = 0;
        bool is_met = false;
    };
    void meet(std::string_view name) {
        if (const auto found = m_numbers.find(name); found != m_numbers.end())
            found->second.is_met = true;
    }
    std::optional<double> of(std::string_view name) const {
        const auto found = m_numbers.find(name);
        return found == m_numbers.end() ? std::nullopt : std::optional(found->second.value);
    }
    std::optional<double> own(const GraphNode& node) const { return greatest_of(of(node.name), of(node.key)); }

    std::optional<double> of_origins(const GraphNode& node) const {
        std::optional<double> out;
        const auto has_its_own = [&](const GraphNode& each) { return own(each).has_value(); };
        for (const std::uint32_t id : m_nodes.origins_of(node, has_its_own))
            if (const GraphNode* each = m_nodes.find(id))
                out = greatest_of(out, own(*each));
        return out;
    }

    const NumberFile& m_file;
    const ModelSnapshot& m_snapshot;
    const KernelTable& m_kernels;
    const SnapshotNodes m_nodes;
    std::unordered_map<std::string_view, Entry> m_numbers;
};

// Operators by what they are: a class each, and no numbers.
class ClassReader {
public:
    ClassReader(const ModelSnapshot& snapshot, const ModelGraph& graph, const KernelTable& kernels, Overlay& out)
        : m_snapshot(snapshot), m_graph(graph), m_kernels(kernels), m_out(out) {}

    void families() {
        std::vector<std::uint32_t> numbers = transformed<std::uint32_t>(
            m_graph.nodes, [&](const auto& node) { return static_cast<std::uint32_t>(node->family); });
        classes_of(numbers, [](std::uint32_t number) { return title_of(static_cast<OpFamily>(number)); });
    }

    void precision() {
        std::unordered_map<std::uint32_t, std::string_view> type_of;
        for (const auto& value : m_graph.values)
            type_of[value->id] = value->dtype;
        std::vector<std::string_view> types(known_types.begin(), known_types.end());
        std::vector<std::uint32_t> numbers;
        for (const auto& node : m_graph.nodes) {
            std::string_view type;
            for (const std::uint32_t output : node->outputs)
                if (const auto found = type_of.find(output);
                    found != type_of.end() && (type.empty() || (is_floating(found->second) && !is_floating(type))))
                    type = found->second;
            const auto place = std::find(types.begin(), types.end(), type);
            numbers.push_back(type.empty() ? no_id : static_cast<std::uint32_t>(place - types.begin()));
            if (place == types.end())
                types.push_back(type);
        }
        classes_of(numbers, [&](std::uint32_t number) { return std::string(types[number]); });
    }

    void devices() {
        if (m_kernels.rows().empty()) {
            m_out.unavailable = no_kernels;
            return;
        }
        std::vector<std::uint32_t> numbers;
        for (const NodeReading& reading : m_out.nodes) {
            std::uint32_t number = no_id;
            for (const std::uint32_t kernel : m_kernels.of(reading.node))
                number = std::max(number == no_id ? 0 : number, m_kernels.rows()[kernel].is_host ? 1u : 0u);
            numbers.push_back(number);
        }
        classes_of(numbers, [](std::uint32_t number) { return number ? "Host" : "Kernel"; });
    }

    void placements() {
        if (m_snapshot.placements.empty()) {
            m_out.unavailable = not_shared;
            return;
        }
        const NodePlacements placements(m_snapshot);
        std::vector<std::uint32_t> numbers;
        for (const auto& node : m_graph.nodes)
            numbers.push_back(placements.number_of(*node).value_or(no_id));
        classes_of(numbers, NodePlacements::name_of);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (is_exchange(*m_graph.nodes[i]))
                m_out.nodes[i].text = exchange_text(*m_graph.nodes[i]);
    }

    void changes() {
        if (!m_snapshot.graphs.empty() && &m_graph == m_snapshot.graphs.front().get()) {
            m_out.unavailable = "There is no pass before the import. Show the graph after a later pass.";
            return;
        }
        std::unordered_map<std::uint32_t, std::uint32_t> change;
        for (const std::uint32_t node : m_graph.rewired)
            change[node] = 1;
        for (const std::uint32_t node : m_graph.added)
            change[node] = 0;
        classes_of_changes(change);
        if (m_out.classes.empty())
            m_out.unavailable = cat("The pass '", m_graph.title, "' neither made operators nor wired any anew.");
    }

    void changes_since_import() {
        std::size_t shown = 0;
        while (shown < m_snapshot.graphs.size() && m_snapshot.graphs[shown].get() != &m_graph)
            ++shown;
        if (shown == 0 || shown == m_snapshot.graphs.size()) {
            m_out.unavailable = "This is the graph as it was imported. Show the graph after a later pass.";
            return;
        }
        const GraphChanges found = changes_between(m_snapshot, 0, shown);
        std::unordered_map<std::uint32_t, std::uint32_t> change;
        for (const auto& [node, state] : found.states)
            change[node] = state == PairState::New ? 0 : 1;
        classes_of_changes(change);
        if (!found.total.any())
            m_out.unavailable = "The passes left all operators as they were imported.";
    }

private:
    std::string exchange_text(const GraphNode& node) const {
        const GraphValue* given = node.inputs.empty() ? nullptr : m_graph.value(node.inputs[0]);
        return given && given->bytes ? cat(node.op, " of ", text_of_quantity(*given->bytes, "B")) : node.op;
    }

    void set_class(std::size_t node, std::uint32_t cls) {
        m_out.nodes[node].cls = cls;
        m_out.nodes[node].text = m_out.classes[cls];
    }

    // Of small numbers for each node, those that occur, in order.
    void classes_of(const std::vector<std::uint32_t>& numbers, const auto& name) {
        std::vector<std::uint32_t> present =
            those_in(numbers, [&](const std::uint32_t number) { return number != no_id; });
        std::sort(present.begin(), present.end());
        present.erase(std::unique(present.begin(), present.end()), present.end());
        for (const std::uint32_t number : present) {
            m_out.classes.push_back(name(number));
            m_out.hues.push_back(number);
        }
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (numbers[i] != no_id)
                set_class(i, static_cast<std::uint32_t>(std::lower_bound(present.begin(), present.end(), numbers[i]) -
                                                        present.begin()));
    }

    void classes_of_changes(const std::unordered_map<std::uint32_t, std::uint32_t>& change) {
        std::vector<std::uint32_t> numbers;
        for (const auto& node : m_graph.nodes) {
            const auto found = change.find(node->id);
            numbers.push_back(found == change.end() ? no_id : found->second);
        }
        classes_of(numbers, [](std::uint32_t number) { return number ? "Rewired" : "Made"; });
    }

    const ModelSnapshot& m_snapshot;
    const ModelGraph& m_graph;
    const KernelTable& m_kernels;
    Overlay& m_out;
};

class OverlayReader {
public:
    OverlayReader(const ModelSnapshot& snapshot, const ModelGraph& graph, const ModelFindings& findings)
        : m_snapshot(snapshot), m_graph(graph), m_findings(findings), m_kernels(snapshot, findings),
          m_classes(snapshot, graph, m_kernels, m_out) {}

    Overlay read(OverlayKind kind) {
        m_out.kind = kind;
        m_out.title = info_of(kind).title;
        m_out.unit = info_of(kind).unit;
        for (const auto& node : m_graph.nodes)
            m_out.nodes.emplace_back().node = node->id;
        fill(kind);
        if (!m_out.unavailable.empty())
            for (NodeReading& reading : m_out.nodes)
                reading = {reading.node, {}, no_id, {}, false};
        return std::move(m_out);
    }

private:
    void fill(OverlayKind kind) {
        switch (kind) {
        case OverlayKind::Family: return m_classes.families();
        case OverlayKind::Latency: return measured([](const KernelFigures& kernel) { return kernel.measured; });
        case OverlayKind::Share: return shares();
        case OverlayKind::Predicted: return predicted();
        case OverlayKind::Bytes: return counted(&GraphNode::bytes, &KernelFigures::bytes);
        case OverlayKind::Flops: return counted(&GraphNode::flops, &KernelFigures::flops);
        case OverlayKind::Intensity: return intensity();
        case OverlayKind::OfRoof: return of_roof();
        case OverlayKind::Precision: return m_classes.precision();
        case OverlayKind::Error: return errors();
        case OverlayKind::Device: return m_classes.devices();
        case OverlayKind::Changes: return m_classes.changes();
        case OverlayKind::SinceImport: return m_classes.changes_since_import();
        case OverlayKind::Placement: return m_classes.placements();
        case OverlayKind::Numbers: return numbers();
        }
    }

    bool is_last() const { return &m_graph == m_snapshot.last(); }

    // A node has its part of each of its kernels, of which earlier graphs can name several.
    void of_kernels(const auto& number) {
        std::vector<std::vector<std::uint32_t>> kernels_of(m_out.nodes.size());
        std::vector<double> needed(m_kernels.rows().size());
        std::vector<std::size_t> count(m_kernels.rows().size());
        for (std::size_t i = 0; i < m_out.nodes.size(); ++i) {
            kernels_of[i] = m_kernels.of(m_out.nodes[i].node);
            for (const std::uint32_t kernel : kernels_of[i]) {
                needed[kernel] += alone(i);
                ++count[kernel];
            }
        }
        for (const KernelFigures& kernel : m_kernels.rows()) {
            m_out.kernels.push_back(number(kernel));
            if (count[m_out.kernels.size() - 1] > 0)
                m_out.total += m_out.kernels.back().value_or(0);
        }
        for (std::size_t i = 0; i < m_out.nodes.size(); ++i)
            for (const std::uint32_t kernel : kernels_of[i])
                if (const std::optional<double>& whole = m_out.kernels[kernel]) {
                    const double part =
                        needed[kernel] > 0 ? alone(i) / needed[kernel] : 1 / static_cast<double>(count[kernel]);
                    m_out.nodes[i].value = m_out.nodes[i].value.value_or(0) + *whole * part;
                }
    }

    bool has_measurement() {
        if (m_kernels.rows().empty())
            m_out.unavailable = no_kernels;
        else if (!m_kernels.is_measured())
            m_out.unavailable = not_measured;
        return m_out.unavailable.empty();
    }

    void measured(const auto& number) {
        if (!has_measurement())
            return;
        of_kernels(number);
        finish_numbers();
        begin_at_zero();
    }

    // A colour is as strong as the share is large.
    void begin_at_zero() {
        m_out.least = 0;
        m_out.is_logarithmic = false;
    }

    void shares() {
        double whole = 0;
        for (const KernelFigures& kernel : m_kernels.rows())
            whole += kernel.measured.value_or(0);
        measured([&](const KernelFigures& kernel) -> std::optional<double> {
            if (!kernel.measured || whole <= 0)
                return std::nullopt;
            return *kernel.measured / whole * 100;
        });
    }

    double alone(std::size_t node) const { return predicted_alone(*m_graph.nodes[node], m_snapshot, m_findings); }

    void predicted() {
        m_out.machine = machine_of(m_snapshot, m_findings).name;
        if (!m_kernels.rows().empty() && is_last()) {
            of_kernels([](const KernelFigures& kernel) { return std::optional(kernel.predicted); });
        } else {
            for (std::size_t i = 0; i < m_out.nodes.size(); ++i) {
                m_out.nodes[i].value = alone(i);
                m_out.total += alone(i);
            }
        }
        finish_numbers();
        begin_at_zero();
    }

    // Of the operator itself; kernels need less than the sum, so the total is theirs where there are any.
    void counted(std::optional<double> GraphNode::*of_node, std::optional<double> KernelFigures::*of_kernel) {
        double sum = 0;
        for (std::size_t i = 0; i < m_out.nodes.size(); ++i) {
            m_out.nodes[i].value = (*m_graph.nodes[i]).*of_node;
            sum += m_out.nodes[i].value.value_or(0);
        }
        const bool has_kernels = is_last() && !m_kernels.rows().empty();
        m_out.total = has_kernels ? 0 : sum;
        if (has_kernels)
            for (const KernelFigures& kernel : m_kernels.rows())
                m_out.total += (kernel.*of_kernel).value_or(0);
        finish_numbers();
    }

    void intensity() {
        const DeviceRoofs& roofs = machine_of(m_snapshot, m_findings);
        m_out.machine = roofs.name;
        for (std::size_t i = 0; i < m_out.nodes.size(); ++i) {
            NodeReading& reading = m_out.nodes[i];
            const std::uint32_t kernel = is_last() ? m_kernels.in_last(reading.node) : no_id;
            const auto [flops, bytes] = kernel == no_id
                                            ? std::pair(m_graph.nodes[i]->flops, m_graph.nodes[i]->bytes)
                                            : std::pair(m_kernels.rows()[kernel].flops, m_kernels.rows()[kernel].bytes);
            if (!flops || !bytes || *bytes <= 0)
                continue;
            reading.value = *flops / *bytes;
            reading.text = text_of_quantity(*reading.value, m_out.unit);
            if (roofs.bytes_per_second > 0)
                reading.text +=
                    cat(", ", bound_name(least_time(roofs, {*flops, *bytes, 0, factors_of(i, kernel)}).bound));
        }
        finish_numbers();
    }

    perf::Factors factors_of(std::size_t node, std::uint32_t kernel) const {
        if (kernel == no_id)
            return m_graph.nodes[node]->factors;
        perf::Factors out = perf::Factors::Plain;
        for (const std::uint32_t id : m_kernels.rows()[kernel].nodes)
            if (const GraphNode* found = m_graph.node(id))
                out = std::max(out, found->factors);
        return out;
    }

    void of_roof() {
        if (!has_measurement())
            return;
        m_out.machine = machine_of(m_snapshot, m_findings).name;
        for (NodeReading& reading : m_out.nodes) {
            double seconds = 0, least = 0, longest = 0;
            std::string bound;
            for (const std::uint32_t kernel : m_kernels.of(reading.node)) {
                const KernelFigures& figures = m_kernels.rows()[kernel];
                seconds += figures.measured.value_or(0);
                least += figures.measured_least;
                if (figures.measured_least > longest)
                    bound = figures.bound;
                longest = std::max(longest, figures.measured_least);
            }
            if (seconds <= 0 || least <= 0)
                continue;
            reading.value = least / seconds * 100;
            reading.text = percent_text(least / seconds) + (bound.empty() ? "" : ", " + bound);
        }
        finish_numbers();
        if (!m_out.unavailable.empty()) {
            m_out.unavailable = no_roofs;
            return;
        }
        m_out.least = 0;
        m_out.greatest = std::max(100.0, m_out.greatest);
        m_out.is_logarithmic = false;
    }

    void errors() {
        if (!m_findings.comparison || m_findings.comparison->nodes.empty()) {
            m_out.unavailable = not_compared;
            return;
        }
        std::unordered_multimap<std::string_view, std::size_t> by_name;
        std::unordered_map<std::uint32_t, std::size_t> by_id;
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
            by_name.emplace(m_graph.nodes[i]->name, i);
            by_id.emplace(m_graph.nodes[i]->id, i);
        }
        for (const ModelNodeError& error : m_findings.comparison->nodes) {
            // An id of another revision may be that of another node by now.
            const auto found = by_id.find(error.node_id);
            if (found != by_id.end() && m_graph.nodes[found->second]->name == error.node) {
                note_error(m_out.nodes[found->second], error);
                continue;
            }
            const auto [begin, end] = by_name.equal_range(error.node);
            for (auto each = begin; each != end; ++each)
                note_error(m_out.nodes[each->second], error);
        }
        finish_numbers();
    }

    static void note_error(NodeReading& reading, const ModelNodeError& error) {
        if (!reading.value || error.relative > *reading.value || std::isnan(error.relative))
            reading.value = error.relative;
        reading.is_beyond |= error.is_bad;
    }

    void numbers() {
        if (!m_findings.numbers) {
            m_out.unavailable = no_numbers;
            return;
        }
        m_out.title = m_findings.numbers->title;
        m_out.unit = m_findings.numbers->unit;
        const FileNumbers numbers(*m_findings.numbers, m_snapshot, m_kernels);
        for (std::size_t i = 0; i < m_out.nodes.size(); ++i) {
            NodeReading& reading = m_out.nodes[i];
            reading.value = numbers.of(*m_graph.nodes[i]);
            if (reading.value)
                continue;
            reading.text = no_number;
            ++m_out.without;
        }
        m_out.unmatched = numbers.unmet();
        if (m_out.without < m_out.nodes.size())
            return finish_numbers();
        m_out.unavailable = "The file has no number for any operator here.";
    }

    // Ends of the scale and the texts.
    void finish_numbers() {
        double least = HUGE_VAL, greatest = -HUGE_VAL, least_positive = HUGE_VAL;
        bool has_any = false;
        for (NodeReading& reading : m_out.nodes) {
            if (!reading.value)
                continue;
            has_any = true;
            if (reading.text.empty())
                reading.text = text_of_quantity(*reading.value, m_out.unit);
            if (!std::isfinite(*reading.value))
                continue;
            least = std::min(least, *reading.value);
            greatest = std::max(greatest, *reading.value);
            if (*reading.value > 0)
                least_positive = std::min(least_positive, *reading.value);
        }
        if (!has_any) {
            m_out.unavailable = m_graph.nodes.empty() ? "The graph has no operators." : not_known;
            return;
        }
        if (least > greatest) // nothing finite
            return;
        m_out.is_logarithmic = least_positive < HUGE_VAL && greatest / least_positive > widest_linear_scale;
        m_out.least = m_out.is_logarithmic ? least_positive : least;
        m_out.greatest = greatest;
    }

    const ModelSnapshot& m_snapshot;
    const ModelGraph& m_graph;
    const ModelFindings& m_findings;
    const KernelTable m_kernels;
    Overlay m_out;
    ClassReader m_classes;
};

} // namespace

const std::vector<OverlayInfo>& all_overlays() {
    static const std::vector<OverlayInfo> overlays = {
#define HIDET_OVERLAY(name, id, title, unit, kind, summary)                                                            \
    {OverlayKind::name, id, title, unit, OverlaySource::kind, summary},
#include "app/session/model/view/overlays.def"
    };
    return overlays;
}

const OverlayInfo& info_of(OverlayKind kind) {
    return all_overlays()[static_cast<std::size_t>(kind)];
}

Overlay overlay_of(const ModelSnapshot& snapshot, const ModelGraph& graph, const ModelFindings& findings,
                   OverlayKind kind) {
    return OverlayReader(snapshot, graph, findings).read(kind);
}

bool is_additive(OverlayKind kind) {
    switch (kind) {
    case OverlayKind::Latency:
    case OverlayKind::Share:
    case OverlayKind::Predicted:
    case OverlayKind::Bytes:
    case OverlayKind::Flops: return true;
    default: return false;
    }
}

std::optional<double> on_scale(const Overlay& overlay, const NodeReading& reading) {
    if (!reading.value)
        return std::nullopt;
    const double value = *reading.value;
    if (std::isnan(value) || value >= overlay.greatest)
        return overlay.greatest > overlay.least || !std::isfinite(value) ? 1 : 0.5;
    if (value <= overlay.least)
        return 0;
    if (overlay.is_logarithmic)
        return std::log(value / overlay.least) / std::log(overlay.greatest / overlay.least);
    return (value - overlay.least) / (overlay.greatest - overlay.least);
}

} // namespace hidet::session
