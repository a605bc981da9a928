// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/editor_area.h"

#include <QLabel>
#include <QVBoxLayout>

#include "app/ui/core/paths.h"
#include "app/ui/document/starts.h"
#include "app/ui/editor/by_hand_bar.h"
#include "app/ui/editor/editor_commands.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

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
    connect(&studio, &Studio::documentAdded, this, [this](Document* document) { add(*document); });
    connect(&studio, &Studio::documentClosing, this, [this](Document* document) { delete m_panes.take(document); });
    connect(&studio, &Studio::currentChanged, this, &EditorArea::showCurrent);
    connect(&studio, &Studio::shown, this, [this](Document* document, const session::Place& place) {
        if (ScriptEditor* editor = editorOf(*document))
            editor->reveal(place);
    });
    connect(&studio, &Studio::editorRequested, this, [this] {
        if (current())
            current()->setFocus();
    });
    connect(&studio, &Studio::fixRequested, this, [this](const std::vector<session::FixView>& edits) {
        if (current())
            current()->apply(edits);
    });
    connect(&studio, &Studio::fixesGrouped, this, [this](bool begins) {
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
        emit m_studio.caretMoved(&editor->document(), offset);
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
    return m_studio.current() ? m_panes.value(m_studio.current()) : nullptr;
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
    emit m_studio.caretMoved(m_studio.current(), pane->editor().caret());
}

void EditorArea::save(Document& document) {
    if (document.path().isEmpty())
        return saveAs(document);
    FileError error;
    if (document.save(error))
        m_studio.showStatus(tr("Saved %1").arg(document.title()));
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
        m_studio.showStatus(tr("Saved %1").arg(document.title()));
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
    m_studio.notify(notice);
}

void EditorArea::bindCommands() {
    Commands& commands = m_studio.commands;
    auto some = [this] { return m_studio.current() != nullptr; };
    commands.bind(Command::FileNew, this, [this] {
        m_studio.create({});
        currentPane()->offerStarts();
    });
    for (const Start& start : allStarts())
        commands.add("file.new." + start.id, "File/New from", start.title, start.sentence, {}, this,
                     [this, text = start.text] {
                         m_studio.create(text);
                         emit m_studio.editorRequested();
                     });
    commands.bind(Command::FileOpen, this, [this] {
        for (const QString& path : m_studio.dialogs.open(
                 this, tr("Open scripts and models"), samplesFolder(),
                 tr("Scripts, models and workspaces (*.py *.onnx *.hidet *.json *.hidet-workspace);;Scripts (*.py);;"
                    "Models (*.onnx *.hidet *.json);;Workspaces (*.hidet-workspace);;IR (*.ir);;"
                    "CUDA and PTX (*.cu *.ptx);;All files (*)")))
            m_studio.openFile(path);
    });
    commands.bind(this, some,
                  {{Command::FileSave, [this] { save(*m_studio.current()); }},
                   {Command::FileSaveAs, [this] { saveAs(*m_studio.current()); }},
                   {Command::FileSaveAll,
                    [this] {
                        for (Document* document : m_studio.documents())
                            if (document->isModified())
                                save(*document);
                    }},
                   {Command::FileClose, [this] { m_studio.close(*m_studio.current()); }}});
    commands.bind(
        Command::FileReload, this,
        [this] {
            FileError error;
            if (auto text = readTextFile(m_studio.current()->path(), error)) {
                m_studio.withdraw(diskNotice(*m_studio.current()));
                m_studio.current()->readAgain(*text);
                current()->replaceAll(text->text);
            } else {
                refuse(*m_studio.current(), error);
            }
        },
        [this] { return m_studio.current() && !m_studio.current()->path().isEmpty(); });
    bindByHandCommands(m_studio, *this, [this](const QByteArray& text) { current()->replaceAll(text); });
    bindEditorCommands(m_studio, m_navigation, *this, [this] { return currentPane(); });
}

} // namespace hidet::ui
