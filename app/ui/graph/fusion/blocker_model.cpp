// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/blocker_model.h"

#include <algorithm>

#include "app/ui/core/dispose.h"
#include "app/ui/graph/tables/short_name.h"

namespace hidet::ui {

using session::GraphBlocker;

namespace {

QString text(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

BlockerModel::BlockerModel(ThemeSource& themes, QObject* parent) : QAbstractTableModel(parent), m_themes(themes) {}

void BlockerModel::show(session::SnapshotPtr snapshot) {
    beginResetModel();
    hold(m_snapshot, std::move(snapshot));
    arrange();
    endResetModel();
}

std::size_t BlockerModel::countOf(const std::string& reason) const {
    if (all() == 0)
        return 0;
    const std::vector<GraphBlocker>& list = graph().blockers;
    return static_cast<std::size_t>(
        std::count_if(list.begin(), list.end(), [&](const GraphBlocker& each) { return each.reason == reason; }));
}

void BlockerModel::setReason(const std::string& id) {
    beginResetModel();
    m_reason = id;
    arrange();
    endResetModel();
}

void BlockerModel::setFilter(const QString& text) {
    beginResetModel();
    m_filter = text.toLower().toStdString();
    arrange();
    endResetModel();
}

void BlockerModel::sort(int column, Qt::SortOrder order) {
    beginResetModel();
    m_column = column;
    m_order = order;
    arrange();
    endResetModel();
}

bool BlockerModel::accepts(const GraphBlocker& blocker) const {
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

void BlockerModel::arrange() {
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

const GraphBlocker& BlockerModel::blocker(int row) const {
    return graph().blockers[static_cast<std::size_t>(m_rows[static_cast<std::size_t>(row)])];
}

int BlockerModel::rowOf(quint32 value, quint32 consumer) const {
    for (int row = 0; row < rowCount(); ++row)
        if (blocker(row).value == value && blocker(row).consumer == consumer)
            return row;
    return -1;
}

int BlockerModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

std::string_view BlockerModel::nameOf(quint32 node) const {
    const session::GraphNode* found = graph().node(node);
    return found ? std::string_view(found->name) : std::string_view();
}

std::optional<double> BlockerModel::bytesOf(const GraphBlocker& blocker) const {
    const session::GraphValue* value = graph().value(blocker.value);
    return value ? value->bytes : std::nullopt;
}

QVariant BlockerModel::headerData(int section, Qt::Orientation orientation, int role) const {
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

// The names and the tensor have columns of their own.
QString BlockerModel::conditionOf(const GraphBlocker& blocker) const {
    const QString text = QString::fromStdString(blocker.condition);
    return blocker.is_within ? tr("%1 (within one group)").arg(text) : text;
}

QString BlockerModel::textOf(const GraphBlocker& blocker, int column) const {
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

QVariant BlockerModel::data(const QModelIndex& index, int role) const {
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

} // namespace hidet::ui
