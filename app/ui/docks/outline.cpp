// SPDX-License-Identifier: GPL-3.0-only
// The functions, kernels, tensors and loops of the script as a tree that follows the caret, kernels with what is known of them.
// While the keyboard is in a pane with IR: what that is made of, and what its pass made of it. Of a model its modules and operators.
#include <QApplication>
#include <QLabel>
#include <QPointer>
#include <QScopedValueRollback>
#include <QStackedLayout>
#include <QTreeWidget>

#include "app/session/view/blame.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/docks/docks.h"
#include "app/ui/editor/item_icons.h"
#include "app/ui/editor/script_editor.h"
#include "app/ui/editor/symbols.h"
#include "app/ui/graph/canvas/graph_tree.h"
#include "app/ui/panes/stage_pane.h"
#include "app/ui/panes/structure_tree.h"
#include "app/ui/run/kernel_badges.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/widgets/row_parts.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

namespace assist = session::assist;

enum Role { KeyRole = Qt::UserRole, KindRole, DetailRole, BeginRole, EndRole, NameBeginRole, NameEndRole, BadgesRole };

// Behind the name what is known of a kernel, and in a quieter colour what it is.
class RowPainter : public RowParts {
public:
    using RowParts::RowParts;

protected:
    QList<RowPart> partsOf(const QModelIndex& index) const override {
        QList<RowPart> out;
        for (const KernelBadge& badge : index.data(BadgesRole).value<KernelBadges>())
            out << RowPart{badge.text, colorOf(badge.tone, theme()), badge.isPredicted};
        return out << RowPart{index.data(DetailRole).toString(), theme().muted};
    }
};

class ScriptOutline : public QWidget {
public:
    explicit ScriptOutline(Studio& studio) : m_studio(studio) {
        m_stack->addWidget(m_tree);
        m_stack->addWidget(m_empty);
        setFocusProxy(m_tree);
        m_tree->setObjectName("outline");
        makeTree(*m_tree, tr("Outline"), 16);
        m_tree->setItemDelegate(new RowPainter(studio.themes, this));
        m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        studio.scripts.follow({&LiveScripts::analysed}, this, &ScriptOutline::renew);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, [this] {
            m_shown = nullptr;
            renew();
        });
        connect(&studio.themes, &ThemeSource::changed, this, &ScriptOutline::renew);
        studio.scripts.follow({&LiveScripts::explanationChanged}, this, &ScriptOutline::showBadges);
        connect(&studio.scripts, &LiveScripts::findingsChanged, this, &ScriptOutline::showBadges);
        connect(studio.runs, &RunController::reportChanged, this, &ScriptOutline::showBadges);
        connect(&studio.scripts, &LiveScripts::caretMoved, this, [this](Document*, int offset) {
            m_caret = offset;
            follow();
        });
        onChosen(*m_tree, this, [this](QTreeWidgetItem* item) { go(*item); });
        for (auto signal : {&QTreeWidget::itemExpanded, &QTreeWidget::itemCollapsed})
            connect(m_tree, signal, this, [this](QTreeWidgetItem* item) {
                if (!m_filling)
                    m_collapsed[item->data(0, KeyRole).toString()] = !item->isExpanded();
            });
        renew();
    }

protected:
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        renew();
    }

private:
    // Of the script in front.
    void renew() {
        if (!isVisible())
            return;
        const LivePipeline* live = m_studio.scripts.live();
        if (live && live == m_shown && !live->valuesAreCurrent())
            return; // what is seen stays until the text has been evaluated
        m_shown = live;
        const QScopedValueRollback filling(m_filling, true);
        const QString selected = m_tree->currentItem() ? m_tree->currentItem()->data(0, KeyRole).toString() : QString();
        m_tree->clear();
        if (live && live->answers())
            fill(nullptr, {}, assist::outline(*live->answers()));
        m_empty->setText(m_studio.tabs.current()
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
        if (!isVisible() || !m_shown || m_shown != m_studio.scripts.live())
            return;
        const QString file = m_studio.tabs.current()->name();
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
        if (!m_shown || !m_studio.tabs.current())
            return;
        m_studio.requests.show(placeIn(*m_shown, m_studio.tabs.current()->name(),
                                       {item.data(0, NameBeginRole).toUInt(), item.data(0, NameEndRole).toUInt()}));
    }

    Studio& m_studio;
    QTreeWidget* m_tree = new QTreeWidget(this);
    QLabel* m_empty = newHint(16, this);
    QStackedLayout* m_stack = new QStackedLayout(this);
    const LivePipeline* m_shown = nullptr;
    QHash<QString, bool> m_collapsed;
    bool m_filling = false;
    int m_caret = 0;
};

// Of the pane with IR that has the keyboard, or had it last before a dock.
class StageOutline : public QWidget {
public:
    StageOutline(Studio& studio, std::function<void()> left) : m_studio(studio), m_left(std::move(left)) {
        m_title->setObjectName("structure.title");
        m_title->setProperty("muted", true);
        m_title->setMargin(4);
        m_title->setWordWrap(true);
        newColumn(this, {m_title, m_tree});
        setFocusProxy(m_tree);
        connect(m_tree, &StructureTree::lineChosen, this, [this](int line) {
            if (!m_pane)
                return;
            m_pane->reveal(line, 0, 0);
            m_pane->setFocus();
        });
    }

