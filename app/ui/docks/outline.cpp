// SPDX-License-Identifier: GPL-3.0-only
// The functions, kernels, tensors and loops of the script as a tree that follows the caret, kernels with what is known of them.
#include <QLabel>
#include <QPainter>
#include <QScopedValueRollback>
#include <QStackedLayout>
#include <QStyledItemDelegate>
#include <QTreeWidget>

#include "app/ui/docks/docks.h"
#include "app/ui/editor/item_icons.h"
#include "app/ui/editor/symbols.h"
#include "app/ui/run/kernel_badges.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

namespace assist = session::assist;

enum Role { KeyRole = Qt::UserRole, KindRole, DetailRole, BeginRole, EndRole, NameBeginRole, NameEndRole, BadgesRole };

// The name, behind it what is known of a kernel, and in a quieter colour what it is.
class RowPainter : public QStyledItemDelegate {
public:
    RowPainter(Studio& studio, QObject* parent) : QStyledItemDelegate(parent), m_studio(studio) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, given, index);
        QStyleOptionViewItem option = given;
        initStyleOption(&option, index);
        const QStyle* style = option.widget->style();
        QRect rect = style->subElementRect(QStyle::SE_ItemViewItemText, &option, option.widget);
        rect.setLeft(rect.left() + option.fontMetrics.horizontalAdvance(option.text) + gap);
        if (rect.width() < 2 * gap)
            return;
        const bool isSelected = option.state.testFlag(QStyle::State_Selected);
        const QColor behind = isSelected ? option.palette.color(QPalette::Highlight) : m_studio.themes.theme().panel;
        for (const KernelBadge& badge : index.data(BadgesRole).value<KernelBadges>())
            drawPart(painter, rect, badge.text, colorOf(badge, m_studio.themes.theme()), behind, badge.isPredicted);
        drawPart(painter, rect, index.data(DetailRole).toString(), m_studio.themes.theme().muted, behind, false);
    }

private:
    void drawPart(QPainter* painter, QRect& rect, const QString& text, const QColor& color, const QColor& behind,
                  bool isPredicted) const {
        if (text.isEmpty() || rect.width() < 2 * gap)
            return;
        QFont font = m_studio.themes.smallFont();
        font.setItalic(isPredicted);
        painter->setFont(font);
        painter->setPen(m_studio.themes.theme().readable(color, behind));
        const QString shown = painter->fontMetrics().elidedText(text, Qt::ElideRight, rect.width());
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, shown);
        rect.setLeft(rect.left() + painter->fontMetrics().horizontalAdvance(shown) + gap);
    }

    static constexpr int gap = 12;
    Studio& m_studio;
};

class OutlineDock : public DockWidget {
public:
    explicit OutlineDock(Studio& studio)
        : m_studio(studio), m_tree(new QTreeWidget(this)), m_empty(new QLabel(this)),
          m_stack(new QStackedLayout(this)) {
        m_stack->addWidget(m_tree);
        m_stack->addWidget(m_empty);
        setFocusProxy(m_tree);
        m_tree->setObjectName("outline");
        m_tree->setAccessibleName(tr("Outline"));
        m_tree->setHeaderHidden(true);
        m_tree->setItemDelegate(new RowPainter(studio, this));
        m_tree->setIndentation(16);
        m_tree->setUniformRowHeights(true);
        m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_empty->setProperty("muted", true);
        m_empty->setAlignment(Qt::AlignCenter);
        m_empty->setWordWrap(true);
        m_empty->setMargin(16);
        connect(&studio, &Studio::analysed, this, &OutlineDock::refresh);
        connect(&studio, &Studio::currentChanged, this, [this] {
            m_shown = nullptr;
            refresh();
        });
        connect(&studio.themes, &ThemeSource::changed, this, &OutlineDock::refresh);
        connect(&studio, &Studio::explanationChanged, this, &OutlineDock::showBadges);
        connect(&studio, &Studio::findingsChanged, this, &OutlineDock::showBadges);
        connect(studio.runs, &RunController::reportChanged, this, &OutlineDock::showBadges);
        connect(&studio, &Studio::caretMoved, this, [this](Document*, int offset) {
            m_caret = offset;
            follow();
        });
        for (auto signal : {&QTreeWidget::itemActivated, &QTreeWidget::itemClicked})
            connect(m_tree, signal, this, [this](QTreeWidgetItem* item) { go(*item); });
        for (auto signal : {&QTreeWidget::itemExpanded, &QTreeWidget::itemCollapsed})
            connect(m_tree, signal, this, [this](QTreeWidgetItem* item) {
                if (!m_filling)
                    m_collapsed[item->data(0, KeyRole).toString()] = !item->isExpanded();
            });
        refresh();
    }

protected:
    void showEvent(QShowEvent* event) override {
        DockWidget::showEvent(event);
        refresh();
    }

private:
    void refresh() {
        if (!isVisible())
            return;
        const LivePipeline* live = m_studio.live();
        if (live && live == m_shown && !live->valuesAreCurrent())
            return; // what is seen stays until the text has been evaluated
        m_shown = live;
        const QScopedValueRollback filling(m_filling, true);
        const QString selected = m_tree->currentItem() ? m_tree->currentItem()->data(0, KeyRole).toString() : QString();
        m_tree->clear();
        if (live && live->answers())
            fill(nullptr, {}, assist::outline(*live->answers()));
        m_empty->setText(m_studio.current()
                             ? tr("Functions, kernels, tensors and loops of the script will be listed here")
                             : tr("Open a script to see what is in it"));
        m_stack->setCurrentIndex(m_tree->topLevelItemCount() > 0 ? 0 : 1);
        showBadges();
        if (m_tree->hasFocus() && select(selected))
            return;
        follow();
    }

