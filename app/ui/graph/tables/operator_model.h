// SPDX-License-Identifier: GPL-3.0-only
// The operators of the shown graph as a table that sorts and filters itself: with twenty thousand rows a proxy model that
// asks for texts to compare them would take too long.
#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QSet>
#include <algorithm>
#include <cmath>

#include "app/ui/core/figures.h"
#include "app/ui/core/theme.h"
#include "app/ui/graph/tables/operator_table.h"

namespace hidet::ui {

class OperatorModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Operator, Output, Type, Kernel, Value, Share, ColumnCount };
    static constexpr int share_role = Qt::UserRole + 1; // 0 to 1, for a bar; nothing: none

    explicit OperatorModel(ThemeSource& themes, QObject* parent = nullptr)
        : QAbstractTableModel(parent), m_themes(themes) {}

    // Of these nodes alone; nothing: all. No table: no rows.
    void show(std::shared_ptr<const OperatorTable> table, std::optional<QSet<quint32>> accepted = {}) {
        beginResetModel();
        m_table = std::move(table);
        m_accepted.clear();
        const int count = m_table ? static_cast<int>(m_table->rows.size()) : 0;
        for (int i = 0; i < count; ++i)
            if (!accepted || accepted->contains(m_table->rows[static_cast<std::size_t>(i)].node->id))
                m_accepted.push_back(i);
        arrange();
        endResetModel();
    }

    const std::shared_ptr<const OperatorTable>& table() const { return m_table; }
    // numbers are of an earlier state of the model
    void setStale(bool stale) {
        if (stale == m_stale)
            return;
        m_stale = stale;
        if (rowCount() > 0)
            emit dataChanged(index(0, Value), index(rowCount() - 1, Share), {Qt::ForegroundRole});
    }

    // column -1: as in the graph
    void sort(int column, Qt::SortOrder order) override {
        emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
        const std::vector<int> before = m_rows;
        m_column = column;
        m_order = order;
        arrange();
        const QModelIndexList from = persistentIndexList();
        QModelIndexList to;
        for (const QModelIndex& at : from) {
            const OperatorRow& row =
                m_table->rows[static_cast<std::size_t>(before[static_cast<std::size_t>(at.row())])];
            to << index(rowOf(row.node->id), at.column());
        }
        changePersistentIndexList(from, to);
        emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
        emit headerDataChanged(Qt::Horizontal, Value, Share);
    }

    const OperatorRow& row(int row) const {
        return m_table->rows[static_cast<std::size_t>(m_rows[static_cast<std::size_t>(row)])];
    }

    // -1: not shown
    int rowOf(quint32 node) const { return m_rowOf.value(node, -1); }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }

    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (orientation != Qt::Horizontal)
            return {};
        if (role == Qt::TextAlignmentRole)
            return int(Qt::AlignVCenter | (isNumber(section) ? Qt::AlignRight : Qt::AlignLeft));
        if (role == Qt::ToolTipRole && section == Value && m_table)
            return tr(m_table->info().summary);
        if (role != Qt::DisplayRole)
            return {};
        // The mark of the order stands at the right end, where titles of numbers end.
        const bool isMarked = section == m_column && isNumber(section);
        return titleOf(section) + (isMarked ? QString(3, QChar(0x2002)) : QString());
    }

    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid())
            return {};
        const OperatorRow& shown = row(index.row());
        switch (role) {
        case Qt::DisplayRole: return textOf(shown, index.column());
        case Qt::ToolTipRole: return hintOf(shown, index.column());
        case Qt::AccessibleTextRole:
            return index.column() == Value ? QString::fromStdString(shown.reading.text) : textOf(shown, index.column());
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter | (isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::ForegroundRole: return colorOf(shown, index.column());
        case Qt::FontRole: return fontOf(index.column());
        case share_role: return index.column() == Share && shown.share ? QVariant(*shown.share) : QVariant();
        default: return {};
        }
    }

