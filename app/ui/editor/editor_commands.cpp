// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/editor_commands.h"

#include "app/ui/code/carets.h"
#include "app/ui/core/words.h"
#include "app/ui/editor/line_commands.h"
#include "app/ui/editor/script_editor.h"

namespace hidet::ui {

namespace assist = session::assist;

namespace {

// The layout of a script as Python's style guide has it: of the selected lines, or of all. One step of undo; carets stay.
void formatText(Studio& studio, ScriptEditor& editor) {
    if (!editor.document().isScript())
        return studio.showStatus(tr("Only scripts are formatted"));
    if (!editor.live().answersAreCurrent())
        return studio.showStatus(tr("The script is still being read"));
    const ByteRange chosen = editor.selection();
    const bool some = chosen.begin < chosen.end;
    const assist::Range range{static_cast<std::uint32_t>(chosen.begin), static_cast<std::uint32_t>(chosen.end)};
    const assist::Formatting formatting =
        some ? assist::format_range(*editor.live().answers(), range) : assist::format(*editor.live().answers());
    if (!formatting.refusal.empty())
        return studio.showStatus(tr("Not formatted: %1").arg(QString::fromStdString(formatting.refusal)));
    if (formatting.edits.empty())
        return studio.showStatus(some ? tr("These lines are formatted already")
                                      : tr("The script is formatted already"));
    std::vector<TextEdit> edits;
    for (const assist::Edit& edit : formatting.edits)
        edits.push_back({{static_cast<int>(edit.range.begin), static_cast<int>(edit.range.end)},
                         QByteArray::fromStdString(edit.text)});
    const int first = editor.firstLine();
    applyEditsUnderCarets(editor, edits, Stick::Before);
    editor.setFirstLine(first);
    studio.showStatus(some ? tr("The lines are formatted") : tr("The script is formatted"));
}

class Binder {
public:
    Binder(Studio& studio, QWidget& owner, std::function<EditorPane*()> current)
        : m_studio(studio), m_owner(owner), m_current(std::move(current)) {}

    // On the text that has the keyboard; a bar below a text counts as that text.
    void onView(Command command, std::function<void(CodeView&)> act) const {
        m_studio.commands.bind(
            command, &m_owner,
            [self = *this, act = std::move(act)] {
                if (CodeView* view = self.view())
                    act(*view);
            },
            [self = *this] { return self.view() != nullptr; });
    }
    void onPane(Command command, std::function<void(EditorPane&)> act) const {
        m_studio.commands.bind(
            command, &m_owner,
            [self = *this, act = std::move(act)] {
                if (EditorPane* pane = self.m_current())
                    act(*pane);
            },
            [self = *this] { return self.m_current() != nullptr; });
    }
    void onEditor(Command command, std::function<void(ScriptEditor&)> act) const {
        onPane(command, [act = std::move(act)](EditorPane& pane) { act(pane.editor()); });
    }

    Studio& studio() const { return m_studio; }

private:
    CodeView* view() const {
        for (QWidget* widget = m_owner.window()->focusWidget(); widget; widget = widget->parentWidget()) {
            if (auto* view = qobject_cast<CodeView*>(widget))
                return view;
            if (auto* bar = qobject_cast<FindBar*>(widget))
                return &bar->view();
        }
        EditorPane* pane = m_current();
        return pane ? &pane->editor() : nullptr;
    }