    void fill(QTreeWidgetItem* parent, const QString& path, const std::vector<assist::OutlineNode>& nodes) {
        const Theme& theme = m_studio.themes.theme();
        QHash<QString, int> seen; // of equal names the order tells them apart
        for (const assist::OutlineNode& node : nodes) {
            const QString name = QString::fromStdString(node.name);
            auto* item = parent ? new QTreeWidgetItem(parent) : new QTreeWidgetItem(m_tree);
            const QString key = path + '/' + name + '#' + QString::number(seen[name]++);
            item->setText(0, name);
            const QString detail = QString::fromStdString(node.detail);
            item->setIcon(0, iconOf(node.kind, theme));
            item->setData(0, KindRole, static_cast<int>(node.kind));
            item->setData(0, DetailRole, detail);
            describe(*item, {});
            item->setData(0, KeyRole, key);
            item->setData(0, BeginRole, node.range.begin);
            item->setData(0, EndRole, node.range.end);
            item->setData(0, NameBeginRole, node.name_range.begin);
            item->setData(0, NameEndRole, node.name_range.end);
            fill(item, key, node.children);
            item->setExpanded(!m_collapsed.value(key));
        }
    }

    static void describe(QTreeWidgetItem& item, const KernelBadges& badges) {
        const auto kind = static_cast<assist::OutlineKind>(item.data(0, KindRole).toInt());
        const QString detail = item.data(0, DetailRole).toString();
        QStringList words{QString::fromUtf8(assist::outline_kind_name(kind)) +
                          (detail.isEmpty() ? QString() : ": " + detail)};
        for (const KernelBadge& badge : badges)
            words << badge.hint;
        item.setToolTip(0, words.join('\n'));
        item.setData(0, Qt::AccessibleTextRole, item.text(0) + ", " + words.join(", "));
    }

    // What is known of kernels comes after the names, and changes with a run.
    void showBadges() {
        if (!isVisible() || !m_shown || m_shown != m_studio.live())
            return;
        const QString file = m_studio.current()->name();
        for (QTreeWidgetItemIterator at(m_tree); *at; ++at) {
            QTreeWidgetItem& item = **at;
            if (item.data(0, KindRole).toInt() != static_cast<int>(assist::OutlineKind::Kernel))
                continue;
            const assist::Range range{item.data(0, BeginRole).toUInt(), item.data(0, EndRole).toUInt()};
            const KernelBadges badges =
                kernelBadges(m_studio, item.text(0).toStdString(), placeIn(*m_shown, file, range));
            item.setData(0, BadgesRole, QVariant::fromValue(badges));
            describe(item, badges);
        }
    }

    bool select(const QString& key) {
        for (QTreeWidgetItemIterator item(m_tree); *item; ++item)
            if ((*item)->data(0, KeyRole).toString() == key) {
                m_tree->setCurrentItem(*item);
                return true;
            }
        return false;
    }

    // The innermost one that holds the caret; a folded one stands for what is in it.
    void follow() {
        if (!isVisible() || !m_shown || !m_shown->valuesAreCurrent() || m_tree->hasFocus())
            return;
        QTreeWidgetItem* found = nullptr;
        QTreeWidgetItem* parent = m_tree->invisibleRootItem();
        for (bool deeper = true; deeper;) {
            deeper = false;
            for (int i = 0; i < parent->childCount() && !deeper; ++i) {
                QTreeWidgetItem* item = parent->child(i);
                if (item->data(0, BeginRole).toInt() <= m_caret && m_caret <= item->data(0, EndRole).toInt()) {
                    found = parent = item;
                    deeper = item->isExpanded() || item->childCount() == 0;
                    break;
                }
            }
        }
        m_tree->setCurrentItem(found);
        if (found)
            m_tree->scrollToItem(found);
    }

    void go(const QTreeWidgetItem& item) {
        if (!m_shown || !m_studio.current())
            return;
        m_studio.show(placeIn(*m_shown, m_studio.current()->name(),
                              {item.data(0, NameBeginRole).toUInt(), item.data(0, NameEndRole).toUInt()}));
    }

    Studio& m_studio;
    QTreeWidget* m_tree;
    QLabel* m_empty;
    QStackedLayout* m_stack;
    const LivePipeline* m_shown = nullptr;
    QHash<QString, bool> m_collapsed;
    bool m_filling = false;
    int m_caret = 0;
};

} // namespace

DockWidget* makeOutlineDock(Studio& studio) {
    return new OutlineDock(studio);
}

} // namespace hidet::ui