    void follow(StagePane* pane) {
        if (pane != m_pane) {
            if (m_pane) {
                m_pane->disconnect(this);
                m_pane->view().disconnect(this);
            }
            m_pane = pane;
            m_text.reset();
            connect(&pane->view(), &CodeView::textShown, this, &StageOutline::read);
            connect(&pane->view(), &CodeView::caretMoved, this, &StageOutline::showCaret);
            connect(pane, &Pane::titleChanged, this, &StageOutline::read);
        }
        read();
    }
    StagePane* pane() const { return m_pane; }

protected:
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        read();
    }

private:
    using Text = std::shared_ptr<const session::TextSnapshot>;

    // Before the pass that the stage is the text after; null: it is pinned, that of all passes, or nothing came before it.
    Text before() const {
        const LivePipeline* live = m_studio.scripts.live();
        const bool isAfterPass = !m_pane->isPinned() && !m_pane->stage().isLowered();
        const session::BoardModule* module = live && isAfterPass ? live->board().module(live->module()) : nullptr;
        if (!module)
            return nullptr;
        const int number = shownPass(live->board().passes(live->module()), m_pane->stage());
        return number > 0 ? session::text_after(*module->snapshot, number - 1) : nullptr;
    }

    void read() {
        if (!m_pane || !isVisible())
            return;
        if (!m_pane->stage().isIr())
            return m_left();
        const Text text = m_pane->shown().text, earlier = before();
        if (text == m_text && earlier == m_before)
            return showCaret();
        m_text = text;
        m_before = earlier;
        m_reading.run(
            [text, earlier](const std::atomic<bool>&) {
                session::Structure now = text ? session::structure_of(text->text) : session::Structure();
                if (!earlier || earlier == text || now.empty())
                    return now;
                return session::structure_changes(session::structure_of(earlier->text), now);
            },
            [this](session::Structure structure) { show(std::move(structure)); });
    }

    void show(session::Structure structure) {
        int counts[4] = {};
        for (const session::StructureRow& row : structure)
            ++counts[static_cast<int>(row.change)];
        QStringList parts;
        using Change = session::StructureChange;
        for (const auto& [change, words] : {std::pair(Change::Added, tr("%1 added")),
                                            {Change::Altered, tr("%1 altered")},
                                            {Change::Removed, tr("%1 removed")}})
            if (const int count = counts[static_cast<int>(change)])
                parts << words.arg(count);
        const QString title = m_pane ? m_pane->title() : QString();
        m_title->setText(parts.isEmpty() ? title : title + ": " + parts.join(", "));
        m_tree->setStructure(std::move(structure));
        showCaret();
    }

    void showCaret() {
        if (m_pane && isVisible())
            m_tree->setCaretLine(m_pane->view().lineOf(m_pane->view().caret()) + 1);
    }

    Studio& m_studio;
    std::function<void()> m_left; // the pane shows no IR any more
    QLabel* m_title = new QLabel(this);
    StructureTree* m_tree = new StructureTree(m_studio.themes, this);
    QPointer<StagePane> m_pane;
    Text m_text, m_before; // that the tree is of
    LatestTask m_reading;
};

class OutlineDock : public DockWidget {
public:
    explicit OutlineDock(Studio& studio)
        : m_script(new ScriptOutline(studio)), m_stage(new StageOutline(studio, [this] { show(m_script); })),
          m_graph(new GraphTree(studio)) {
        m_stack->addWidget(m_script);
        m_stack->addWidget(m_stage);
        m_stack->addWidget(m_graph);
        connect(&studio.tabs, &OpenTabs::currentChanged, this,
                [this, &studio] { show(studio.tabs.model() ? static_cast<QWidget*>(m_graph) : m_script); });
        setFocusProxy(m_script);
        connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { look(now); });
        connect(&studio.stages, &StageHub::shownChanged, this, [this] { look(QApplication::focusWidget()); });
    }

private:
    // A dock, a menu or another window changes nothing.
    void look(QWidget* keyboard) {
        for (QWidget* widget = keyboard; widget && widget != this; widget = widget->parentWidget()) {
            auto* pane = qobject_cast<StagePane*>(widget);
            if (pane && pane->stage().isIr() && isBeside(*pane)) {
                m_stage->follow(pane);
                return show(m_stage);
            }
            if (pane || qobject_cast<ScriptEditor*>(widget))
                return show(m_script);
        }
        if (!m_stage->pane() && m_stack->currentWidget() == m_stage)
            show(m_script);
    }

    // A dock that floats is a window of its own, and still one of the other's children.
    bool isBeside(const QWidget& pane) const {
        for (const QObject* at = this; at; at = at->parent())
            if (at == pane.window())
                return true;
        return false;
    }

    void show(QWidget* outline) {
        if (m_stack->currentWidget() == outline)
            return;
        m_stack->setCurrentWidget(outline);
        setFocusProxy(outline);
    }

    ScriptOutline* m_script;
    StageOutline* m_stage;
    GraphTree* m_graph;
    QStackedLayout* m_stack = new QStackedLayout(this);
};

} // namespace

DockWidget* makeOutlineDock(Studio& studio) {
    return new OutlineDock(studio);
}

} // namespace hidet::ui
