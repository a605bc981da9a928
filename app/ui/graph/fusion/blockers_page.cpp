// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/blockers_page.h"

#include <QHeaderView>
#include <QMenu>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/session/model/tune/what_if.h"
#include "app/ui/graph/fusion/choice_actions.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

BlockersPage::BlockersPage(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_list(new BlockerModel(studio.themes, this)), m_reasons(new QComboBox(this)),
      m_filter(new QLineEdit(this)), m_table(new QTableView(this)), m_body(new QStackedWidget(this)),
      m_empty(new EmptyState(this)) {
    m_reasons->setObjectName("fusion.reasons");
    m_reasons->setAccessibleName(tr("Reason"));
    m_reasons->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_reasons->setMinimumContentsLength(36);
    m_filter->setObjectName("fusion.blockers_filter");
    m_filter->setAccessibleName(tr("Filter edges"));
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(200);
    m_table->setObjectName("fusion.blockers");
    m_table->setAccessibleName(tr("Edges that were not fused"));
    m_table->setModel(m_list);
    makeList(*m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTextElideMode(Qt::ElideMiddle); // names begin alike, like paths
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    QHeaderView* columns = m_table->horizontalHeader();
    columns->setSectionResizeMode(QHeaderView::Interactive);
    columns->setSectionResizeMode(BlockerModel::Reason, QHeaderView::Stretch);
    columns->setSortIndicatorClearable(true);
    columns->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->setSortingEnabled(true);
    setFocusProxy(m_table);

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 4, 8, 4);
    bar->setSpacing(8);
    bar->addWidget(m_reasons);
    bar->addWidget(m_filter, 1);
    bar->addStretch(0);
    m_body->addWidget(m_table);
    m_body->addWidget(m_empty);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_body, 1);

    const auto chosen = [this](const QModelIndex& index) { choose(index.row()); };
    connect(m_table, &QTableView::clicked, this, chosen);
    connect(m_table, &QTableView::activated, this, chosen);
    connect(m_table, &QTableView::customContextMenuRequested, this, &BlockersPage::openMenu);
    connect(m_reasons, &QComboBox::currentIndexChanged, this, [this] {
        m_list->setReason(m_reasons->currentData().toString().toStdString());
        showState();
    });
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_list->setFilter(text);
        showState();
    });
    connect(&studio.themes, &ThemeSource::changed, this, &BlockersPage::applyTheme);
    applyTheme();
}

void BlockersPage::applyTheme() {
    const QFont font = m_studio.themes.smallFont();
    m_table->setFont(font);
    const QFontMetrics metrics(font);
    m_table->verticalHeader()->setDefaultSectionSize(metrics.height() + 8);
    QHeaderView* columns = m_table->horizontalHeader();
    for (const int column : {BlockerModel::Producer, BlockerModel::Consumer})
        resizeColumn(*columns, column, 26 * metrics.horizontalAdvance('0'));
    resizeColumn(*columns, BlockerModel::Tensor, 24 * metrics.horizontalAdvance('0'));
    resizeColumn(*columns, BlockerModel::Bytes, 11 * metrics.horizontalAdvance('0'));
    m_table->viewport()->update();
}

void BlockersPage::show(LiveModel* model) {
    const session::SnapshotPtr snapshot = model ? model->snapshot() : nullptr;
    const bool same = model == m_model && snapshot == m_shown.lock();
    m_model = model;
    m_shown = snapshot;
    if (same)
        return;
    m_list->show(snapshot);
    fillReasons();
    follow();
}

void BlockersPage::fillReasons() {
    const QString before = m_reasons->currentData().toString();
    {
        const QSignalBlocker quiet(m_reasons);
        m_reasons->clear();
        m_reasons->addItem(tr("All reasons (%1)").arg(m_list->all()), QString());
        for (const session::BlockerKind& kind : session::blocker_kinds())
            if (const std::size_t count = m_list->countOf(kind.id))
                m_reasons->addItem(tr("%1 (%2)").arg(sentenceOf(QString::fromStdString(kind.text))).arg(count),
                                   QString::fromStdString(kind.id));
        m_reasons->setCurrentIndex(std::max(0, m_reasons->findData(before)));
    }
    if (m_reasons->currentData().toString() != before)
        m_list->setReason({});
    showState();
}

void BlockersPage::showState() {
    m_body->setCurrentIndex(m_list->rowCount() > 0 ? 0 : 1);
    m_reasons->setEnabled(count() > 0);
    m_filter->setEnabled(count() > 0);
    m_empty->setAction({}, {});
    if (count() > 0) {
        m_empty->say(tr("No edge has these words and this reason"), {});
        m_empty->setAction(tr("Show all"), [this] {
            m_reasons->setCurrentIndex(0);
            m_filter->clear();
        });
    } else if (const auto shown = m_shown.lock(); shown && shown->phase >= session::ModelPhase::Optimised) {
        m_empty->say(tr("Everything is fused"), tr("Every operator shares the kernel of what it reads"));
    } else {
        m_empty->say(tr("Edges that were not fused will appear here"), tr("Kernels are not formed yet"));
    }
}

void BlockersPage::follow() {
    const GraphItem item = m_model ? m_model->selected() : GraphItem();
    const int row = item.kind == GraphItem::Kind::Edge ? m_list->rowOf(item.value, item.node) : -1;
    if (row < 0)
        return m_table->selectionModel()->clearSelection();
    if (row == m_table->currentIndex().row() && m_table->selectionModel()->isRowSelected(row))
        return;
    m_table->setCurrentIndex(m_list->index(row, BlockerModel::Producer));
    m_table->scrollTo(m_table->currentIndex());
}

void BlockersPage::choose(int row) {
    if (!m_model || row < 0 || row >= m_list->rowCount())
        return;
    const session::GraphBlocker& blocker = m_list->blocker(row);
    const QString why = QString::fromStdString(blocker.text);
    const GraphItem item = GraphItem::ofEdge(blocker.value, blocker.consumer);
    m_model->setShown(-1);
    m_model->select(item, this);
    m_model->reveal(item);
    m_studio.showStatus(sentenceOf(why));
}

void BlockersPage::step() {
    if (m_list->rowCount() == 0) {
        m_reasons->setCurrentIndex(0);
        m_filter->clear();
    }
    if (!m_model || m_list->rowCount() == 0)
        return;
    const GraphItem item = m_model->selected();
    int row = item.kind == GraphItem::Kind::Edge ? m_list->rowOf(item.value, item.node) : -1;
    row = (row + 1) % m_list->rowCount();
    m_table->setCurrentIndex(m_list->index(row, BlockerModel::Producer));
    m_table->scrollTo(m_table->currentIndex());
    choose(row);
}

void BlockersPage::openMenu(const QPoint& at) {
    const QModelIndex index = m_table->currentIndex();
    if (!m_model || !index.isValid())
        return;
    choose(index.row());
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addChoiceActions(*menu, m_studio, *m_model, m_model->selected());
    const session::GraphBlocker& blocker = m_list->blocker(index.row());
    for (const quint32 node : {blocker.producer, blocker.consumer}) {
        const session::GraphNode* found = m_model->last() ? m_model->last()->node(node) : nullptr;
        if (!found)
            continue;
        auto* part = menu->addMenu(QString::fromStdString(found->name));
        addChoiceActions(*part, m_studio, *m_model, GraphItem::ofNode(node));
        part->menuAction()->setVisible(!part->isEmpty());
    }
    const QRect row = m_table->visualRect(index);
    menu->popup(m_table->viewport()->mapToGlobal(row.contains(at) ? at : row.bottomLeft()));
}

} // namespace hidet::ui
