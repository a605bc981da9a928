// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/kernels_page.h"

#include <QHeaderView>
#include <QMenu>

#include "app/ui/graph/fusion/choice_actions.h"
#include "app/ui/widgets/columns.h"

namespace hidet::ui {

KernelsPage::KernelsPage(Studio& studio, QWidget* parent)
    : QTreeView(parent), m_studio(studio), m_tree(new KernelTree(studio.themes, this)) {
    setObjectName("fusion.kernels");
    setAccessibleName(tr("Kernels"));
    setModel(m_tree);
    setUniformRowHeights(true);
    setIndentation(16);
    setTextElideMode(Qt::ElideMiddle); // names begin alike, like paths
    setAllColumnsShowFocus(true);
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
    connect(&studio.themes, &ThemeSource::changed, this, &KernelsPage::applyTheme);
    applyTheme();
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
    const session::SnapshotPtr snapshot = model ? model->snapshot() : nullptr;
    const auto bench = model ? model->findings().bench : nullptr;
    const bool stale = model && model->isStale();
    const bool same = model == m_model && snapshot == m_shown.lock() && bench == m_bench && stale == m_stale;
    m_model = model;
    m_shown = snapshot;
    m_bench = bench;
    m_stale = stale;
    if (same)
        return;
    m_tree->show(snapshot, model ? model->findings() : session::ModelFindings{}, stale);
    follow();
}

void KernelsPage::follow() {
    const bool isNode = m_model && m_model->selected().kind == GraphItem::Kind::Node;
    const QModelIndex index = isNode ? m_tree->indexOf(m_model->selected().node) : QModelIndex();
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
    m_model->setShown(-1);
    if (nodes.size() > 1)
        m_model->mark(QSet<quint32>(nodes.begin(), nodes.end()));
    else if (!index.parent().isValid())
        m_model->mark(std::nullopt);
    const GraphItem item = GraphItem::ofNode(m_tree->nodeAt(index));
    m_model->select(item, this);
    m_model->reveal(item);
}

void KernelsPage::openMenu(const QPoint& at) {
    const QModelIndex index = currentIndex();
    if (!m_model || !index.isValid())
        return;
    choose(index);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const std::vector<quint32> nodes = m_tree->nodesAt(index);
    if (const auto step = nodes.size() > 1 ? apartStep(*m_model, nodes) : std::nullopt)
        menu->addAction(tr("Keep its operators apart"), m_model,
                        [model = m_model, step] { model->choose(step->choices, step->what); });
    for (Command command : {Command::GraphCode, Command::ModelExportOperator})
        menu->addAction(m_studio.commands.action(command));
    addChoiceActions(*menu, m_studio, *m_model, m_model->selected());
    const QRect row = visualRect(index);
    const bool byKey = !row.contains(at);
    menu->popup(viewport()->mapToGlobal(byKey ? row.bottomLeft() : at));
}

} // namespace hidet::ui
