// SPDX-License-Identifier: GPL-3.0-only
// What is inside of what in a text of IR, as a tree in the colours of the text; what a pass added, altered and removed is
// marked.
#pragma once

#include <QPainter>
#include <QScopedValueRollback>
#include <QTreeWidget>
#include <map>

#include "app/session/view/structure.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/theme.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/row_parts.h"

namespace hidet::ui {

class StructureTree : public QTreeWidget {
    Q_OBJECT
public:
    StructureTree(const ThemeSource& themes, QWidget* parent = nullptr) : QTreeWidget(parent), m_themes(themes) {
        setObjectName("structure");
        makeTree(*this, tr("Structure of the stage"), 12);
        setItemDelegate(new StructureParts(themes, this));
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        connect(&themes, &ThemeSource::changed, this, &StructureTree::fill);
        onChosen(*this, this, [this](QTreeWidgetItem* item) {
            if (const int line = item->data(0, StructureLineRole).toInt(); line > 0)
                emit lineChosen(line);
        });
        for (auto signal : {&QTreeWidget::itemExpanded, &QTreeWidget::itemCollapsed})
            connect(this, signal, this, [this](QTreeWidgetItem* item) {
                if (!m_isFilling)
                    m_collapsed[item->data(0, StructureKeyRole).toString()] = !item->isExpanded();
            });
    }

    void setStructure(session::Structure structure) {
        m_structure = std::move(structure);
        fill();
    }

    // of the text, from 1 on: the innermost row that is seen is selected
    void setCaretLine(int line) {
        m_line = line;
        int at = session::structure_row_at(m_structure, line);
        if (at < 0 || at >= m_items.size() || hasFocus())
            return;
        QTreeWidgetItem* item = m_items[at];
        for (QTreeWidgetItem* above = item->parent(); above; above = above->parent())
            if (!above->isExpanded())
                item = above; // a folded one stands for what is in it
        setCurrentItem(item);
        scrollToItem(item);
    }

signals:
    void lineChosen(int line);

private:
    using StructureChange = session::StructureChange;
    using StructureKind = session::StructureKind;
    using StructureRow = session::StructureRow;
    static constexpr std::size_t most_structure_rows = 3000;
    enum StructureRole { StructureKeyRole = Qt::UserRole, StructureLineRole, StructureDetailRole, StructureBackRole };
    struct StructureLook {
        const char* icon;
        SyntaxColor color;
    };
    static StructureLook lookOf(const StructureRow& row) {
        switch (row.kind) {
        case StructureKind::Module: return {"module", SyntaxColor::Decorator};
        case StructureKind::Function: return {"kernel", SyntaxColor::Function};
        case StructureKind::Loop: return {"loop", SyntaxColor::Keyword};
        case StructureKind::Tasks: return {"loop", SyntaxColor::Type};
        case StructureKind::Branch: return {"split", SyntaxColor::Keyword};
        case StructureKind::Allocation:
            return {"tensor", row.detail.rfind("shared", 0) == 0     ? SyntaxColor::SharedTensor
                              : row.detail.rfind("register", 0) == 0 ? SyntaxColor::RegisterTensor
                                                                     : SyntaxColor::GlobalTensor};
        case StructureKind::Sync: return {"stop", SyntaxColor::Unresolved};
        case StructureKind::Copy: return {"copy", SyntaxColor::Directive};
        case StructureKind::Matrix: return {"block", SyntaxColor::Number};
        case StructureKind::Intrinsic: return {"attribute", SyntaxColor::Primitive};
        case StructureKind::Call: return {"function", SyntaxColor::Function};
        case StructureKind::Launch: return {"run", SyntaxColor::Function};
        case StructureKind::Assembly: return {"edit", SyntaxColor::String};
        }
        return {"block", SyntaxColor::Text};
    }

    // Rows by the thousand share a few of them.
    class StructurePaints {
    public:
        struct Paint {
            QIcon icon;
            QColor text;
        };
        explicit StructurePaints(const Theme& theme) : m_theme(theme) {}
        const Theme& theme() const { return m_theme; }

        const Paint& of(const StructureRow& row) {
            const StructureLook look = lookOf(row);
            Paint& paint = m_paints[{look.icon, look.color}];
            if (paint.icon.isNull()) {
                const QColor color = m_theme.color(look.color);
                paint = {icon(look.icon, color), m_theme.readable(color, m_theme.panel)};
            }
            return paint;
        }