private:
    static std::optional<double> numberOf(const OperatorRow& row, int column) {
        if (column == OperatorModel::Share)
            return row.share;
        // Classes are sorted in the order of the legend.
        if (row.reading.cls != session::no_id)
            return row.reading.cls;
        return row.reading.value;
    }

    static QString figureOf(double value, double unit, bool isPlain) {
        if (isPlain)
            return QString::fromStdString(number_text(value));
        const double scaled = value / unit;
        if (!std::isfinite(scaled))
            return QString::fromStdString(number_text(value));
        if (scaled > 0 && scaled < 0.005)
            return QStringLiteral("<0.01");
        return QString::fromStdString(three_digits(scaled));
    }

    // Rows without a number or a word come last, whichever way.
    void arrange() {
        m_rows = m_accepted;
        const auto at = [this](int i) -> const OperatorRow& { return m_table->rows[static_cast<std::size_t>(i)]; };
        const bool isDown = m_order == Qt::DescendingOrder;
        if (m_column == Value || m_column == Share) {
            std::vector<std::optional<double>> numbers(m_table ? m_table->rows.size() : 0);
            for (const int i : m_rows) {
                const std::optional<double> number = numberOf(at(i), m_column);
                numbers[static_cast<std::size_t>(i)] = number && std::isnan(*number) ? HUGE_VAL : number;
            }
            std::stable_sort(m_rows.begin(), m_rows.end(), [&](int a, int b) {
                const auto &x = numbers[static_cast<std::size_t>(a)], &y = numbers[static_cast<std::size_t>(b)];
                if (!x || !y)
                    return x.has_value() && !y;
                return isDown ? *y < *x : *x < *y;
            });
        } else if (m_column >= 0) {
            const auto rank = [&](int row) { return at(row).ranks[static_cast<std::size_t>(m_column)]; };
            std::stable_sort(m_rows.begin(), m_rows.end(), [&](int a, int b) {
                const std::uint32_t x = rank(a), y = rank(b);
                if (x == no_word || y == no_word)
                    return x != no_word && y == no_word;
                return isDown ? y < x : x < y;
            });
        }
        m_rowOf.clear();
        m_rowOf.reserve(static_cast<qsizetype>(m_rows.size()));
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            m_rowOf[at(m_rows[row]).node->id] = static_cast<int>(row);
    }

    QString titleOf(int column) const {
        switch (column) {
        case Name: return tr("Name");
        case Operator: return tr("Operator");
        case Output: return tr("Output");
        case Type: return tr("Type");
        case Kernel: return tr("Kernel");
        case Share: return tr("Share, %");
        default: break;
        }
        if (!m_table)
            return {};
        const QString title = QString::fromStdString(m_table->overlay.title),
                      unit = QString::fromStdString(m_table->unit.unit);
        return unit.isEmpty() || !m_table->hasNumbers() ? title : tr("%1, %2").arg(title, unit);
    }

    QString textOf(const OperatorRow& row, int column) const {
        switch (column) {
        case Share: return row.share ? percentNumber(*row.share) : QString();
        case Value: break;
        default: {
            const std::string_view word = wordsOf(row)[static_cast<std::size_t>(column)];
            return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
        }
        }
        if (!m_table->hasNumbers())
            return QString::fromStdString(row.reading.text);
        if (!row.reading.value)
            return QString::fromStdString(row.reading.text); // of a file: that it has none
        const QString figure = figureOf(*row.reading.value, m_table->unit.size, m_table->unit.unit.empty());
        return m_table->isPredicted() ? "~" + figure : figure;
    }

    QString hintOf(const OperatorRow& row, int column) const {
        if (column == Value)
            return QString::fromStdString(row.reading.text);
        return column == Share
                   ? tr("Of all operators together; the time of a fused kernel is divided among its operators")
                   : textOf(row, column);
    }

    QVariant fontOf(int column) const {
        if ((column != Value && column != Share) || !m_table->isPredicted())
            return {};
        return italic(m_themes.smallFont());
    }

    QVariant colorOf(const OperatorRow& row, int column) const {
        const Theme& theme = m_themes.theme();
        if (column == Value && row.reading.is_beyond)
            return theme.error;
        if (column == Value || column == Share) {
            const bool isOld = m_stale && m_table->info().source == session::OverlaySource::Measured;
            return isOld ? theme.stale(theme.text) : theme.text;
        }
        return column == Name ? theme.text : theme.muted;
    }

    bool isNumber(int column) const { return column == Share || (column == Value && m_table && m_table->hasNumbers()); }

    ThemeSource& m_themes;
    std::shared_ptr<const OperatorTable> m_table;
    std::vector<int> m_accepted; // places in the table, in the order of the graph
    std::vector<int> m_rows;     // the same, in the order that is shown
    QHash<quint32, int> m_rowOf;
    int m_column = -1;
    Qt::SortOrder m_order = Qt::AscendingOrder;
    bool m_stale = false;
};

} // namespace hidet::ui
