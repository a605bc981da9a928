// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/program/session_keeper.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>

#include "app/ui/persistence/file_keeper.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/model_files.h"
#include "app/ui/workbench/model_numbers.h"

namespace hidet::ui {

namespace {

// What is in the session, with its text and choices, leaves it.
QList<KeptDocument> takeOpening(KeptSession& session, const QStringList& opening) {
    QList<KeptDocument> out;
    for (int i = int(session.documents.size()) - 1; i >= 0; --i) {
        if (!opening.contains(session.documents[i].path))
            continue;
        out.prepend(session.documents.takeAt(i));
        if (i < session.current)
            --session.current;
    }
    return out;
}

} // namespace

SessionKeeper::SessionKeeper(MainWindow& window, const QString& stateFolder, SessionOptions options)
    : QObject(&window), m_window(window), m_studio(window.studio()), m_stateFolder(stateFolder),
      m_options(std::move(options)), m_running(stateFolder) {
    m_pause.setSingleShot(true);
    connect(&m_pause, &QTimer::timeout, this, &SessionKeeper::keepNow);
    connect(&m_studio, &Studio::documentAdded, this, &SessionKeeper::watch);
    connect(&m_studio, &Studio::documentClosing, this, [this](Document* document) {
        if (document->isModified()) // before its swap file goes: what was closed can be reopened
            m_running.keep(sessionNow(false));
        if (m_swapped.contains(document))
            m_running.drop(m_swapped.take(document));
        m_changed.remove(document);
        keepSoon();
    });
    connect(&m_studio, &Studio::modelAdded, this, [this](LiveModel* model) {
        connect(model, &LiveModel::choicesChanged, this, &SessionKeeper::keepSoon);
        connect(model, &LiveModel::stateChanged, this, &SessionKeeper::keepSoon); // its scripts
        connect(&model->marks(), &GraphMarks::changed, this, &SessionKeeper::keepSoon);
        connect(&model->numbers(), &ModelNumbers::changed, this, &SessionKeeper::keepSoon);
        connect(model, &LiveModel::stateChanged, this, &SessionKeeper::noteOpening);
        connect(model, &LiveModel::snapshotChanged, this, &SessionKeeper::noteOpening);
        noteOpening();
        keepSoon();
    });
    connect(&m_studio, &Studio::modelClosing, this, &SessionKeeper::keepSoon);
    connect(&m_studio, &Studio::besideChanged, this, &SessionKeeper::keepSoon);
    connect(&m_studio, &Studio::tabsChanged, this, &SessionKeeper::noteOpening);
    connect(&m_studio, &Studio::currentChanged, this, [this] {
        LivePipeline* live = m_studio.live();
        if (live && !live->latest() && !m_starting.contains(live)) {
            m_starting << live;
            connect(live, &LivePipeline::updated, this, &SessionKeeper::noteOpening);
        }
        noteOpening();
        keepSoon();
    });
    if (m_options.fresh)
        return;
    QDir().mkpath(m_stateFolder + "/sessions");
    auto lock = std::make_unique<QLockFile>(sessionFile() + ".lock");
    lock->setStaleLockTime(0);
    if (lock->tryLock(0))
        m_lock = std::move(lock);
}

QString SessionKeeper::sessionFile() const {
    QString name = m_options.name;
    for (QChar& letter : name)
        if (!letter.isLetterOrNumber() && letter != '-' && letter != '_')
            letter = '_';
    return m_stateFolder + "/sessions/" + name + ".json";
}

void SessionKeeper::watch(Document* document) {
    connect(document, &Document::textChanged, this, [this, document] {
        m_changed << document;
        keepSoon();
    });
    connect(document, &Document::stateChanged, this, [this, document] {
        m_changed << document;
        keepSoon();
    });
    if (document->isModified())
        m_changed << document;
    keepSoon();
}

void SessionKeeper::noteOpening() {
    QStringList opening;
    for (const LiveModel* model : m_studio.models())
        if (model->isBusy() && !model->document())
            opening << model->path();
    m_starting.removeIf([](const auto& live) { return !live || (live->latest() && live->latest()->complete); });
    for (const LivePipeline* live : std::as_const(m_starting))
        if (!live->document().path().isEmpty())
            opening << live->document().path();
    if (opening == m_opening)
        return;
    m_opening = opening;
    m_running.setOpening(opening);
}

void SessionKeeper::keepSoon() {
    if (!m_pause.isActive())
        m_pause.start(std::max(1, m_studio.settings.number(Setting::SwapSeconds)) * 1000);
}

void SessionKeeper::keepNow() {
    // Before the texts: whenever a kill comes, the order of the scripts is known.
    m_running.keep(sessionNow(false));
    for (Document* document : std::as_const(m_changed)) {
        const KeptDocument now = keptOf(*document, true);
        const auto before = m_swapped.constFind(document);
        // Saved under another name: the swap file has the old one.
        if (before != m_swapped.constEnd() && (!now.unsaved || before->path != now.path))
            m_running.drop(m_swapped.take(document));
        if (!now.unsaved)
            continue;
        m_running.swap(now);
        m_swapped[document] = now;
    }
    m_changed.clear();
    if (!m_running.isUsable() && !m_complained) {
        m_complained = true;
        m_studio.showError(tr("Unsaved text cannot be kept against a crash: %1 cannot be written").arg(m_stateFolder),
                           {{tr("Save all"), [this] { m_studio.commands.action(Command::FileSaveAll)->trigger(); }}});
    }
}

bool SessionKeeper::flush() {
    m_pause.stop();
    keepNow();
    return m_running.flush();
}

KeptDocument SessionKeeper::keptOf(Document& document, bool withText) const {
    const LiveModel* graph = m_studio.modelOf(&document);
    KeptDocument out = graph && graph->document() ? ui::keptOf(*graph) : KeptDocument();
    if (graph && !graph->document() && !graph->kept())
        out.beside = graph->path();
    out.path = document.path();
    out.number = document.number();
    out.form = document.form();
    if (withText && (document.isModified() || document.path().isEmpty()))
        out.unsaved = document.text();
    if (const ScriptEditor* editor = m_window.editors().editorOf(document)) {
        out.line = editor->lineOf(editor->caret()) + 1;
        out.column = editor->columnOf(editor->caret()) + 1;
        out.firstLine = editor->firstVisibleLine();
    }
    return out;
}

KeptSession SessionKeeper::sessionNow(bool withTexts) {
    KeptSession out;
    const QObject* front = m_studio.front();
    if (const LiveModel* model = m_studio.model(); model && model->document())
        front = model->document(); // beside which it will be
    for (QObject* tab : m_studio.tabs()) {
        auto* document = qobject_cast<Document*>(tab);
        const auto* model = qobject_cast<LiveModel*>(tab);
        if ((document && document->isUntouched()) || (model && (model->document() || model->kept())))
            continue;
        if (tab == front)
            out.current = int(out.documents.size());
        out.documents << (document ? keptOf(*document, withTexts) : ui::keptOf(*qobject_cast<LiveModel*>(tab)));
    }
    out.closed = m_window.findChild<FileKeeper*>()->closed();
    out.layout = m_window.layoutState();
    out.pins = pinsOf(out.layout);
    out.geometry = m_window.saveGeometry();
    return out;
}

// Of panes that there are, as long as a session stays a small file.
QList<KeptPin> SessionKeeper::pinsOf(const QJsonObject& layout) const {
    constexpr qsizetype most_bytes = 8 << 20;
    QList<KeptPin> out;
    qsizetype bytes = 0;
    const QByteArray panes = QJsonDocument(layout).toJson(QJsonDocument::Compact);
    for (const auto& [number, pinned] : m_studio.stages.allPinned()) {
        if (!pinned.view.text || !panes.contains("pin:" + QByteArray::number(number) + ':')) // a pane, or a side of one
            continue;
        bytes += static_cast<qsizetype>(pinned.view.text->text.size());
        if (bytes <= most_bytes)
            out << KeptPin{number, pinned.label, QByteArray::fromStdString(pinned.view.text->text), pinned.stage.key()};
    }
    return out;
}

// Its text is all that is left of what was pinned: the script that it was made from is another one now.
void SessionKeeper::restoreLayout(const KeptSession& kept) {
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
        m_studio.stages.keepAs(pin.number, std::move(pinned));
    }
    m_window.restoreLayout(kept.layout);
}

