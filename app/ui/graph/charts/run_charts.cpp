// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/charts/run_charts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/canvas/overlay_colors.h"

namespace hidet::ui {

namespace {

// Nodes of one kernel have the hue of what it is made for.
int hueOf(const session::ModelGraph* graph, quint32 node) {
    const session::GraphNode* found = graph ? graph->node(node) : nullptr;
    return found && found->family != session::OpFamily::Other ? int(found->family) : ChartBar::muted;
}

// As the graph colours families of operators.
std::vector<QColor> familyColors(const Theme& theme) {
    session::Overlay overlay;
    overlay.kind = session::OverlayKind::Family;
    overlay.classes.resize(std::size_t(session::OpFamily::Other) + 1);
    for (std::size_t i = 0; i < overlay.classes.size(); ++i)
        overlay.hues.push_back(std::uint32_t(i));
    const OverlayColors colors(theme, overlay);
    std::vector<QColor> out;
    for (std::size_t i = 0; i < overlay.classes.size(); ++i)
        out.push_back(colors.ofClass(quint32(i)));
    return out;
}

// Rows of an older state of the model may name nodes that are others now: their keys and names say which they are.
class KernelsByKey {
public:
    explicit KernelsByKey(const session::ModelGraph* graph) {
        if (graph)
            for (const session::GraphKernel& kernel : graph->kernels)
                m_kernels[kernel.key] = &kernel;
    }

    const session::GraphKernel* find(const std::string& key) const { return value_in(m_kernels, key, nullptr); }

private:
    std::unordered_map<std::string, const session::GraphKernel*> m_kernels;
};

quint32 nodeOf(const session::ModelGraph* graph, const session::ModelNodeError& row) {
    const session::GraphNode* node = graph ? graph->node(row.node_id) : nullptr;
    return node && node->op == row.op ? row.node_id : session::no_id;
}

QString nameOfRow(const session::MemoryRow& row) {
    if (!row.name.empty())
        return text(row.name);
    return row.place == "workspace" ? tr("workspace of step %1").arg(row.first_step) : tr("a tensor without a name");
}

const session::ModelGraph* lastOf(const session::SnapshotPtr& snapshot) {
    return snapshot ? snapshot->last() : nullptr;
}

// Of the kernel that the step launches.
quint32 anchorOf(const session::ModelSnapshot& snapshot, std::size_t step) {
    const session::ModelGraph* graph = snapshot.last();
    const std::uint32_t kernel = step < snapshot.steps.size() ? snapshot.steps[step].kernel : session::no_id;
    return graph && kernel < graph->kernels.size() ? graph->kernels[kernel].anchor : session::no_id;
}

// Names of fused kernels may be lines long.
QString elided(const QString& name) {
    constexpr qsizetype most = 60;
    return name.size() > most ? name.left(most - 1) + QChar(0x2026) : name;
}

// What runs between two times, the longest first.
QString sumOf(const session::ModelBenchResult& bench, double from, double to) {
    struct Share {
        QString name;
        double seconds = 0;
        int times = 0;
    };
    std::map<std::string, Share> shares;
    double busy = 0;
    int steps = 0;
    for (const session::ModelStepRow& row : bench.steps) {
        const double inside = std::min(to, row.start_seconds + row.run_seconds) - std::max(from, row.start_seconds);
        if (inside <= 0)
            continue;
        Share& share = shares[row.kernel];
        share = {elided(text(row.kernel)), share.seconds + inside, share.times + 1};
        busy += inside;
        ++steps;
    }
    std::vector<Share> sorted = transformed(shares, [](const auto& each) { return each.second; });
    std::ranges::stable_sort(sorted, std::ranges::greater(), &Share::seconds);
    QStringList lines{(steps == 1 ? tr("%1: %2 step runs for %3") : tr("%1: %2 steps run for %3"))
                          .arg(timeText(to - from))
                          .arg(steps)
                          .arg(timeText(busy))};
    for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 4); ++i)
        lines << tr("%1 x %2: %3, %4")
                     .arg(sorted[i].times)
                     .arg(sorted[i].name, timeText(sorted[i].seconds), percentText(sorted[i].seconds / busy));
    return lines.join('\n');
}

} // namespace

QString joined(const std::vector<std::string>& names, std::size_t most) {
    QStringList out;
    for (std::size_t i = 0; i < names.size() && i < most; ++i)
        out << text(names[i]);
    const QString all = out.join(", ");
    return names.size() > most ? tr("%1 and %2 more").arg(all).arg(names.size() - most) : all;
}

