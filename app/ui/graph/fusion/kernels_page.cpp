// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/kernels_page.h"

#include <algorithm>

#include <QAbstractItemModel>
#include <QHeaderView>

#include "app/session/model/view/kernel_figures.h"
#include "app/ui/core/dispose.h"
#include "app/ui/core/theme.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/fusion/choice_actions.h"
#include "app/ui/graph/tables/figure_unit.h"
#include "app/ui/graph/tables/operator_table.h"
#include "app/ui/graph/tables/short_name.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

using session::GraphKernel;
using session::GraphNode;
using session::ModelGraph;

// What comes to the anchor through operators of the same kernel is computed before it.
bool leadsTo(const ModelGraph& graph, const GraphKernel& kernel, quint32 from, quint32 to) {
    std::vector<quint32> waiting = {from};
    std::vector<quint32> seen;
    while (!waiting.empty()) {
        const quint32 at = waiting.back();
        waiting.pop_back();
        if (at == to)
            return true;
        if (std::ranges::find(seen, at) != seen.end() || std::ranges::find(kernel.nodes, at) == kernel.nodes.end())
            continue;
        seen.push_back(at);
        if (const GraphNode* node = graph.node(at))
            for (const quint32 output : node->outputs)
                if (const session::GraphValue* value = graph.value(output))
                    waiting.insert(waiting.end(), value->consumers.begin(), value->consumers.end());
    }
    return false;
}

std::string nameOf(const ModelGraph& graph, const GraphKernel& kernel) {
    const GraphNode* anchor = graph.node(kernel.anchor);
    return kernel.is_host && anchor ? anchor->name : titleOfKernel(graph, kernel);
}

} // namespace