bool SessionKeeper::restoreModel(const KeptDocument& kept) {
    if (!QFileInfo(kept.path).isFile()) {
        m_studio.showError(tr("%1 cannot be opened: there is no such file").arg(kept.path));
        return false;
    }
    return restoreAround(*m_studio.openModel(kept.path), kept);
}

bool SessionKeeper::restoreGraph(const KeptDocument& kept) {
    for (Document* script : m_studio.documents()) {
        if (script->path() != kept.path || (kept.path.isEmpty() && script->number() != kept.number))
            continue;
        if (kept.hasGraph)
            return restoreAround(*m_studio.openModelOf(*script), kept);
        for (LiveModel* model : m_studio.models())
            if (!kept.beside.isEmpty() && model->path() == kept.beside)
                m_studio.putBeside(*script, model);
    }
    return false;
}

bool SessionKeeper::restore(const KeptDocument& kept) {
    if (isModelFile(kept.path))
        return restoreModel(kept);
    FileError error;
    Document* document = nullptr;
    Document* open = nullptr;
    bool numberTaken = false;
    for (Document* other : m_studio.documents()) {
        if (!kept.path.isEmpty() && other->path() == kept.path)
            open = other;
        numberTaken = numberTaken || (kept.path.isEmpty() && other->path().isEmpty() && other->number() == kept.number);
    }
    if (open && !kept.unsaved)
        return false;
    if (open && !open->isModified()) {
        m_window.editors().editorOf(*open)->replaceAll(*kept.unsaved);
        document = open;
    } else if (open) {
        // Two programs changed the same file: both texts are kept, one without a name.
        if (open->text() == *kept.unsaved)
            return false;
        document = m_studio.create(*kept.unsaved);
    } else if (!kept.unsaved) {
        document = m_studio.open(kept.path, error);
        if (!document) {
            m_studio.showError(error.message);
            return false;
        }
    } else {
        // The file may have changed meanwhile, or be gone: what was typed is kept as a change of what it holds now.
        FileText saved{{}, kept.form};
        if (!kept.path.isEmpty())
            if (auto read = readTextFile(kept.path, error))
                saved = std::move(*read);
        document = m_studio.restore(kept.path, std::move(saved), *kept.unsaved, numberTaken ? 0 : kept.number);
    }
    if (ScriptEditor* editor = m_window.editors().editorOf(*document)) {
        editor->setCaret(editor->offsetOf(kept.line - 1, kept.column - 1));
        editor->setFirstVisibleLine(kept.firstLine);
    }
    return document->isModified();
}

