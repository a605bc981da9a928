// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/compare/compare_rows.h"

#include <cmath>

#include <QCoreApplication>

#include "app/ui/core/figures.h"
#include "app/ui/graph/canvas/graph_style.h"
#include "lang/base/text.h"

namespace hidet::ui {

namespace {

using session::GraphPair;
using session::ModelGraph;
using session::PairState;

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(hidet::ui::CompareRows)
};

CompareTone toneOf(PairState state) {
    switch (state) {
    case PairState::New: return CompareTone::New;
    case PairState::Gone: return CompareTone::Gone;
    case PairState::Changed: return CompareTone::Changed;
    case PairState::Same: break;
    }
    return CompareTone::Plain;
}

CompareCell stateCell(PairState state) {
    return {signOfPair(state), double(state), toneOf(state), wordOf(state)};
}

CompareCell nodeCell(const ModelGraph& graph, quint32 id) {
    const session::GraphNode* node = graph.node(id);
    if (!node)
        return {};
    const QString name = QString::fromStdString(node->name), op = QString::fromStdString(node->op);
    return {name.isEmpty() || name == op ? op : QStringLiteral("%1  %2").arg(op, name)};
}

CompareCell valueCell(const ModelGraph& graph, quint32 id, const QString& kind) {
    const session::GraphValue* value = graph.value(id);
    return {value ? QStringLiteral("%1  %2").arg(kind, QString::fromStdString(value->name)) : QString()};
}

CompareCell wordsCell(const GraphPair& pair) {
    QString text = QString::fromStdString(join(pair.differences, ", "));
    text.replace(QStringLiteral("->"), QStringLiteral("\u2192"));
    if (pair.state == PairState::New)
        text = Texts::tr("Only on the right");
    if (pair.state == PairState::Gone)
        text = Texts::tr("Only on the left");
    return {text, {}, pair.is_inherited ? CompareTone::Faint : CompareTone::Plain};
}

// "~" before what is predicted.
CompareCell quantity(std::optional<double> value, const std::string& unit, session::OverlaySource source) {
    if (!value)
        return {QStringLiteral("\u2013"), {}, CompareTone::Faint, Texts::tr("Not known")};
    const bool isPredicted = source == session::OverlaySource::Predicted;
    const QString text = unit.empty() ? fixedText(*value, 0) : QString::fromStdString(text_of_quantity(*value, unit));
    return {isPredicted ? QStringLiteral("~") + text : text, value,
            isPredicted ? CompareTone::Predicted : CompareTone::Plain};
}

// Of the right to the left: less is better of all that is compared here.
QList<CompareCell> deltas(std::optional<double> left, std::optional<double> right, const std::string& unit,
                          session::OverlaySource source) {
    if (!left || !right)
        return {{}, {}};
    const double delta = *right - *left;
    if (delta == 0)
        return {{QStringLiteral("0"), 0.0, CompareTone::Faint}, {QStringLiteral("0 %"), 0.0, CompareTone::Faint}};
    const CompareTone tone = delta < 0 ? CompareTone::Better : CompareTone::Worse;
    const QString sign = delta < 0 ? QStringLiteral("\u2212") : QStringLiteral("+");
    CompareCell amount = quantity(std::abs(delta), unit, source);
    amount.text = sign + amount.text;
    amount.number = delta;
    if (*left == 0)
        return {amount, {}};
    const double ratio = delta / *left;
    return {amount, {sign + percentText(std::abs(ratio)), ratio * 100, tone}};
}

GraphItem itemOf(const std::vector<std::uint32_t>& nodes) {
    return nodes.empty() ? GraphItem() : GraphItem::ofNode(nodes.front());
}

QString kernelCount(std::size_t count) {
    return count == 1 ? Texts::tr("1 kernel") : Texts::tr("%1 kernels").arg(count);
}

} // namespace

QString wordOf(PairState state) {
    switch (state) {
    case PairState::New: return Texts::tr("New");
    case PairState::Gone: return Texts::tr("Removed");
    case PairState::Changed: return Texts::tr("Changed");
    case PairState::Same: break;
    }
    return Texts::tr("The same");
}