// The kernels of a model with the operators in each, as a tree that sorts itself. Texts are made when they are seen: a model
// may have twenty thousand kernels.
class KernelTree : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Holds, Predicted, Measured, Bytes, ColumnCount };

    explicit KernelTree(ThemeSource& themes, QObject* parent = nullptr)
        : QAbstractItemModel(parent), m_themes(themes) {}

    // The last graph of the snapshot; null: nothing.
    void show(session::SnapshotPtr snapshot, const session::ModelFindings& findings, bool isStale) {
        beginResetModel();
        hold(m_snapshot, std::move(snapshot));
        m_stale = isStale;
        m_rows.clear();
        if (m_snapshot && m_snapshot->last()) {
            m_machine = text(session::machine_of(*m_snapshot, findings).name);
            const session::KernelTable kernels(*m_snapshot, findings);
            double time = 0, bytes = 0;
            for (std::size_t i = 0; i < kernels.rows().size(); ++i) {
                const session::KernelFigures& kernel = kernels.rows()[i];
                m_rows.push_back({i, kernel.predicted, kernel.measured});
                time = std::max({time, kernel.predicted, kernel.measured.value_or(0)});
                bytes = std::max(bytes, kernel.bytes.value_or(0));
            }
            m_time = unitOfSeconds(time);
            m_bytes = unitOfBytes(bytes);
        }
        arrange();
        endResetModel();
    }

    std::size_t kernels() const { return m_rows.size(); }

    // Of a kernel its anchor; no_id: nothing is there
    quint32 nodeAt(const QModelIndex& index) const {
        if (!index.isValid())
            return session::no_id;
        const GraphKernel& kernel = kernelAt(index);
        return isOperator(index) ? kernel.nodes[static_cast<std::size_t>(index.row())] : kernel.anchor;
    }

    std::vector<quint32> nodesAt(const QModelIndex& index) const {
        if (!index.isValid())
            return {};
        return isOperator(index) ? std::vector<quint32>{nodeAt(index)} : kernelAt(index).nodes;
    }

    // In its kernel, or the kernel that is that operator alone
    QModelIndex indexOf(quint32 node) const {
        if (!m_snapshot || !m_snapshot->last())
            return {};
        const quint32 kernel = graph().kernel_of(node);
        if (kernel >= m_rowOf.size())
            return {};
        const QModelIndex top = index(m_rowOf[kernel], Name);
        const std::vector<std::uint32_t>& nodes = graph().kernels[kernel].nodes;
        const auto found = std::ranges::find(nodes, node);
        if (nodes.size() < 2 || found == nodes.end())
            return top;
        return index(static_cast<int>(found - nodes.begin()), Name, top);
    }

    void sort(int column, Qt::SortOrder order) override {
        beginResetModel();
        m_column = column;
        m_order = order;
        arrange();
        endResetModel();
    }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override {
        if (row < 0 || column < 0 || row >= rowCount(parent) || column >= ColumnCount)
            return {};
        return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr(0));
    }

    QModelIndex parent(const QModelIndex& index) const override {
        if (!index.isValid() || !isOperator(index))
            return {};
        return createIndex(static_cast<int>(index.internalId() - 1), Name, quintptr(0));
    }

    int rowCount(const QModelIndex& parent = {}) const override {
        if (!parent.isValid())
            return static_cast<int>(m_rows.size());
        if (isOperator(parent) || parent.column() != Name)
            return 0;
        const std::size_t count = kernelAt(parent).nodes.size();
        return count < 2 ? 0 : static_cast<int>(count);
    }

    int columnCount(const QModelIndex& = {}) const override { return ColumnCount; }

    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (orientation != Qt::Horizontal)
            return {};
        if (role == Qt::TextAlignmentRole)
            return int(Qt::AlignVCenter | (section < Predicted ? Qt::AlignLeft : Qt::AlignRight));
        if (role == Qt::ToolTipRole && section == Predicted)
            return tr("Lower bound on %1: the longest of arithmetic, memory and launches").arg(m_machine);
        if (role != Qt::DisplayRole)
            return {};
        switch (section) {
        case Name: return tr("Kernel");
        case Holds: return tr("Operators");
        case Predicted: return tr("Predicted, %1").arg(m_time.name);
        case Measured: return tr("Measured, %1").arg(m_time.name);
        default: return tr("Memory, %1").arg(m_bytes.name);
        }
    }

    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid())
            return {};
        const Theme& theme = m_themes.theme();
        switch (role) {
        case Qt::DisplayRole: return index.column() == Name ? shortName(textOf(index)) : textOf(index);
        case Qt::ToolTipRole: return index.column() < Predicted ? textOf(index) : QVariant();
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter | (index.column() < Predicted ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::ForegroundRole:
            if (index.column() == Measured && m_stale)
                return theme.stale(theme.text);
            return isOperator(index) || index.column() == Holds ? theme.muted : theme.text;
        case Qt::FontRole: return index.column() == Predicted ? QVariant(italic(m_themes.smallFont())) : QVariant();
        default: return {};
        }
    }

