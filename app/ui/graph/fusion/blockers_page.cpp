// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/blockers_page.h"

#include <algorithm>

#include <QAbstractTableModel>
#include <QHeaderView>
#include <QStackedWidget>

#include "app/session/model/tune/what_if.h"
#include "app/session/model/view/model_view.h"
#include "app/ui/core/dispose.h"
#include "app/ui/core/theme.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/fusion/choice_actions.h"
#include "app/ui/graph/tables/figure_unit.h"
#include "app/ui/graph/tables/short_name.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

using session::GraphBlocker;

namespace {

QString text(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

// The edges that were not fused, with the condition that failed, as a table that filters and sorts itself.
class BlockerModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Producer, Consumer, Reason, Tensor, Bytes, ColumnCount };

    explicit BlockerModel(ThemeSource& themes, QObject* parent = nullptr)
        : QAbstractTableModel(parent), m_themes(themes) {}

    // The last graph of the snapshot; null: nothing.
    void show(session::SnapshotPtr snapshot) {
        change([&] { hold(m_snapshot, std::move(snapshot)); });
    }

    std::size_t all() const { return m_snapshot && m_snapshot->last() ? m_snapshot->last()->blockers.size() : 0; }

    std::size_t countOf(const std::string& reason) const {
        if (all() == 0)
            return 0;
        const std::vector<GraphBlocker>& list = graph().blockers;
        return static_cast<std::size_t>(
            std::count_if(list.begin(), list.end(), [&](const GraphBlocker& each) { return each.reason == reason; }));
    }

    // Empty: all
    void setReason(const std::string& id) {
        change([&] { m_reason = id; });
    }

    void setFilter(const QString& text) {
        change([&] { m_filter = text.toLower().toStdString(); });
    }

    const session::GraphBlocker& blocker(int row) const {
        return graph().blockers[static_cast<std::size_t>(m_rows[static_cast<std::size_t>(row)])];
    }

    // -1: not shown
    int rowOf(quint32 value, quint32 consumer) const {
        for (int row = 0; row < rowCount(); ++row)
            if (blocker(row).value == value && blocker(row).consumer == consumer)
                return row;
        return -1;
    }

    // Column -1: in the order of the graph
    void sort(int column, Qt::SortOrder order) override {
        change([&] { m_column = column, m_order = order; });
    }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }

    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }

    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (orientation != Qt::Horizontal)
            return {};
        if (role == Qt::TextAlignmentRole)
            return int(Qt::AlignVCenter | (section == Bytes ? Qt::AlignRight : Qt::AlignLeft));
        if (role == Qt::ToolTipRole && section == Bytes)
            return tr("Of the tensor between the two, which one kernel writes and another reads");
        if (role != Qt::DisplayRole)
            return {};
        const QString titles[] = {tr("From"), tr("To"), tr("Why they are not fused"), tr("Tensor"),
                                  tr("Size, %1").arg(m_unit.name)};
        return titles[section];
    }

    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid())
            return {};
        const GraphBlocker& shown = blocker(index.row());
        switch (role) {
        case Qt::DisplayRole:
            return index.column() < Reason ? shortName(textOf(shown, index.column())) : textOf(shown, index.column());
        case Qt::ToolTipRole:
            return index.column() == Reason ? QString::fromStdString(shown.text) : textOf(shown, index.column());
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter | (index.column() == Bytes ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ForegroundRole:
            if (index.column() == Tensor)
                return m_themes.theme().muted;
            return index.column() == Reason && shown.reason == "forbidden" ? m_themes.theme().accent
                                                                           : m_themes.theme().text;
        default: return {};
        }
    }

