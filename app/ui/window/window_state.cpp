// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/window_state.h"

#include <QFileInfo>
#include <QJsonDocument>

#include "app/ui/persistence/file_keeper.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/window/main_window.h"
#include "app/ui/window/workspace_keeper.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/model_files.h"

namespace hidet::ui {

namespace {

using Sci = QsciScintilla;

QList<int> foldedLines(const ScriptEditor& editor) {
    QList<int> out;
    const auto next = [&](long line) {
        return editor.SendScintilla(Sci::SCI_CONTRACTEDFOLDNEXT, static_cast<unsigned long>(line));
    };
    for (long line = next(0); line >= 0; line = next(line + 1))
        out << static_cast<int>(line) + 1;
    return out;
}

// Where blocks begin is known once all lines have their colours.
void fold(ScriptEditor& editor, const QList<int>& lines) {
    if (lines.isEmpty())
        return;
    editor.SendScintilla(Sci::SCI_COLOURISE, 0UL, -1L);
    for (int line : lines) {
        const auto at = static_cast<unsigned long>(line - 1);
        if (line <= editor.lines() && (editor.SendScintilla(Sci::SCI_GETFOLDLEVEL, at) & Sci::SC_FOLDLEVELHEADERFLAG))
            editor.SendScintilla(Sci::SCI_FOLDLINE, at, static_cast<long>(Sci::SC_FOLDACTION_CONTRACT));
    }
}

// Of panes that there are, as long as a session stays a small file.
QList<KeptPin> pinsOf(const Studio& studio, const QJsonObject& layout) {
    constexpr qsizetype most_bytes = 8 << 20;
    QList<KeptPin> out;
    qsizetype bytes = 0;
    const QByteArray panes = QJsonDocument(layout).toJson(QJsonDocument::Compact);
    for (const auto& [number, pinned] : studio.stages.allPinned()) {
        if (!pinned.view.text || !panes.contains("pin:" + QByteArray::number(number) + ':')) // a pane, or a side of one
            continue;
        bytes += static_cast<qsizetype>(pinned.view.text->text.size());
        if (bytes <= most_bytes)
            out << KeptPin{number, pinned.label, QByteArray::fromStdString(pinned.view.text->text), pinned.stage.key()};
    }
    return out;
}

class Restoring {
public:
    explicit Restoring(MainWindow& window) : m_window(window), m_studio(window.studio()) {}

    void model(const KeptDocument& kept) {
        if (!QFileInfo(kept.path).isFile())
            return refuse(kept, MainWindow::tr("%1 cannot be opened: there is no such file").arg(kept.path));
        out.unsaved += restoreAround(*m_studio.tabs.openModel(kept.path), kept);
    }

    void script(const KeptDocument& kept) {
        Document* document = opened(kept);
        if (!document)
            return;
        if (!kept.plans.isEmpty())
            m_studio.runs->plans().restore(*document, kept.plans);
        if (!kept.calls.isEmpty())
            m_studio.scripts.liveOf(*document)->setCalls(kept.calls);
        if (ScriptEditor* editor = m_window.editors().editorOf(*document)) {
            editor->setCaret(editor->offsetOf(kept.line - 1, kept.column - 1));
            fold(*editor, kept.folded); // after the caret, which opens what it is set into
            editor->setFirstVisibleLine(kept.firstLine);
        }
        out.unsaved += document->isModified();
    }

    // Beside its script, once all models are open that may stand there.
    void graph(const KeptDocument& kept) {
        for (Document* script : m_studio.tabs.documents()) {
            if (script->path() != kept.path || (kept.path.isEmpty() && script->number() != kept.number))
                continue;
            if (kept.hasGraph) {
                out.unsaved += restoreAround(*m_studio.tabs.openModelOf(*script), kept) && !kept.unsaved;
                return;
            }
            for (LiveModel* model : m_studio.tabs.models())
                if (!kept.beside.isEmpty() && model->path() == kept.beside)
                    m_studio.tabs.splitWith(*script, model);
        }
    }

    Restored out;

private:
    void refuse(const KeptDocument& kept, const QString& why) {
        out.missing << kept;
        out.refusals << why;
    }