int SessionKeeper::restore(const KeptSession& session, bool onlyUnsaved) {
    int unsaved = 0;
    for (const KeptDocument& kept : session.documents) {
        if (onlyUnsaved && !kept.hasWork()) {
            if (!kept.marks.isEmpty()) // found again when the model is opened
                m_window.findChild<FileKeeper*>()->addClosed({kept});
            continue;
        }
        unsaved += restore(kept);
    }
    // Once all models are open that may stand beside scripts.
    for (const KeptDocument& kept : session.documents)
        if (!onlyUnsaved || kept.hasWork())
            unsaved += restoreGraph(kept) && !kept.unsaved;
    if (!onlyUnsaved && session.current >= 0 && session.current < m_studio.tabs().size())
        m_studio.setFront(m_studio.tabs()[session.current]);
    return unsaved;
}

// They are what can be reopened until somebody does.
void SessionKeeper::offer(const QList<KeptDocument>& suspects) {
    if (suspects.isEmpty())
        return;
    auto* files = m_window.findChild<FileKeeper*>();
    QStringList names;
    Notice notice;
    notice.id = "crash-at-opening";
    notice.kind = NoticeKind::Warning;
    for (const KeptDocument& each : suspects) {
        files->keepClosed(each);
        names << QFileInfo(each.path).fileName();
        notice.offers << Offer{tr("Open %1").arg(names.last()), [files, each] { files->reopen(each); }};
    }
    notice.sentence = tr("Hidet Studio crashed while it opened %1").arg(names.join(", "));
    m_studio.notify(notice);
}