    Studio& m_studio;
    QWidget& m_owner;
    std::function<EditorPane*()> m_current;
};

} // namespace

static void bindEdit(const Binder& bind) {
    bind.onView(Command::EditUndo, [](CodeView& view) { view.undo(); });
    bind.onView(Command::EditRedo, [](CodeView& view) { view.redo(); });
    bind.onView(Command::EditCut, [](CodeView& view) { view.cut(); });
    bind.onView(Command::EditCopy, [](CodeView& view) { view.copy(); });
    bind.onView(Command::EditPaste, [](CodeView& view) { view.paste(); });
    bind.onView(Command::EditSelectAll, [](CodeView& view) { view.selectAll(); });

    bind.onView(Command::EditFind, [](CodeView& view) { FindBar::of(view)->openFind(); });
    bind.onView(Command::EditReplace, [](CodeView& view) { FindBar::of(view)->openReplace(); });
    bind.onView(Command::EditFindNext, [](CodeView& view) { FindBar::of(view)->findNext(); });
    bind.onView(Command::EditFindPrevious, [](CodeView& view) { FindBar::of(view)->findPrevious(); });

    const std::pair<Command, void (*)(CodeView&)> lines[] = {
        {Command::EditComment, toggleComment},
        {Command::EditIndent, indentLines},
        {Command::EditUnindent, unindentLines},
        {Command::EditDuplicate, duplicateLines},
        {Command::EditMoveUp, moveLinesUp},
        {Command::EditMoveDown, moveLinesDown},
        {Command::EditJoin, joinLines},
        {Command::EditDeleteLine, deleteLines},
        {Command::EditStripBlanks, stripTrailingBlanks},
        {Command::EditAddNext, addNextOccurrence},
        {Command::EditAddAll, addAllOccurrences},
        {Command::EditCaretAbove, [](CodeView& view) { addCaret(view, Vertical::Up); }},
        {Command::EditCaretBelow, [](CodeView& view) { addCaret(view, Vertical::Down); }},
    };
    for (const auto& [command, act] : lines)
        bind.onEditor(command, [act = act](ScriptEditor& editor) { act(editor); });

    const std::pair<Command, void (*)(CodeView&)> folds[] = {
        {Command::EditFold, foldAtCaret},
        {Command::EditUnfold, unfoldAtCaret},
        {Command::EditFoldAll, foldEverything},
        {Command::EditUnfoldAll, unfoldEverything},
    };
    for (const auto& [command, act] : folds)
        bind.onView(command, act);

    bind.onEditor(Command::EditComplete, [](ScriptEditor& editor) {
        editor.setFocus();
        editor.completer().ask();
    });
    bind.onEditor(Command::EditSignature, [](ScriptEditor& editor) { editor.completer().askSignature(); });
    bind.onEditor(Command::EditFix, [](ScriptEditor& editor) { editor.showFixes(); });
    bind.onEditor(Command::EditFormat, [&studio = bind.studio()](ScriptEditor& editor) { formatText(studio, editor); });
    bind.onEditor(Command::EditRename, [](ScriptEditor& editor) { editor.renameAtCaret(); });
}

static void bindGo(const Binder& bind) {
    bind.onPane(Command::GoLine, [](EditorPane& pane) { pane.openGoBar(); });
    bind.onEditor(Command::GoDefinition, [](ScriptEditor& editor) { editor.goToDefinition(editor.caret()); });
    bind.onEditor(Command::GoReferences, [](ScriptEditor& editor) { editor.findReferences(); });
    bind.onEditor(Command::GoNextUse, [](ScriptEditor& editor) { editor.goToUse(1); });
    bind.onEditor(Command::GoPreviousUse, [](ScriptEditor& editor) { editor.goToUse(-1); });
    bind.onEditor(Command::GoNextProblem, [](ScriptEditor& editor) { editor.goToProblem(1); });
    bind.onEditor(Command::GoPreviousProblem, [](ScriptEditor& editor) { editor.goToProblem(-1); });
    bind.onEditor(Command::GoInformation,
                  [](ScriptEditor& editor) { editor.showCard(editor.caret(), FloatingPanel::Prefer::Below); });
    bind.onView(Command::GoBracket, goToMatchingBracket);
}

void bindEditorCommands(Studio& studio, NavigationHistory& history, QWidget& owner,
                        std::function<EditorPane*()> current) {
    const Binder bind(studio, owner, std::move(current));
    bindEdit(bind);
    bindGo(bind);
    auto go = [&studio, &history](std::optional<session::Place> place) {
        history.setGoing(true);
        if (place)
            studio.show(*place);
        history.setGoing(false);
        studio.commands.refresh();
    };
    studio.commands.bind(
        Command::GoBack, &owner, [&history, go] { go(history.back()); }, [&history] { return history.canGoBack(); });
    studio.commands.bind(
        Command::GoForward, &owner, [&history, go] { go(history.forward()); },
        [&history] { return history.canGoForward(); });
}

} // namespace hidet::ui