QList<CompareRow> differenceRows(const session::ModelComparison& comparison, const ModelGraph& left,
                                 const ModelGraph& right) {
    const session::GraphMatching& matching = comparison.matching;
    QList<CompareRow> out;
    const auto addValues = [&](const std::vector<GraphPair>& pairs, const QString& kind) {
        for (const GraphPair& pair : pairs)
            if (pair.state != PairState::Same)
                out << CompareRow{{stateCell(pair.state), valueCell(left, pair.left, kind),
                                   valueCell(right, pair.right, kind), wordsCell(pair)},
                                  pair.left == session::no_id ? GraphItem() : GraphItem::ofValue(pair.left),
                                  pair.right == session::no_id ? GraphItem() : GraphItem::ofValue(pair.right)};
    };
    addValues(matching.inputs, Texts::tr("input"));
    auto weights = comparison.other_weights.begin(); // in the order of the pairs
    for (std::uint32_t at = 0; at < matching.nodes.size(); ++at) {
        const GraphPair& pair = matching.nodes[at];
        const bool hasOthers = weights != comparison.other_weights.end() && *weights == at;
        weights += hasOthers;
        if (pair.state == PairState::Same && !hasOthers)
            continue;
        CompareCell words = wordsCell(pair);
        if (hasOthers)
            words.text += words.text.isEmpty() ? Texts::tr("weights differ") : Texts::tr(", weights differ");
        const bool isSame = pair.state == PairState::Same;
        if (isSame)
            words.tone = CompareTone::Faint;
        const CompareCell sign =
            isSame ? CompareCell{QStringLiteral("\u2248"), 4.0, CompareTone::Faint, wordOf(pair.state)}
                   : stateCell(pair.state);
        out << CompareRow{{sign, nodeCell(left, pair.left), nodeCell(right, pair.right), words},
                          pair.left == session::no_id ? GraphItem() : GraphItem::ofNode(pair.left),
                          pair.right == session::no_id ? GraphItem() : GraphItem::ofNode(pair.right),
                          pair.is_inherited || isSame};
    }
    addValues(matching.outputs, Texts::tr("output"));
    return out;
}

QList<CompareRow> kernelRows(const session::ModelComparison& comparison) {
    using session::OverlaySource;
    const OverlaySource source = comparison.is_measured ? OverlaySource::Measured : OverlaySource::Predicted;
    QList<CompareRow> out;
    for (const session::ComparedKernels& row : comparison.kernels) {
        const bool isFusedOtherwise = row.left_kernels != row.right_kernels;
        CompareCell how{row.left_kernels == 0    ? Texts::tr("Only on the right")
                        : row.right_kernels == 0 ? Texts::tr("Only on the left")
                        : isFusedOtherwise
                            ? Texts::tr("%1 against %2").arg(kernelCount(row.left_kernels)).arg(row.right_kernels)
                            : kernelCount(row.left_kernels)};
        how.tone = isFusedOtherwise ? CompareTone::Changed : CompareTone::Faint;
        QList<CompareCell> cells = {{QString::fromStdString(row.name)},
                                    how,
                                    quantity(row.left_seconds, "s", source),
                                    quantity(row.right_seconds, "s", source)};
        cells << deltas(row.left_seconds, row.right_seconds, "s", source);
        out << CompareRow{cells, itemOf(row.left), itemOf(row.right)};
    }
    return out;
}

QList<CompareRow> totalRows(const session::ModelComparison& comparison) {
    QList<CompareRow> out;
    for (const session::ComparedTotal& row : comparison.totals) {
        QList<CompareCell> cells = {{QString::fromStdString(row.title)},
                                    quantity(row.left, row.unit, row.source),
                                    quantity(row.right, row.unit, row.source)};
        cells << deltas(row.left, row.right, row.unit, row.source);
        out << CompareRow{cells, {}, {}};
    }
    return out;
}

} // namespace hidet::ui