private:
    template <class How>
    void change(const How& how) {
        beginResetModel();
        how();
        arrange();
        endResetModel();
    }
    const session::ModelGraph& graph() const { return *m_snapshot->last(); }

    std::string_view nameOf(quint32 node) const {
        const session::GraphNode* found = graph().node(node);
        return found ? std::string_view(found->name) : std::string_view();
    }

    std::optional<double> bytesOf(const session::GraphBlocker& blocker) const {
        const session::GraphValue* value = graph().value(blocker.value);
        return value ? value->bytes : std::nullopt;
    }

    QString textOf(const session::GraphBlocker& blocker, int column) const {
        switch (column) {
        case Producer: return text(nameOf(blocker.producer));
        case Consumer: return text(nameOf(blocker.consumer));
        case Reason: return conditionOf(blocker);
        case Tensor: {
            const session::GraphValue* value = graph().value(blocker.value);
            return value ? QString::fromStdString(value->dtype + " " + value->shape) : QString();
        }
        default: {
            const auto bytes = bytesOf(blocker);
            return bytes ? m_unit.text(*bytes) : QString();
        }
        }
    }

    // The names and the tensor have columns of their own.
    QString conditionOf(const session::GraphBlocker& blocker) const {
        const QString text = QString::fromStdString(blocker.condition);
        return blocker.is_within ? tr("%1 (within one group)").arg(text) : text;
    }

    bool accepts(const session::GraphBlocker& blocker) const {
        if (!m_reason.empty() && blocker.reason != m_reason)
            return false;
        // The text has the names, the tensor and the reason.
        const auto same = [](char a, char b) {
            return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
        };
        return std::search(blocker.text.begin(), blocker.text.end(), m_filter.begin(), m_filter.end(), same) !=
                   blocker.text.end() ||
               m_filter.empty();
    }

    void arrange() {
        m_rows.clear();
        double greatest = 0;
        for (std::size_t i = 0; i < all(); ++i) {
            greatest = std::max(greatest, bytesOf(graph().blockers[i]).value_or(0));
            if (accepts(graph().blockers[i]))
                m_rows.push_back(static_cast<int>(i));
        }
        m_unit = unitOfBytes(greatest);
        if (m_column < 0)
            return;
        struct Key {
            std::string_view text;
            double bytes = 0;
            int place = 0;
        };
        std::vector<Key> keys;
        for (const int row : m_rows) {
            const GraphBlocker& each = graph().blockers[static_cast<std::size_t>(row)];
            keys.push_back({m_column == Producer   ? nameOf(each.producer)
                            : m_column == Consumer ? nameOf(each.consumer)
                            : m_column == Reason   ? std::string_view(each.reason)
                                                   : std::string_view(),
                            m_column >= Tensor ? bytesOf(each).value_or(-1) : 0, row});
        }
        const bool down = m_order == Qt::DescendingOrder;
        std::stable_sort(keys.begin(), keys.end(), [down](const Key& a, const Key& b) {
            const Key &x = down ? b : a, &y = down ? a : b;
            return x.text == y.text ? x.bytes < y.bytes : x.text < y.text;
        });
        std::transform(keys.begin(), keys.end(), m_rows.begin(), [](const Key& key) { return key.place; });
    }

    ThemeSource& m_themes;
    session::SnapshotPtr m_snapshot;
    std::vector<int> m_rows; // places in the graph's list
    FigureUnit m_unit;
    std::string m_reason;
    std::string m_filter; // in lower case
    int m_column = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
};

BlockersPage::BlockersPage(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_list(new BlockerModel(studio.themes, this)),
      m_reasons(named(new QComboBox(this), "fusion.reasons", tr("Reason"))),
      m_filter(newSearchField(this, "fusion.blockers_filter", tr("Filter edges"), tr("Filter"))),
      m_table(named(new QTableView(this), "fusion.blockers", tr("Edges that were not fused"))),
      m_body(new QStackedWidget(this)), m_empty(new EmptyState(this)) {
    m_reasons->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_reasons->setMinimumContentsLength(36);
    m_filter->setMaximumWidth(200);
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

    m_body->addWidget(m_table);
    m_body->addWidget(m_empty);
    newColumn(this, {newRow({8, 4, 8, 4}, 8, {m_reasons, {m_filter, 1}, stretched(0)}), {m_body, 1}});

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
    studio.themes.follow(this, &BlockersPage::applyTheme);
}

std::size_t BlockersPage::count() const {
    return m_list->all();
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
    const session::SnapshotPtr snapshot = model ? model->graphs().snapshot() : nullptr;
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
                m_reasons->addItem(tr("%1 (%2)").arg(capitalized(text(kind.text))).arg(count),
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
    const GraphItem item = m_model ? m_model->selection().selected() : GraphItem();
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
    m_model->graphs().setShown(-1);
    m_model->selection().goTo(item, this);
    m_studio.notices.showStatus(capitalized(why));
}

void BlockersPage::step() {
    if (m_list->rowCount() == 0) {
        m_reasons->setCurrentIndex(0);
        m_filter->clear();
    }
    if (!m_model || m_list->rowCount() == 0)
        return;
    const GraphItem item = m_model->selection().selected();
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
    QMenu* menu = newMenu(this);
    addChoiceActions(*menu, m_studio, *m_model, m_model->selection().selected());
    const session::GraphBlocker& blocker = m_list->blocker(index.row());
    for (const quint32 node : {blocker.producer, blocker.consumer}) {
        const session::GraphNode* found = m_model->graphs().last() ? m_model->graphs().last()->node(node) : nullptr;
        if (!found)
            continue;
        auto* part = menu->addMenu(QString::fromStdString(found->name));
        addChoiceActions(*part, m_studio, *m_model, GraphItem::ofNode(node));
        part->menuAction()->setVisible(!part->isEmpty());
    }
    popUp(*menu, *m_table, index, at);
}

} // namespace hidet::ui

#include "blockers_page.moc"
