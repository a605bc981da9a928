// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/editor_menu.h"

#include <QMenu>

#include "app/ui/code/carets.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

constexpr int longest_word = 32;

class MenuMaker {
public:
    MenuMaker(Studio& studio, ScriptEditor& editor, QMenu& menu)
        : m_studio(studio), m_editor(editor), m_menu(menu),
          m_word(QString::fromUtf8(wordAt(editor, editor.caret())).left(longest_word)) {}

    void fill() {
        fixes();
        if (!m_word.isEmpty())
            names();
        stages();
        m_menu.addSeparator();
        add(Command::EditFormat, m_editor.selection().begin < m_editor.selection().end ? tr("Format the selected lines")
                                                                                       : tr("Format the script"));
        m_menu.addSeparator();
        for (Command command : {Command::EditCut, Command::EditCopy, Command::EditPaste, Command::EditSelectAll})
            m_menu.addAction(m_studio.commands.action(command));
    }

private:
    // A command under words that fit here; its key is shown.
    void add(Command command, const QString& text) {
        QAction* action = m_studio.commands.action(command);
        QAction* shown = m_menu.addAction(text, action, &QAction::trigger);
        shown->setObjectName(Commands::idOf(action));
        shown->setShortcut(action->shortcut());
        shown->setShortcutContext(Qt::WidgetShortcut); // the command's own is the one that acts
        shown->setEnabled(action->isEnabled());
    }

    void fixes() {
        const auto fixes = m_editor.fixesAt(m_editor.lineOf(m_editor.caret()));
        for (const ScriptEditor::Fix& fix : fixes)
            m_menu.addAction(icon("bulb", m_studio.themes.theme().accent), fix.title, &m_editor,
                             [&editor = m_editor, fix] { editor.apply(fix.edits); });
        if (!fixes.empty())
            m_menu.addSeparator();
    }

    void names() {
        add(Command::GoDefinition, tr("Go to the definition of '%1'").arg(m_word));
        add(Command::GoReferences, tr("Find references to '%1'").arg(m_word));
        add(Command::EditRename, tr("Rename '%1'...").arg(m_word));
        add(Command::GoInformation, tr("Show what is known of '%1'").arg(m_word));
        add(Command::HelpManual, tr("What is '%1'? (the manual)").arg(m_word));
        m_menu.addSeparator();
    }

    // The caret is what the panes follow: the stage shows what became of it.
    void stages() {
        QMenu* became = m_menu.addMenu(tr("What this line became"));
        QList<StageName> stages{StageName::lowered()};
        stages << generatedStages();
        for (const StageName& stage : stages)
            became->addAction(titleOf(stage), &m_editor, [&studio = m_studio, stage] { studio.showStage(stage); });
        add(Command::PaneFollowLink, tr("Follow to the next pane"));
        add(Command::PassesBlame, tr("Name the pass of each line"));
    }

    Studio& m_studio;
    ScriptEditor& m_editor;
    QMenu& m_menu;
    QString m_word;
};

} // namespace

void openEditorMenu(Studio& studio, ScriptEditor& editor, const QPoint& globalPlace) {
    studio.commands.refresh();
    auto* menu = new QMenu(&editor);
    menu->setObjectName("editorMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    MenuMaker(studio, editor, *menu).fill();
    menu->popup(globalPlace);
}

} // namespace hidet::ui
