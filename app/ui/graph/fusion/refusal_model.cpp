// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/refusal_model.h"

#include <algorithm>

#include "app/ui/core/retire.h"
#include "app/ui/graph/tables/short_name.h"

namespace hidet::ui {

using session::GraphRefusal;

namespace {

QString text(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

RefusalModel::RefusalModel(ThemeSource& themes, QObject* parent) : QAbstractTableModel(parent), m_themes(themes) {}

void RefusalModel::show(session::SnapshotPtr snapshot) {
    beginResetModel();
    hold(m_snapshot, std::move(snapshot));
    arrange();
    endResetModel();
}

std::size_t RefusalModel::countOf(const std::string& reason) const {
    if (all() == 0)
        return 0;
    const std::vector<GraphRefusal>& list = graph().refusals;
    return static_cast<std::size_t>(
        std::count_if(list.begin(), list.end(), [&](const GraphRefusal& each) { return each.reason == reason; }));
}

void RefusalModel::setReason(const std::string& id) {
    beginResetModel();
    m_reason = id;
    arrange();
    endResetModel();
}

void RefusalModel::setFilter(const QString& text) {
    beginResetModel();
    m_filter = text.toLower().toStdString();
    arrange();
    endResetModel();
}

void RefusalModel::sort(int column, Qt::SortOrder order) {
    beginResetModel();
    m_column = column;
    m_order = order;
    arrange();
    endResetModel();
}

bool RefusalModel::accepts(const GraphRefusal& refusal) const {
    if (!m_reason.empty() && refusal.reason != m_reason)
        return false;
    // The text has the names, the tensor and the reason.
    const auto same = [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
    };
    return std::search(refusal.text.begin(), refusal.text.end(), m_filter.begin(), m_filter.end(), same) !=
               refusal.text.end() ||
           m_filter.empty();
}

void RefusalModel::arrange() {
    m_rows.clear();
    double greatest = 0;
    for (std::size_t i = 0; i < all(); ++i) {
        greatest = std::max(greatest, bytesOf(graph().refusals[i]).value_or(0));
        if (accepts(graph().refusals[i]))
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
        const GraphRefusal& each = graph().refusals[static_cast<std::size_t>(row)];
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

const GraphRefusal& RefusalModel::refusal(int row) const {
    return graph().refusals[static_cast<std::size_t>(m_rows[static_cast<std::size_t>(row)])];
}

int RefusalModel::rowOf(quint32 value, quint32 consumer) const {
    for (int row = 0; row < rowCount(); ++row)
        if (refusal(row).value == value && refusal(row).consumer == consumer)
            return row;
    return -1;
}

int RefusalModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

std::string_view RefusalModel::nameOf(quint32 node) const {
    const session::GraphNode* found = graph().node(node);
    return found ? std::string_view(found->name) : std::string_view();
}

std::optional<double> RefusalModel::bytesOf(const GraphRefusal& refusal) const {
    const session::GraphValue* value = graph().value(refusal.value);
    return value ? value->bytes : std::nullopt;
}

QVariant RefusalModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section == Bytes ? Qt::AlignRight : Qt::AlignLeft));
    if (role == Qt::ToolTipRole && section == Bytes)
        return tr("Of the tensor between the two, which one kernel writes and another reads");
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("From"), tr("To"), tr("Why they do not share a kernel"), tr("Tensor"),
                              tr("Size, %1").arg(m_unit.name)};
    return titles[section];
}

// Without the names and the tensor at its beginning: they have columns of their own.
QString RefusalModel::conditionOf(const GraphRefusal& refusal) const {
    QString text = QString::fromStdString(refusal.text);
    if (const session::GraphValue* value = graph().value(refusal.value)) {
        const QString tensor = QString::fromStdString(value->dtype + value->shape) + ": ";
        if (const qsizetype at = text.indexOf(tensor); at >= 0)
            text = text.mid(at + tensor.size());
    }
    return refusal.is_within ? tr("%1 (within one group)").arg(text) : text;
}

QString RefusalModel::textOf(const GraphRefusal& refusal, int column) const {
    switch (column) {
    case Producer: return text(nameOf(refusal.producer));
    case Consumer: return text(nameOf(refusal.consumer));
    case Reason: return conditionOf(refusal);
    case Tensor: {
        const session::GraphValue* value = graph().value(refusal.value);
        return value ? QString::fromStdString(value->dtype + " " + value->shape) : QString();
    }
    default: {
        const auto bytes = bytesOf(refusal);
        return bytes ? m_unit.text(*bytes) : QString();
    }
    }
}

QVariant RefusalModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const GraphRefusal& shown = refusal(index.row());
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