    Document* opened(const KeptDocument& kept) {
        FileError error;
        Document* open = nullptr;
        bool numberTaken = false;
        for (Document* other : m_studio.tabs.documents()) {
            if (!kept.path.isEmpty() && other->path() == kept.path)
                open = other;
            numberTaken =
                numberTaken || (kept.path.isEmpty() && other->path().isEmpty() && other->number() == kept.number);
        }
        if (open && !kept.unsaved)
            return nullptr;
        if (open && !open->isModified()) {
            m_window.editors().editorOf(*open)->replaceAll(*kept.unsaved);
            return open;
        }
        if (open) // Two programs changed the same file: both texts are kept, one without a name.
            return open->text() == *kept.unsaved ? nullptr : m_studio.tabs.create(*kept.unsaved);
        if (!kept.unsaved) {
            Document* document = m_studio.tabs.open(kept.path, error);
            if (!document)
                refuse(kept, error.message);
            return document;
        }
        // The file may have changed meanwhile, or be gone: what was typed is kept as a change of what it holds now.
        FileText saved{{}, kept.form};
        if (!kept.path.isEmpty())
            if (auto read = readTextFile(kept.path, error))
                saved = std::move(*read);
        return m_studio.tabs.restore(kept.path, std::move(saved), *kept.unsaved, numberTaken ? 0 : kept.number);
    }

    MainWindow& m_window;
    Studio& m_studio;
};

// Some may have not been opened, and others were open before.
void bringToFront(Studio& studio, const KeptSession& session) {
    if (session.current < 0 || session.current >= session.documents.size())
        return;
    const KeptDocument& front = session.documents[session.current];
    for (QObject* tab : studio.tabs.all()) {
        const auto* document = qobject_cast<Document*>(tab);
        const auto* model = qobject_cast<LiveModel*>(tab);
        if (model ? model->path() == front.path && !model->document()
                  : document->path() == front.path && (!front.path.isEmpty() || document->number() == front.number))
            return studio.tabs.setFront(tab);
    }
}

} // namespace

KeptDocument keptOf(MainWindow& window, Document& document, Texts texts) {
    Studio& studio = window.studio();
    KeptDocument out;
    const LiveModel* graph = studio.tabs.modelOf(&document);
    if (graph && graph->document() == &document)
        out = keptOf(*graph);
    if (graph && !graph->document() && !graph->kept())
        out.beside = graph->path();
    out.path = document.path();
    out.number = document.number();
    out.form = document.form();
    if ((texts == Texts::All && document.isModified()) || (texts != Texts::None && document.path().isEmpty()))
        out.unsaved = document.text();
    out.plans = studio.runs->plans().state(document);
    out.calls = studio.scripts.liveOf(document)->calls();
    if (const ScriptEditor* editor = window.editors().editorOf(document)) {
        out.line = editor->lineOf(editor->caret()) + 1;
        out.column = editor->columnOf(editor->caret()) + 1;
        out.firstLine = editor->firstVisibleLine();
        out.folded = foldedLines(*editor);
    }
    return out;
}

KeptSession keptOf(MainWindow& window, Texts texts) {
    const Studio& studio = window.studio();
    KeptSession out;
    const QObject* front = studio.tabs.front();
    if (const LiveModel* model = studio.tabs.model(); model && model->document())
        front = model->document(); // beside which it will be
    for (QObject* tab : studio.tabs.all()) {
        auto* document = qobject_cast<Document*>(tab);
        const auto* model = qobject_cast<LiveModel*>(tab);
        if ((document && document->isUntouched()) || (model && (model->document() || model->kept())))
            continue;
        if (tab == front)
            out.current = int(out.documents.size());
        out.documents << (document ? keptOf(window, *document, texts) : keptOf(*model));
    }
    out.workspace = window.workspace().path();
    out.closed = window.findChild<FileKeeper*>()->closed();
    out.layout = window.layoutState();
    out.pins = pinsOf(studio, out.layout);
    out.geometry = window.saveGeometry();
    return out;
}

Restored restore(MainWindow& window, const KeptSession& session, Which which) {
    Restoring restoring(window);
    for (const KeptDocument& kept : session.documents) {
        if (which == Which::WithWork && !kept.hasWork()) {
            if (!kept.marks.isEmpty()) // found again when the model is opened
                window.findChild<FileKeeper*>()->addClosed({kept});
        } else if (isModelFile(kept.path)) {
            restoring.model(kept);
        } else {
            restoring.script(kept);
        }
    }
    for (const KeptDocument& kept : session.documents)
        if (which == Which::All || kept.hasWork())
            restoring.graph(kept);
    Studio& studio = window.studio();
    if (which == Which::All)
        bringToFront(studio, session);
    return restoring.out;
}

// A text is all that is left of what was pinned: the script that it was made from is another one now.
void restoreLayout(MainWindow& window, const KeptSession& kept) {
    if (kept.layout.isEmpty())
        return;
    for (const KeptPin& pin : kept.pins) {
        PinnedText pinned;
        auto text = std::make_shared<session::TextSnapshot>();
        text->text = pin.text.toStdString();
        pinned.view.text = std::move(text);
        pinned.view.state = session::Freshness::Fresh;
        pinned.label = pin.label;
        pinned.stage = StageName::ofKey(pin.stage);
        window.studio().stages.keepAs(pin.number, std::move(pinned));
    }
    window.restoreLayout(kept.layout);
}

} // namespace hidet::ui