void SessionKeeper::recover(RunningFolder::Found& found) {
    const bool alone = m_studio.tabs().isEmpty();
    m_window.findChild<FileKeeper*>()->addClosed(found.session.closed);
    // What a second window left is only its unsaved text; a crash brings everything back that was open.
    const int unsaved = restore(found.session, !found.crashed || !alone);
    if (found.crashed && alone)
        restoreLayout(found.session);
    if (unsaved > 0) {
        Notice notice;
        notice.id = "recovery";
        notice.kind = found.crashed ? NoticeKind::Warning : NoticeKind::Info;
        const QString restored =
            unsaved == 1 ? tr("One unsaved file was restored") : tr("%1 unsaved files were restored").arg(unsaved);
        notice.sentence =
            found.crashed ? tr("Hidet Studio crashed. %1").arg(restored) : tr("%1 from another window").arg(restored);
        notice.offers = {{tr("Show what changed"), [this] { m_studio.showPage("changes"); }}};
        m_studio.notify(notice);
    }
    // Ours before theirs goes: at no moment is a text on no disk.
    if (flush())
        found.remove();
}

QList<KeptDocument> SessionKeeper::takeSuspects(std::vector<RunningFolder::Found>& dead,
                                                std::optional<KeptSession>& last) {
    QStringList opening;
    for (const RunningFolder::Found& found : dead)
        opening << found.opening;
    QList<KeptDocument> out;
    for (RunningFolder::Found& found : dead)
        out << takeOpening(found.session, opening);
    if (last)
        out << takeOpening(*last, opening);
    QStringList seen; // the same file in a dead program's folder and in the session it began with
    out.removeIf([&](const KeptDocument& each) { return seen.contains(each.path) || (seen << each.path, false); });
    for (const QString& path : std::as_const(opening))
        if (!path.isEmpty() && !seen.contains(path)) {
            seen << path;
            out.emplace_back().path = path;
        }
    return out;
}

void SessionKeeper::start() {
    std::vector<RunningFolder::Found> dead = RunningFolder::takeDead(m_stateFolder);
    std::optional<KeptSession> last;
    if (m_lock)
        if (const auto json = readJson(sessionFile()))
            last = keptSession(*json);
    offer(takeSuspects(dead, last));
    if (last) {
        const KeptSession& session = *last;
        if (!session.geometry.isEmpty())
            m_window.restoreGeometry(session.geometry);
        if (m_options.restore)
            restoreLayout(session);
        m_window.findChild<FileKeeper*>()->addClosed(session.closed);
        restore(session, !m_options.restore);
        if (flush())
            QFile::remove(sessionFile());
    }
    for (RunningFolder::Found& found : dead)
        recover(found);
}

void SessionKeeper::end() {
    m_pause.stop();
    const KeptSession session = sessionNow(true);
    if (m_lock && writeJson(sessionFile(), toJson(session))) {
        m_running.remove();
        m_lock->unlock();
        return;
    }
    bool unsaved = false;
    for (const KeptDocument& document : session.documents + session.closed)
        unsaved = unsaved || document.hasWork();
    if (!unsaved)
        return m_running.remove();
    keepNow();
    m_running.leave();
}

} // namespace hidet::ui