private:
    struct Row {
        std::size_t kernel = 0; // place in the graph
        double predicted = 0;
        std::optional<double> measured;
    };
    const session::ModelGraph& graph() const { return *m_snapshot->last(); }

    // That it is, or is in
    const session::GraphKernel& kernelAt(const QModelIndex& index) const {
        const auto row = isOperator(index) ? index.internalId() - 1 : static_cast<quintptr>(index.row());
        return graph().kernels[m_rows[row].kernel];
    }

    bool isOperator(const QModelIndex& index) const { return index.internalId() != 0; }

    QString textOf(const QModelIndex& index) const {
        const GraphKernel& kernel = kernelAt(index);
        if (!isOperator(index))
            switch (index.column()) {
            case Name: return text(nameOf(graph(), kernel));
            case Holds: return titleOf(kernel);
            default: return figureOf(m_rows[static_cast<std::size_t>(index.row())], index.column());
            }
        const GraphNode* node = graph().node(nodeAt(index));
        if (!node || index.column() > Holds)
            return {};
        return index.column() == Name ? text(node->name) : tr("%1, %2").arg(text(node->op), roleOf(kernel, node->id));
    }

    QString titleOf(const session::GraphKernel& kernel) const {
        QStringList ops;
        for (const quint32 id : kernel.nodes) {
            if (ops.size() == 12) {
                ops << QString(QChar(0x2026));
                break;
            }
            if (const GraphNode* node = graph().node(id))
                ops << text(node->op);
        }
        const QString all = ops.join(" + ");
        return kernel.is_host ? tr("%1, on the host").arg(all) : all;
    }

    QString roleOf(const session::GraphKernel& kernel, quint32 node) const {
        if (node == kernel.anchor)
            return tr("anchor");
        return leadsTo(graph(), kernel, node, kernel.anchor) ? tr("before the anchor") : tr("after the anchor");
    }

    QString figureOf(const Row& row, int column) const {
        const GraphKernel& kernel = graph().kernels[row.kernel];
        if (column == Predicted)
            return "~" + m_time.text(row.predicted);
        if (column == Measured)
            return row.measured ? m_time.text(*row.measured) : QString();
        return kernel.bytes ? m_bytes.text(*kernel.bytes) : QString();
    }

    // Without a column in the order of the run; rows without a number come last, whichever way.
    void arrange() {
        std::ranges::sort(m_rows, [](const Row& a, const Row& b) { return a.kernel < b.kernel; });
        const bool down = m_order == Qt::DescendingOrder;
        if (m_column == Name) {
            const std::vector<std::string> names =
                transformed(m_rows, [&](const Row& row) { return nameOf(graph(), graph().kernels[row.kernel]); });
            std::ranges::stable_sort(m_rows, [&](const Row& a, const Row& b) {
                return down ? comesBefore(names[b.kernel], names[a.kernel])
                            : comesBefore(names[a.kernel], names[b.kernel]);
            });
        } else if (m_column >= 0) {
            const auto number = [this](const Row& row) -> std::optional<double> {
                const GraphKernel& kernel = graph().kernels[row.kernel];
                switch (m_column) {
                case Holds: return static_cast<double>(kernel.nodes.size());
                case Predicted: return row.predicted;
                case Measured: return row.measured;
                default: return kernel.bytes;
                }
            };
            std::ranges::stable_sort(m_rows, [&](const Row& a, const Row& b) {
                const auto x = number(a), y = number(b);
                if (!x || !y)
                    return x.has_value() && !y;
                return down ? *y < *x : *x < *y;
            });
        }
        m_rowOf.assign(m_rows.size(), 0);
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            m_rowOf[m_rows[row].kernel] = static_cast<int>(row);
    }

    ThemeSource& m_themes;
    session::SnapshotPtr m_snapshot;
    std::vector<Row> m_rows;  // as shown
    std::vector<int> m_rowOf; // by kernel
    FigureUnit m_time, m_bytes;
    QString m_machine; // that predictions are for
    bool m_stale = false;
    int m_column = -1;
    Qt::SortOrder m_order = Qt::DescendingOrder;
};

KernelsPage::KernelsPage(Studio& studio, QWidget* parent)
    : QTreeView(parent), m_studio(studio), m_tree(new KernelTree(studio.themes, this)) {
    named(this, "fusion.kernels", tr("Kernels"));
    // Before it is measured: Qt gives the font of then back where the page gets another parent.
    setFont(studio.themes.smallFont());
    setModel(m_tree);
    makeTree(*this);
    setTextElideMode(Qt::ElideMiddle); // names begin alike, like paths
    setEditTriggers(NoEditTriggers);
    setContextMenuPolicy(Qt::CustomContextMenu);
    setSortingEnabled(true);
    QHeaderView* columns = header();
    columns->setStretchLastSection(false);
    columns->setSortIndicator(-1, Qt::DescendingOrder);
    columns->setSortIndicatorClearable(true);
    columns->setSectionResizeMode(QHeaderView::Interactive);
    columns->setSectionResizeMode(KernelTree::Holds, QHeaderView::Stretch);
    columns->setMinimumSectionSize(48);
    connect(this, &QTreeView::clicked, this, &KernelsPage::choose);
    connect(this, &QTreeView::activated, this, &KernelsPage::choose);
    connect(this, &QTreeView::customContextMenuRequested, this, &KernelsPage::openMenu);
    studio.themes.follow(this, &KernelsPage::applyTheme);
}

