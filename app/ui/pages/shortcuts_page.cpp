// SPDX-License-Identifier: GPL-3.0-only
// The key of every command. A key that another command has is taken only after the page has said so.
#include <QHeaderView>
#include <QKeyEvent>
#include <QPushButton>
#include <QTreeWidget>

#include "app/ui/pages/page_parts.h"
#include "app/ui/pages/pages.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

constexpr int row_height = 24;

// Takes the next keys that are pressed. Tab, Enter and Esc stay what they are, so that the keyboard gets out again.
class KeyField : public QLineEdit {
public:
    KeyField() {
        setReadOnly(true);
        named(this, "shortcuts.key", tr("New key"));
        setPlaceholderText(tr("Press keys"));
    }
    std::function<void(const QKeySequence&)> pressed;

protected:
    bool event(QEvent* event) override {
        if (event->type() == QEvent::ShortcutOverride) {
            event->accept(); // the command that has the key must not run
            return true;
        }
        return QLineEdit::event(event);
    }
    void keyPressEvent(QKeyEvent* event) override {
        const int key = event->key();
        const bool plain = event->modifiers() == Qt::NoModifier;
        const bool leaves = plain && (key == Qt::Key_Tab || key == Qt::Key_Escape);
        const bool modifier = key == Qt::Key_Control || key == Qt::Key_Shift || key == Qt::Key_Alt ||
                              key == Qt::Key_Meta || key == Qt::Key_AltGr || key == Qt::Key_unknown || key == 0;
        if (leaves || modifier || key == Qt::Key_Backtab)
            return event->ignore();
        pressed(QKeySequence(QKeyCombination(event->modifiers() & ~Qt::KeypadModifier, Qt::Key(key))));
    }
};

class ShortcutsPage : public Page {
public:
    explicit ShortcutsPage(Studio& studio) : Page(tr("Keyboard shortcuts")), m_studio(studio) {
        m_search = newSearchField(nullptr, "shortcuts.search", tr("Search shortcuts"), tr("Search by name or key"));
        m_search->setMinimumWidth(240);
        head()->addWidget(m_search);
        auto* all = new QPushButton(tr("Reset all"));
        head()->addWidget(all);
        m_list = named(new QTreeWidget, "shortcuts.list", tr("Commands and their keys"));
        m_list->setHeaderLabels({tr("Command"), tr("Menu"), tr("Keys")});
        m_list->setRootIsDecorated(false);
        m_list->setUniformRowHeights(true);
        m_list->setMinimumHeight(240);
        m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
        m_list->header()->setStretchLastSection(false);
        m_list->header()->resizeSection(1, 140);
        m_list->header()->resizeSection(2, 200);
        column()->addWidget(m_list, 1);
        fillHeight();
        addEditor();
        connect(all, &QPushButton::clicked, this, [this] { m_studio.commands.resetAllKeys(); });
        connect(m_search, &QLineEdit::textChanged, this, [this] { refresh(); });
        connect(m_list, &QTreeWidget::currentItemChanged, this, [this] { showSelected(); });
        connect(m_list, &QTreeWidget::itemActivated, m_key, [this] { m_key->setFocus(); });
        connect(&studio.commands, &Commands::keysChanged, this, [this] { refresh(); });
        setFocusProxy(m_search);
        refresh();
    }

private:
    void addEditor() {
        m_name = new QLabel;
        m_key = new KeyField;
        m_key->setFixedWidth(160);
        m_key->pressed = [this](const QKeySequence& key) { offer(key); };
        m_take = button(tr("Take it"), [this](QAction* action) { m_studio.commands.setKeys(action, {m_offered}); });
        m_take->setObjectName("shortcuts.take");
        m_remove = button(tr("No key"), [this](QAction* action) { m_studio.commands.setKeys(action, {}); });
        m_reset = button(tr("Reset"), [this](QAction* action) { m_studio.commands.resetKeys(action); });
        column()->addLayout(newRow({}, 8, {m_name, m_key, m_take, m_remove, m_reset, stretched()}));
        m_said = named(mutedLabel({}), "shortcuts.said");
        column()->addWidget(m_said);
    }
    // Of the command that is selected.
    template <class Act>
    QPushButton* button(const QString& text, Act act) {
        auto* out = new QPushButton(text);
        connect(out, &QPushButton::clicked, this, [this, act] {
            if (QAction* action = selected())
                act(action);
        });
        return out;
    }

    QAction* selected() const {
        QTreeWidgetItem* item = m_list->currentItem();
        return item ? m_studio.commands.find(item->data(0, Qt::UserRole).toString()) : nullptr;
    }

    void offer(const QKeySequence& key) {
        m_offered = {};
        m_key->setText(key.toString(QKeySequence::NativeText));
        QAction* owner = m_studio.commands.ownerOf(key);
        const bool usable = Commands::isUsable(key);
        if (!usable)
            m_said->setText(tr("Keys without Ctrl or Alt write text, and Ctrl+Alt is AltGr on many keyboards."));
        else if (owner && owner != selected())
            m_said->setText(tr("'%1' has this key, and loses it.").arg(owner->text()));
        else
            m_said->setText(owner ? tr("It has this key already.") : tr("No command has this key."));
        if (usable)
            m_offered = key;
        m_take->setEnabled(usable && owner != selected());
        if (m_take->isEnabled())
            m_take->setFocus();
    }

    void showSelected() {
        QAction* action = selected();
        m_offered = {};
        m_key->clear();
        m_said->setText(action ? Commands::helpOf(action) : QString());
        m_name->setText(action ? action->text() : tr("Choose a command"));
        m_key->setEnabled(action);
        m_take->setEnabled(false);
        m_remove->setEnabled(action && !action->shortcuts().isEmpty());
        m_reset->setEnabled(action && action->shortcuts() != m_studio.commands.standardKeys(action));
    }

    void refresh() {
        const QAction* before = selected();
        const QString words = m_search->text();
        m_list->clear();
        for (QAction* action : m_studio.commands.all()) {
            const QString keys = QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText);
            const QString menu = Commands::menuOf(action).replace('/', ", ");
            if (!(action->text() + ' ' + menu + ' ' + keys).contains(words, Qt::CaseInsensitive))
                continue;
            auto* item = new QTreeWidgetItem(m_list, {QString(action->text()).remove("..."), menu, keys});
            item->setData(0, Qt::UserRole, Commands::idOf(action));
            item->setSizeHint(0, QSize(0, row_height));
            item->setToolTip(0, Commands::helpOf(action));
            if (action->shortcuts() != m_studio.commands.standardKeys(action)) {
                item->setFont(2, bold(font(), QFont::DemiBold));
                item->setToolTip(2, tr("Changed. Default: %1")
                                        .arg(QKeySequence::listToString(m_studio.commands.standardKeys(action),
                                                                        QKeySequence::NativeText)));
            }
            if (action == before)
                m_list->setCurrentItem(item);
        }
        if (!m_list->currentItem() && m_list->topLevelItemCount() > 0)
            m_list->setCurrentItem(m_list->topLevelItem(0));
        showSelected();
    }

    Studio& m_studio;
    QLineEdit* m_search;
    QTreeWidget* m_list;
    QLabel* m_name = nullptr;
    KeyField* m_key = nullptr;
    QPushButton *m_take, *m_remove, *m_reset;
    QLabel* m_said = nullptr;
    QKeySequence m_offered;
};

} // namespace

QWidget* makeShortcutsPage(Studio& studio) {
    return new ShortcutsPage(studio);
}

} // namespace hidet::ui
