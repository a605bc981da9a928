// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/compare/compare_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScopedValueRollback>

#include "app/ui/core/figures.h"
#include "app/ui/graph/canvas/graph_style.h"
#include "app/ui/widgets/columns.h"
#include "lang/base/text.h"

namespace hidet::ui {

constexpr int widest_column = 360, rows_looked_at = 100;

CompareModel::CompareModel(ThemeSource& themes, QObject* parent) : QAbstractTableModel(parent), m_themes(themes) {
    connect(&themes, &ThemeSource::changed, this, [this] {
        if (rowCount() > 0)
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

void CompareModel::show(const QList<CompareColumn>& columns, CompareRows rows) {
    beginResetModel();
    m_columns = columns;
    m_rows = std::move(rows);
    arrange();
    endResetModel();
}

void CompareModel::setShowsMinor(bool shows) {
    if (shows == m_showsMinor)
        return;
    beginResetModel();
    m_showsMinor = shows;
    arrange();
    endResetModel();
}

void CompareModel::sort(int column, Qt::SortOrder order) {
    beginResetModel();
    m_column = column;
    m_sorting = order;
    arrange();
    endResetModel();
}

// Cells without a number are last, in either order.
void CompareModel::arrange() {
    m_order.clear();
    if (!m_rows)
        return;
    for (qsizetype i = 0; i < m_rows->size(); ++i)
        if (m_showsMinor || !m_rows->at(i).isMinor)
            m_order.push_back(i);
    if (m_column < 0 || m_column >= m_columns.size())
        return;
    const bool isDown = m_sorting == Qt::DescendingOrder;
    std::stable_sort(m_order.begin(), m_order.end(), [&](qsizetype a, qsizetype b) {
        const CompareCell &x = m_rows->at(a).cells[m_column], &y = m_rows->at(b).cells[m_column];
        if (m_columns[m_column].isNumber) {
            if (!x.number || !y.number)
                return x.number && !y.number;
            return isDown ? *x.number > *y.number : *x.number < *y.number;
        }
        const int order = x.text.compare(y.text, Qt::CaseInsensitive);
        return isDown ? order > 0 : order < 0;
    });
}

int CompareModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= m_columns.size())
        return {};
    if (role == Qt::DisplayRole)
        return m_columns[section].title;
    if (role == Qt::TextAlignmentRole)
        return int((m_columns[section].isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

QVariant CompareModel::colorOf(CompareTone tone) const {
    const Theme& theme = m_themes.theme();
    switch (tone) {
    case CompareTone::New:
    case CompareTone::Better: return theme.readable(theme.ok, theme.panel);
    case CompareTone::Gone: return theme.readable(theme.error, theme.panel);
    case CompareTone::Changed:
    case CompareTone::Worse: return theme.readable(theme.warning, theme.panel);
    case CompareTone::Faint: return theme.muted;
    default: return {};
    }
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
    const CompareCell& cell = row(index.row()).cells[index.column()];
    switch (role) {
    case Qt::DisplayRole: return cell.text;
    case Qt::ToolTipRole: return cell.spoken.isEmpty() ? cell.text : cell.spoken;
    case Qt::AccessibleTextRole: return cell.spoken.isEmpty() ? QVariant() : cell.spoken;
    case Qt::ForegroundRole: return colorOf(cell.tone);
    case Qt::TextAlignmentRole:
        return int((m_columns[index.column()].isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole: {
        return cell.tone == CompareTone::Predicted ? QVariant(italic(m_themes.smallFont())) : QVariant();
    }
    default: return {};
    }
}

CompareTable::CompareTable(ThemeSource& themes, const QString& name, QWidget* parent)
    : QTableView(parent), m_model(new CompareModel(themes, this)) {
    setModel(m_model);
    setAccessibleName(name);
    makeList(*this);
    setSelectionMode(SingleSelection);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setStretchLastSection(true);
    horizontalHeader()->setResizeContentsPrecision(rows_looked_at);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    horizontalHeader()->setSortIndicatorClearable(true);
    setSortingEnabled(true);
    themes.follow(this, [this, &themes] {
        setFont(themes.smallFont());
        verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    });
}

void CompareTable::show(const QList<CompareColumn>& columns, CompareRows rows) {
    if (m_model->isShowing(columns, rows))
        return;
    const QScopedValueRollback quiet(m_isQuiet, true);
    GraphItem left, right;
    if (current() >= 0) {
        left = m_model->row(current()).left;
        right = m_model->row(current()).right;
    }
    const bool isFirst = m_model->columnCount() == 0;
    m_model->show(columns, std::move(rows));
    if (isFirst)
        fitColumns();
    selectItem(left, right);
}

void CompareTable::fitColumns() {
    resizeColumnsToContents(); // of the rows that are seen
    for (int i = 0; i + 1 < m_model->columnCount(); ++i)
        setColumnWidth(i, std::min(columnWidth(i) + 8, widest_column));
}

void CompareTable::selectItem(const GraphItem& left, const GraphItem& right) {
    const QScopedValueRollback quiet(m_isQuiet, true);
    const auto is = [](const GraphItem& a, const GraphItem& b) { return a && a == b; };
    if (current() >= 0 && (is(m_model->row(current()).left, left) || is(m_model->row(current()).right, right)))
        return;
    for (int i = 0; i < m_model->rowCount(); ++i)
        if (is(m_model->row(i).left, left) || is(m_model->row(i).right, right)) {
            setCurrentIndex(m_model->index(i, 0));
            return;
        }
    setCurrentIndex({});
}

void CompareTable::step(int by) {
    const int count = m_model->rowCount();
    if (count == 0)
        return;
    const int from = current() < 0 && by < 0 ? 0 : current();
    setCurrentIndex(m_model->index((from + by + count) % count, 0));
}

void CompareTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTableView::currentChanged(current, previous);
    if (!m_isQuiet && current.isValid() && current.row() != previous.row())
        emit chosen(current.row());
}

void CompareTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        QList<int> rows(m_model->rowCount());
        std::iota(rows.begin(), rows.end(), 0);
        QGuiApplication::clipboard()->setText(tsvOf(*m_model, rows));
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current() >= 0) {
        emit chosen(current());
    } else {
        QTableView::keyPressEvent(event);
    }
}

namespace {

using session::GraphPair;
using session::ModelGraph;
using session::PairState;

struct CompareTexts {
    Q_DECLARE_TR_FUNCTIONS(hidet::ui::CompareRows)
};

// By the order of the states.
CompareTone toneOf(PairState state) {
    constexpr CompareTone tones[] = {CompareTone::Plain, CompareTone::Changed, CompareTone::New, CompareTone::Gone};
    return tones[std::size_t(state)];
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
        text = CompareTexts::tr("Only on the right");
    if (pair.state == PairState::Gone)
        text = CompareTexts::tr("Only on the left");
    return {text, {}, pair.is_inherited ? CompareTone::Faint : CompareTone::Plain};
}

// "~" before what is predicted.
CompareCell quantity(std::optional<double> value, const std::string& unit, session::OverlaySource source) {
    if (!value)
        return {QStringLiteral("\u2013"), {}, CompareTone::Faint, CompareTexts::tr("Not known")};
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

// None of what a side lacks.
GraphItem itemOf(quint32 id, GraphItem (*of)(quint32)) {
    return id == session::no_id ? GraphItem() : of(id);
}

QString kernelCount(std::size_t count) {
    return count == 1 ? CompareTexts::tr("1 kernel") : CompareTexts::tr("%1 kernels").arg(count);
}

} // namespace

QString wordOf(PairState state) {
    const QString words[] = {CompareTexts::tr("The same"), CompareTexts::tr("Changed"), CompareTexts::tr("New"),
                             CompareTexts::tr("Removed")};
    return words[std::size_t(state)];
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
                                  itemOf(pair.left, GraphItem::ofValue),
                                  itemOf(pair.right, GraphItem::ofValue)};
    };
    addValues(matching.inputs, CompareTexts::tr("input"));
    auto weights = comparison.other_weights.begin(); // in the order of the pairs
    for (std::uint32_t at = 0; at < matching.nodes.size(); ++at) {
        const GraphPair& pair = matching.nodes[at];
        const bool hasOthers = weights != comparison.other_weights.end() && *weights == at;
        weights += hasOthers;
        if (pair.state == PairState::Same && !hasOthers)
            continue;
        CompareCell words = wordsCell(pair);
        if (hasOthers)
            words.text +=
                words.text.isEmpty() ? CompareTexts::tr("weights differ") : CompareTexts::tr(", weights differ");
        const bool isSame = pair.state == PairState::Same;
        if (isSame)
            words.tone = CompareTone::Faint;
        const CompareCell sign =
            isSame ? CompareCell{QStringLiteral("\u2248"), 4.0, CompareTone::Faint, wordOf(pair.state)}
                   : stateCell(pair.state);
        out << CompareRow{{sign, nodeCell(left, pair.left), nodeCell(right, pair.right), words},
                          itemOf(pair.left, GraphItem::ofNode),
                          itemOf(pair.right, GraphItem::ofNode),
                          pair.is_inherited || isSame};
    }
    addValues(matching.outputs, CompareTexts::tr("output"));
    return out;
}

QList<CompareRow> kernelRows(const session::ModelComparison& comparison) {
    using session::OverlaySource;
    const OverlaySource source = comparison.is_measured ? OverlaySource::Measured : OverlaySource::Predicted;
    QList<CompareRow> out;
    for (const session::ComparedKernels& row : comparison.kernels) {
        const bool isFusedOtherwise = row.left_kernels != row.right_kernels;
        CompareCell how{
            row.left_kernels == 0    ? CompareTexts::tr("Only on the right")
            : row.right_kernels == 0 ? CompareTexts::tr("Only on the left")
            : isFusedOtherwise
                ? CompareTexts::tr("%1 against %2").arg(kernelCount(row.left_kernels)).arg(row.right_kernels)
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