ModelChart timelineChart(const session::SnapshotPtr& snapshot,
                         const std::shared_ptr<const session::ModelBenchResult>& bench, bool isStale) {
    ModelChart out;
    const session::ModelGraph* graph = lastOf(snapshot);
    const KernelsByKey kernels(graph);
    const bool hasHost = std::ranges::any_of(bench->steps, [](const auto& row) { return row.is_host; });
    double end = 0, sum = 0;
    for (const session::ModelStepRow& row : bench->steps) {
        ChartBar bar;
        bar.left = row.start_seconds;
        bar.right = row.start_seconds + row.run_seconds;
        bar.bottom = row.is_host ? 1 : 0;
        const session::GraphKernel* kernel = kernels.find(row.group);
        bar.hue = row.is_host || !kernel ? ChartBar::muted : hueOf(graph, kernel->anchor);
        out.chart.bars.push_back(bar);
        out.items.push_back(kernel ? GraphItem::ofNode(kernel->anchor) : GraphItem{});
        out.nodes.push_back(kernel ? kernel->nodes : std::vector<quint32>());
        end = std::max(end, bar.right);
        sum += row.seconds;
    }
    Chart& chart = out.chart;
    chart.isStale = isStale;
    chart.palette = familyColors;
    chart.name = tr("Timeline of one run");
    chart.summary = tr("%1 steps in %2").arg(bench->steps.size()).arg(timeText(end));
    chart.x = timeAxis(bench->is_replayed ? tr("time of one run, steps one after the other by their medians")
                                          : tr("time of one run"),
                       end);
    chart.lanes << tr("Kernels");
    if (hasHost)
        chart.lanes << tr("Host");
    chart.label = [bench](int bar) { return text(bench->steps[std::size_t(bar)].kernel); };
    chart.words = [bench, sum](int bar) {
        const session::ModelStepRow& row = bench->steps[std::size_t(bar)];
        QStringList lines{text(row.kernel)};
        if (!row.nodes.empty())
            lines << joined(row.nodes, 4);
        lines << tr("%1, %2 of all steps; begins at %3")
                     .arg(timeText(row.seconds, row.seconds * row.spread / 2),
                          percentText(sum > 0 ? row.seconds / sum : 0), timeText(row.start_seconds));
        if (row.is_host)
            lines << tr("The host does it");
        else if (row.least_seconds > 0 && row.seconds >= row.least_seconds)
            lines << tr("%1 of roofline (%2)").arg(percentText(row.least_seconds / row.seconds), text(row.bound));
        return lines.join('\n');
    };
    chart.sum = [bench](double from, double to) { return sumOf(*bench, from, to); };
    chart.header = {tr("step"),      tr("kernel"), tr("operators"), tr("start, s"),
                    tr("median, s"), tr("spread"), tr("least, s")};
    chart.row = [bench](int bar) {
        const session::ModelStepRow& row = bench->steps[std::size_t(bar)];
        return QStringList{QString::number(row.step),         text(row.kernel),
                           joined(row.nodes, SIZE_MAX),       QString::number(row.start_seconds),
                           QString::number(row.seconds),      QString::number(row.spread),
                           QString::number(row.least_seconds)};
    };
    return out;
}

ModelChart memoryChart(const session::SnapshotPtr& snapshot) {
    ModelChart out;
    const session::ModelGraph* graph = lastOf(snapshot);
    auto rows = std::make_shared<std::vector<session::MemoryRow>>();
    for (const session::MemoryRow& row : snapshot->memory)
        if (row.offset && row.bytes && *row.bytes > 0 && row.place != "alias")
            rows->push_back(row);
    std::ranges::stable_sort(*rows, [](const auto& a, const auto& b) {
        return a.first_step != b.first_step ? a.first_step < b.first_step : *a.offset < *b.offset;
    });
    double top = snapshot->arena_bytes.value_or(0), steps = double(snapshot->steps.size());
    for (const session::MemoryRow& row : *rows) {
        const session::GraphValue* value = graph ? graph->value(row.value) : nullptr;
        const quint32 producer = value ? value->producer : anchorOf(*snapshot, row.first_step);
        out.chart.bars.push_back({double(row.first_step), double(row.last_step) + 1, *row.offset,
                                  *row.offset + *row.bytes,
                                  producer == session::no_id ? ChartBar::muted : hueOf(graph, producer)});
        out.items.push_back(producer != session::no_id ? GraphItem::ofNode(producer)
                            : value                    ? GraphItem::ofValue(row.value)
                                                       : GraphItem{});
        out.nodes.push_back(producer == session::no_id ? std::vector<quint32>() : std::vector<quint32>{producer});
        out.values.push_back(row.value);
        top = std::max(top, *row.offset + *row.bytes);
        steps = std::max(steps, double(row.last_step) + 1);
    }
    Chart& chart = out.chart;
    chart.palette = familyColors;
    chart.name = tr("Tensors in memory");
    chart.summary = tr("%1 tensors in %2 of memory, over %3 steps").arg(rows->size()).arg(bytesText(top)).arg(steps);
    chart.x = {tr("step of the run"), 0, std::max(1.0, steps), 1, false, true};
    chart.y = bytesAxis(tr("offset"), top);
    chart.y.max = top > 0 ? top * 1.08 : 1; // room for the line and its words
    const double bound = snapshot->arena_bound.value_or(0);
    if (snapshot->arena_bytes && bound == *snapshot->arena_bytes) {
        chart.lines.push_back({top, tr("%1, as little as any plan takes").arg(bytesText(top)), false});
    } else if (snapshot->arena_bytes) {
        chart.lines.push_back({*snapshot->arena_bytes, tr("%1 in all").arg(bytesText(*snapshot->arena_bytes)), false});
        if (bound > 0)
            chart.lines.push_back({bound, tr("%1 at least").arg(bytesText(bound)), true});
    }
    chart.label = [rows](int bar) { return nameOfRow((*rows)[std::size_t(bar)]); };
    chart.words = [rows](int bar) {
        const session::MemoryRow& row = (*rows)[std::size_t(bar)];
        const QString type = row.dtype.empty() ? QString() : ": " + text(row.dtype) + text(row.shape);
        return tr("%1%2\n%3 at %4\nSteps %5 to %6")
            .arg(nameOfRow(row), type, bytesText(*row.bytes), bytesText(*row.offset))
            .arg(row.first_step)
            .arg(row.last_step);
    };
    chart.header = {tr("tensor"), tr("type"),       tr("shape"),    tr("bytes"),
                    tr("offset"), tr("first step"), tr("last step")};
    chart.row = [rows](int bar) {
        const session::MemoryRow& row = (*rows)[std::size_t(bar)];
        return QStringList{text(row.name),
                           text(row.dtype),
                           text(row.shape),
                           fixedText(*row.bytes, 0),
                           fixedText(*row.offset, 0),
                           QString::number(row.first_step),
                           QString::number(row.last_step)};
    };
    return out;
}

