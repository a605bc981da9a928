// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/editor_area.h"

#include <QLabel>
#include <QVBoxLayout>

#include "app/ui/core/paths.h"

namespace hidet::ui {

EditorArea::EditorArea(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_stack(new QStackedWidget(this)), m_empty(new QWidget(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    auto* hint = new QLabel(tr("Open a script, or begin a new one"), m_empty);
    hint->setProperty("muted", true);
    hint->setAlignment(Qt::AlignCenter);
    (new QVBoxLayout(m_empty))->addWidget(hint);
    m_stack->addWidget(m_empty);
    connect(&studio, &Studio::documentAdded, this, [this](Document* document) {
        auto* editor = new ScriptEditor(m_studio, *document);
        m_editors[document] = editor;
        m_stack->addWidget(editor);
    });
    connect(&studio, &Studio::documentClosing, this, [this](Document* document) { delete m_editors.take(document); });
    connect(&studio, &Studio::currentChanged, this, &EditorArea::showCurrent);
    connect(&studio, &Studio::shown, this, [this](Document* document, const session::Place& place) {
        if (ScriptEditor* editor = m_editors.value(document))
            editor->reveal(place);
    });
    connect(&studio, &Studio::editorWanted, this, [this] {
        if (current())
            current()->setFocus();
    });
    bindCommands();
}

ScriptEditor* EditorArea::current() const {
    return m_studio.current() ? m_editors.value(m_studio.current()) : nullptr;
}

void EditorArea::showCurrent() {
    ScriptEditor* editor = current();
    m_stack->setCurrentWidget(editor ? static_cast<QWidget*>(editor) : m_empty);
    if (editor)
        editor->setFocus();
}

void EditorArea::save(Document& document) {
    if (document.path().isEmpty())
        return saveAs(document);
    FileError error;
    if (document.save(error))
        m_studio.say(tr("Saved %1").arg(document.title()));
    else
        m_studio.complain(error.message);
}

void EditorArea::saveAs(Document& document) {
    const QString path = m_studio.dialogs.save(
        this, tr("Save script"), document.path().isEmpty() ? "script.py" : document.path(), tr("Scripts (*.py)"));
    FileError error;
    if (!path.isEmpty() && !document.saveAs(path, error))
        m_studio.complain(error.message);
}

void EditorArea::bindCommands() {
    Commands& commands = m_studio.commands;
    auto some = [this] { return m_studio.current() != nullptr; };
    commands.bind(Command::FileNew, this, [this] { m_studio.create({}); });
    commands.bind(Command::FileOpen, this, [this] {
        FileError error;
        for (const QString& path : m_studio.dialogs.open(this, tr("Open scripts"), samplesFolder(),
                                                         tr("Scripts (*.py);;IR (*.ir);;All files (*)")))
            if (!m_studio.open(path, error))
                m_studio.complain(error.message);
    });
    commands.bind(
        Command::FileSave, this, [this] { save(*m_studio.current()); }, some);
    commands.bind(
        Command::FileSaveAs, this, [this] { saveAs(*m_studio.current()); }, some);
    commands.bind(
        Command::FileSaveAll, this,
        [this] {
            for (Document* document : m_studio.documents())
                if (document->isModified())
                    save(*document);
        },
        some);
    commands.bind(
        Command::FileReload, this,
        [this] {
            FileError error;
            if (auto text = readTextFile(m_studio.current()->path(), error)) {
                m_studio.current()->readAgain(*text);
                current()->replaceAll(text->text);
            } else {
                m_studio.complain(error.message);
            }
        },
        [this] { return m_studio.current() && !m_studio.current()->path().isEmpty(); });
    commands.bind(
        Command::FileClose, this, [this] { m_studio.close(*m_studio.current()); }, some);
    // Where the keyboard is, an editor or a pane.
    auto onView = [this](Command command, void (QsciScintilla::*act)()) {
        m_studio.commands.bind(command, this, [this, act] {
            if (auto* view = qobject_cast<CodeView*>(window()->focusWidget()))
                (view->*act)();
            else if (current())
                (current()->*act)();
        });
    };
    onView(Command::EditUndo, &QsciScintilla::undo);
    onView(Command::EditRedo, &QsciScintilla::redo);
    onView(Command::EditCut, &QsciScintilla::cut);
    onView(Command::EditCopy, &QsciScintilla::copy);
    onView(Command::EditPaste, &QsciScintilla::paste);
    commands.bind(Command::EditSelectAll, this, [this] {
        if (auto* view = qobject_cast<CodeView*>(window()->focusWidget()))
            view->selectAll();
        else if (current())
            current()->selectAll();
    });
}

} // namespace hidet::ui
