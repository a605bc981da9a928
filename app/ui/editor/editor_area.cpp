// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/editor_area.h"

#include <QLabel>
#include <QVBoxLayout>
#include <functional>

#include "app/ui/code/carets.h"
#include "app/ui/core/paths.h"
#include "app/ui/core/words.h"
#include "app/ui/document/starts.h"
#include "app/ui/editor/by_hand_bar.h"
#include "app/ui/editor/line_commands.h"
#include "app/ui/editor/script_editor.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

// Binds the commands of the menus Edit and Go. Those that any text can do act where the keyboard is, an editor or a pane.

namespace assist = session::assist;

// The layout of a script as Python's style guide has it: of the selected lines, or of all. One step of undo; carets stay.
void formatText(Studio& studio, ScriptEditor& editor) {
    if (!editor.document().isScript())
        return studio.notices.showStatus(tr("Only scripts are formatted"));
    if (!editor.live().answersAreCurrent())
        return studio.notices.showStatus(tr("The script is still being read"));
    const ByteRange chosen = editor.selection();
    const bool some = chosen.begin < chosen.end;
    const assist::Range range{static_cast<std::uint32_t>(chosen.begin), static_cast<std::uint32_t>(chosen.end)};
    const assist::Formatting formatting =
        some ? assist::format_range(*editor.live().answers(), range) : assist::format(*editor.live().answers());
    if (!formatting.refusal.empty())
        return studio.notices.showStatus(tr("Not formatted: %1").arg(QString::fromStdString(formatting.refusal)));
    if (formatting.edits.empty())
        return studio.notices.showStatus(some ? tr("These lines are formatted already")
                                              : tr("The script is formatted already"));
    std::vector<TextEdit> edits;
    for (const assist::Edit& edit : formatting.edits)
        edits.push_back({{static_cast<int>(edit.range.begin), static_cast<int>(edit.range.end)},
                         QByteArray::fromStdString(edit.text)});
    const int first = editor.firstLine();
    applyEditsUnderCarets(editor, edits, Stick::Before);
    editor.setFirstLine(first);
    studio.notices.showStatus(some ? tr("The lines are formatted") : tr("The script is formatted"));
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

void bindEdit(const Binder& bind) {
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
    bind.onEditor(Command::DebugBreakpoint,
                  [](ScriptEditor& editor) { editor.debugMarks().toggle(editor.lineOf(editor.caret())); });
    bind.onEditor(Command::DebugCondition,
                  [](ScriptEditor& editor) { editor.debugMarks().editCondition(editor.lineOf(editor.caret())); });
    bind.onEditor(Command::DebugWriter, [](ScriptEditor& editor) { editor.debugMarks().askForWriter(); });
}

void bindGo(const Binder& bind) {
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

// `current` gives the pane of the current document, or null.
void bindEditorCommands(Studio& studio, NavigationHistory& history, QWidget& owner,
                        std::function<EditorPane*()> current) {
    const Binder bind(studio, owner, std::move(current));
    bindEdit(bind);
    bindGo(bind);
    auto go = [&studio, &history](std::optional<session::Place> place) {
        history.setGoing(true);
        if (place)
            studio.requests.show(*place);
        history.setGoing(false);
        studio.commands.refresh();
    };
    studio.commands.bind(
        Command::GoBack, &owner, [&history, go] { go(history.back()); }, [&history] { return history.canGoBack(); });
    studio.commands.bind(
        Command::GoForward, &owner, [&history, go] { go(history.forward()); },
        [&history] { return history.canGoForward(); });
}

} // namespace

EditorArea::EditorArea(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_names(
                                             studio, [this](Document& document) { return editorOf(document); }, this),
      m_taken(new TakenStore(stateFolder() + "/completions", this)) {
    newColumn(this, {m_stack});
    auto* hint = new QLabel(tr("Open a script or a model, or begin a new script"), m_empty);
    hint->setProperty("muted", true);
    hint->setAlignment(Qt::AlignCenter);
    (new QVBoxLayout(m_empty))->addWidget(hint);
    m_stack->addWidget(m_empty);
    connect(&studio.tabs, &OpenTabs::documentAdded, this, [this](Document* document) { add(*document); });
    connect(&studio.tabs, &OpenTabs::documentClosing, this,
            [this](Document* document) { delete m_panes.take(document); });
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &EditorArea::showCurrent);
    connect(&studio.requests, &ViewRequests::shown, this, [this](Document* document, const session::Place& place) {
        if (ScriptEditor* editor = editorOf(*document))
            editor->reveal(place);
    });
    connect(&studio.requests, &ViewRequests::editorRequested, this, [this] {
        if (current())
            current()->setFocus();
    });
    connect(&studio.requests, &ViewRequests::fixRequested, this, [this](const std::vector<session::FixView>& edits) {
        if (current())
            current()->apply(edits);
    });
    connect(&studio.requests, &ViewRequests::fixesGrouped, this, [this](bool begins) {
        if (begins && current() && !m_grouping) {
            m_grouping = current();
            m_grouping->beginUndoAction();
        } else if (!begins && m_grouping) {
            m_grouping->endUndoAction();
            m_grouping = nullptr;
        }
    });
    bindCommands();
}

void EditorArea::add(Document& document) {
    auto* pane = new EditorPane(m_studio, *m_taken, document, m_stack);
    m_panes[&document] = pane;
    m_stack->addWidget(pane);
    ScriptEditor* editor = &pane->editor();
    connect(editor, &CodeView::caretMoved, this, [this, editor](int offset) {
        if (editor != current())
            return;
        note(editor->placeOf({offset, offset}));
        emit m_studio.scripts.caretMoved(&editor->document(), offset);
    });
    connect(editor, &ScriptEditor::renameRequested, this,
            [this, editor](int offset, const QString& name) { m_names.rename(*editor, offset, name); });
    connect(editor, &ScriptEditor::referencesRequested, this,
            [this, editor](int offset) { m_names.find(*editor, offset); });
    connect(editor, &ScriptEditor::jumping, this, [this, editor](const session::Place& target) {
        if (editor == current())
            note(editor->placeOf({editor->caret(), editor->caret()}));
        m_navigation.jump();
        note(target);
    });
}

// Going back and forward are possible or not, and their commands say so.
void EditorArea::note(const session::Place& place) {
    const bool back = m_navigation.canGoBack(), forward = m_navigation.canGoForward();
    m_navigation.note(place);
    if (back != m_navigation.canGoBack() || forward != m_navigation.canGoForward())
        m_studio.commands.refresh();
}

ScriptEditor* EditorArea::current() const {
    EditorPane* pane = currentPane();
    return pane ? &pane->editor() : nullptr;
}

EditorPane* EditorArea::currentPane() const {
    return m_studio.tabs.current() ? m_panes.value(m_studio.tabs.current()) : nullptr;
}

ScriptEditor* EditorArea::editorOf(Document& document) const {
    EditorPane* pane = m_panes.value(&document);
    return pane ? &pane->editor() : nullptr;
}

void EditorArea::showCurrent() {
    EditorPane* pane = currentPane();
    m_stack->setCurrentWidget(pane ? static_cast<QWidget*>(pane) : m_empty);
    if (!pane)
        return;
    pane->setFocus();
    emit m_studio.scripts.caretMoved(m_studio.tabs.current(), pane->editor().caret());
}

void EditorArea::save(Document& document) {
    if (document.path().isEmpty())
        return saveAs(document);
    FileError error;
    if (document.save(error))
        m_studio.notices.showStatus(tr("Saved %1").arg(document.title()));
    else
        refuse(document, error);
}

void EditorArea::saveAs(Document& document) {
    const auto form = document.byHand();
    const QString ending = form ? session::info(*form).ending : "py";
    const QString usual = form ? document.title() : "script.py";
    const QString path = m_studio.dialogs.save(
        this, form ? tr("Save changed code") : tr("Save script"), document.path().isEmpty() ? usual : document.path(),
        form ? tr("%1 (*.%2)").arg(session::info(*form).label, ending) : tr("Scripts (*.py)"));
    if (path.isEmpty())
        return;
    FileError error;
    if (document.saveAs(path, error))
        m_studio.notices.showStatus(tr("Saved %1").arg(document.title()));
    else
        refuse(document, error);
}

void EditorArea::refuse(Document& document, const FileError& error) {
    Notice notice;
    notice.id = "save:" + document.name();
    notice.kind = NoticeKind::Error;
    notice.sentence = error.message;
    notice.about = &document;
    notice.offers = {{tr("Save elsewhere"), [this, guarded = QPointer<Document>(&document)] {
                          if (guarded)
                              saveAs(*guarded);
                      }}};
    m_studio.notices.notify(notice);
}

void EditorArea::bindCommands() {
    Commands& commands = m_studio.commands;
    auto some = [this] { return m_studio.tabs.current() != nullptr; };
    commands.bind(Command::FileNew, this, [this] {
        m_studio.tabs.create({});
        currentPane()->offerStarts();
    });
    for (const Start& start : allStarts())
        commands.add("file.new." + start.id, "File/New from", start.title, start.sentence, {}, this,
                     [this, text = start.text] {
                         m_studio.tabs.create(text);
                         emit m_studio.requests.editorRequested();
                     });
    commands.bind(Command::FileOpen, this, [this] {
        for (const QString& path : m_studio.dialogs.open(
                 this, tr("Open scripts and models"), samplesFolder(),
                 tr("Scripts, models and workspaces (*.py *.onnx *.hidet *.json *.hidet-workspace);;Scripts (*.py);;"
                    "Models (*.onnx *.hidet *.json);;Workspaces (*.hidet-workspace);;IR (*.ir);;"
                    "CUDA and PTX (*.cu *.ptx);;All files (*)")))
            m_studio.tabs.openFile(path);
    });
    commands.bind(this, some,
                  {{Command::FileSave, [this] { save(*m_studio.tabs.current()); }},
                   {Command::FileSaveAs, [this] { saveAs(*m_studio.tabs.current()); }},
                   {Command::FileSaveAll,
                    [this] {
                        for (Document* document : m_studio.tabs.documents())
                            if (document->isModified())
                                save(*document);
                    }},
                   {Command::FileClose, [this] { m_studio.tabs.close(*m_studio.tabs.current()); }}});
    commands.bind(
        Command::FileReload, this,
        [this] {
            FileError error;
            if (auto text = readTextFile(m_studio.tabs.current()->path(), error)) {
                m_studio.notices.withdraw(diskNotice(*m_studio.tabs.current()));
                m_studio.tabs.current()->readAgain(*text);
                current()->replaceAll(text->text);
            } else {
                refuse(*m_studio.tabs.current(), error);
            }
        },
        [this] { return m_studio.tabs.current() && !m_studio.tabs.current()->path().isEmpty(); });
    bindByHandCommands(m_studio, *this, [this](const QByteArray& text) { current()->replaceAll(text); });
    bindEditorCommands(m_studio, m_navigation, *this, [this] { return currentPane(); });
}

} // namespace hidet::ui