    private:
        const Theme& m_theme;
        std::map<std::pair<std::string_view, SyntaxColor>, Paint> m_paints;
    };
    static const char* markOf(StructureChange change) {
        switch (change) {
        case StructureChange::Same: return "";
        case StructureChange::Added: return "+ ";
        case StructureChange::Removed: return "- ";
        case StructureChange::Altered: return "~ ";
        }
        return "";
    }

    class StructureParts : public RowParts {
    public:
        using RowParts::RowParts;

        // The style sheet of rows would paint over a brush of theirs.
        void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
            if (const auto back = index.data(StructureBackRole).value<QColor>(); back.isValid())
                painter->fillRect(option.rect, back);
            RowParts::paint(painter, option, index);
        }

    protected:
        QList<RowPart> partsOf(const QModelIndex& index) const override {
            return {{index.data(StructureDetailRole).toString(), theme().muted}};
        }
    };
    static void dress(QTreeWidgetItem& item, const StructureRow& row, StructurePaints& paints) {
        const Theme& theme = paints.theme();
        const StructurePaints::Paint& paint = paints.of(row);
        const bool isGone = row.change == StructureChange::Removed;
        QString detail = QString::fromStdString(row.detail);
        if (!row.before.empty())
            detail += StructureTree::tr(" (was %1)").arg(QString::fromStdString(row.before));
        item.setText(0, markOf(row.change) + QString::fromStdString(row.name));
        item.setIcon(0, paint.icon);
        item.setData(0, StructureLineRole, isGone ? 0 : row.line);
        item.setData(0, StructureDetailRole, detail);
        item.setForeground(0, isGone ? theme.muted : paint.text);
        if (row.change == StructureChange::Added)
            item.setData(0, StructureBackRole, theme.added);
        if (isGone) {
            item.setData(0, StructureBackRole, theme.removed);
            QFont font = item.font(0);
            font.setStrikeOut(true);
            item.setFont(0, font);
        }
        QStringList words{QString::fromUtf8(session::structure_kind_name(row.kind)), detail};
        if (row.change != StructureChange::Same)
            words << QString::fromUtf8(session::structure_change_name(row.change));
        words.removeAll(QString());
        item.setToolTip(0, QString::fromUtf8(session::what_is(row.kind)) + '\n' + words.mid(1).join('\n'));
        item.setData(0, Qt::AccessibleTextRole, QString::fromStdString(row.name) + ", " + words.join(", "));
    }

    void fill() {
        const QScopedValueRollback filling(m_isFilling, true);
        setUpdatesEnabled(false);
        clear();
        m_items.clear();
        QList<QTreeWidgetItem*> path; // the items that hold the row
        QHash<QString, int> seen;     // of equal names the order tells them apart
        StructurePaints paints(m_themes.theme());
        for (const StructureRow& row : m_structure) {
            if (std::size_t(m_items.size()) >= most_structure_rows)
                break;
            path.resize(std::min<qsizetype>(path.size(), row.depth));
            QTreeWidgetItem* parent = path.isEmpty() ? nullptr : path.last();
            const QString name = (parent ? parent->data(0, StructureKeyRole).toString() : QString()) + '/' +
                                 QString::fromStdString(row.name);
            auto* item = parent ? new QTreeWidgetItem(parent) : new QTreeWidgetItem(this);
            item->setData(0, StructureKeyRole, name + '#' + QString::number(seen[name]++));
            dress(*item, row, paints);
            path << item;
            m_items << item;
        }
        if (std::size_t(m_items.size()) < m_structure.size()) {
            auto* rest = new QTreeWidgetItem(this);
            rest->setText(0, tr("and %1 more").arg(qsizetype(m_structure.size()) - m_items.size()));
            rest->setFlags(Qt::ItemIsEnabled);
        }
        for (QTreeWidgetItem* item : std::as_const(m_items))
            item->setExpanded(!m_collapsed.value(item->data(0, StructureKeyRole).toString()));
        setUpdatesEnabled(true);
        setCaretLine(m_line);
    }

    const ThemeSource& m_themes;
    session::Structure m_structure;
    QList<QTreeWidgetItem*> m_items; // of its rows
    QHash<QString, bool> m_collapsed;
    bool m_isFilling = false;
    int m_line = 0;
};

} // namespace hidet::ui