ModelChart errorChart(const session::SnapshotPtr& snapshot,
                      const std::shared_ptr<const session::ModelRunResult>& comparison, bool isStale) {
    ModelChart out;
    const session::ModelGraph* graph = lastOf(snapshot);
    double least = INFINITY, greatest = 0;
    std::set<double> tolerances;
    for (const session::ModelNodeError& row : comparison->nodes) {
        tolerances.insert(row.tolerance);
        if (row.relative > 0 && std::isfinite(row.relative)) {
            least = std::min(least, row.relative);
            greatest = std::max(greatest, row.relative);
        }
    }
    if (!tolerances.empty()) {
        least = std::min(least, *tolerances.begin());
        greatest = std::max(greatest, *tolerances.rbegin());
    }
    Chart& chart = out.chart;
    chart.y = errorAxis(tr("relative error"), least, greatest);
    for (std::size_t i = 0; i < comparison->nodes.size(); ++i) {
        const session::ModelNodeError& row = comparison->nodes[i];
        chart.bars.push_back({double(i) + 0.1, double(i) + 0.9, chart.y.min, std::max(chart.y.min, row.relative),
                              row.is_bad ? ChartBar::error : hueOf(graph, row.node_id)});
        const quint32 node = nodeOf(graph, row);
        out.items.push_back(node == session::no_id ? GraphItem{} : GraphItem::ofNode(node));
        out.nodes.push_back(node == session::no_id ? std::vector<quint32>() : std::vector<quint32>{node});
    }
    chart.isStale = isStale;
    chart.palette = familyColors;
    chart.name = tr("Error of each operator");
    chart.summary = tr("%1 operators").arg(comparison->nodes.size());
    chart.x = {
        tr("operators in the order of the run"), 0, std::max(1.0, double(comparison->nodes.size())), 1, false, true};
    std::size_t lines = 0;
    for (const double tolerance : tolerances)
        if (tolerance > 0 && ++lines <= 3)
            chart.lines.push_back({tolerance, tr("tolerance %1").arg(numberText(tolerance)), true});
    chart.words = [comparison](int bar) {
        const session::ModelNodeError& row = comparison->nodes[std::size_t(bar)];
        const QString head =
            text(row.node) == text(row.op) ? text(row.op) : tr("%1 (%2)").arg(text(row.node), text(row.op));
        return tr("%1\n%2 of the greatest magnitude, %3 may be; %4 at most")
                   .arg(head, numberText(row.relative), numberText(row.tolerance), numberText(row.max_absolute)) +
               (row.is_bad ? tr("\nOut of tolerance") : QString());
    };
    chart.header = {tr("operator"),       tr("kind"),      tr("kernel"),
                    tr("relative error"), tr("tolerance"), tr("absolute error")};
    chart.row = [comparison](int bar) {
        const session::ModelNodeError& row = comparison->nodes[std::size_t(bar)];
        return QStringList{text(row.node),
                           text(row.op),
                           text(row.kernel),
                           QString::number(row.relative),
                           QString::number(row.tolerance),
                           QString::number(row.max_absolute)};
    };
    return out;
}

} // namespace hidet::ui