std::size_t KernelsPage::count() const {
    return m_tree->kernels();
}

void KernelsPage::applyTheme() {
    const QFont font = m_studio.themes.smallFont();
    setFont(font);
    const int digit = QFontMetrics(font).horizontalAdvance('0');
    resizeColumn(*header(), KernelTree::Name, 44 * digit);
    for (const int column : {KernelTree::Predicted, KernelTree::Measured, KernelTree::Bytes})
        resizeColumn(*header(), column, 15 * digit);
    viewport()->update();
}

void KernelsPage::show(LiveModel* model) {
    const session::SnapshotPtr snapshot = model ? model->graphs().snapshot() : nullptr;
    const auto bench = model ? model->results().findings().bench : nullptr;
    const bool stale = model && model->results().isStale();
    const bool same = model == m_model && snapshot == m_shown.lock() && bench == m_bench && stale == m_stale;
    m_model = model;
    m_shown = snapshot;
    m_bench = bench;
    m_stale = stale;
    if (same)
        return;
    m_tree->show(snapshot, model ? model->results().findings() : session::ModelFindings{}, stale);
    for (int column = 0; column < m_tree->columnCount({}); ++column) // their titles have other units now
        resizeColumn(*header(), column, header()->sectionSize(column));
    follow();
}

void KernelsPage::follow() {
    const bool isNode = m_model && m_model->selection().selected().kind == GraphItem::Kind::Node;
    const QModelIndex index = isNode ? m_tree->indexOf(m_model->selection().selected().node) : QModelIndex();
    if (!index.isValid())
        return selectionModel()->clearSelection();
    // The row of the kernel stays where it is shut: its operators are not pushed open at every step through the graph.
    const QModelIndex shown = index.parent().isValid() && !isExpanded(index.parent()) ? index.parent() : index;
    if (shown == currentIndex() && selectionModel()->isSelected(shown))
        return;
    setCurrentIndex(shown);
    scrollTo(shown);
}

void KernelsPage::choose(const QModelIndex& index) {
    const std::vector<quint32> nodes = m_tree->nodesAt(index);
    if (!m_model || nodes.empty())
        return;
    m_model->graphs().setShown(-1);
    if (nodes.size() > 1)
        m_model->selection().mark(QSet<quint32>(nodes.begin(), nodes.end()));
    else if (!index.parent().isValid())
        m_model->selection().mark(std::nullopt);
    const GraphItem item = GraphItem::ofNode(m_tree->nodeAt(index));
    m_model->selection().goTo(item, this);
}

void KernelsPage::openMenu(const QPoint& at) {
    const QModelIndex index = currentIndex();
    if (!m_model || !index.isValid())
        return;
    choose(index);
    QMenu* menu = newMenu(this);
    const std::vector<quint32> nodes = m_tree->nodesAt(index);
    if (const auto step = nodes.size() > 1 ? apartStep(*m_model, nodes) : std::nullopt)
        menu->addAction(tr("Keep its operators apart"), m_model,
                        [model = m_model, step] { model->setup().choose(step->choices, step->what); });
    for (Command command : {Command::GraphCode, Command::ModelExportOperator})
        menu->addAction(m_studio.commands.action(command));
    addChoiceActions(*menu, m_studio, *m_model, m_model->selection().selected());
    popUp(*menu, *this, index, at);
}

} // namespace hidet::ui

#include "kernels_page.moc"
