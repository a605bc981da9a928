// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/persistence/file_keeper.h"

#include <QFileInfo>

#include "app/ui/core/recent_files.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

constexpr int settle_ms = 100;
constexpr int most_closed = 20;
constexpr int most_noted = 200; // models with bookmarks or notes

struct OnDisk {
    bool exists = false;
    std::optional<FileText> text;
};

} // namespace

FileKeeper::FileKeeper(Studio& studio, EditorArea& editors, QObject* parent)
    : QObject(parent), m_studio(studio), m_editors(editors), m_watch(settle_ms, [this] { checkNow(); }) {
    connect(&studio.tabs, &OpenTabs::documentAdded, this, &FileKeeper::watch);
    connect(&studio.tabs, &OpenTabs::documentClosing, this, &FileKeeper::closing);
    connect(&studio.tabs, &OpenTabs::modelClosing, this, &FileKeeper::closingModel);
    connect(&studio.tabs, &OpenTabs::modelAdded, this, &FileKeeper::openedModel);
    studio.commands.bind(
        Command::FileReopen, this, [this] { reopen(m_closed.first()); }, [this] { return !m_closed.isEmpty(); });
    studio.commands.bind(
        Command::FileKeepMine, this, [this] { keepMine(*m_studio.tabs.current()); },
        [this] { return m_studio.tabs.current() && m_newer.contains(m_studio.tabs.current()); });
    studio.commands.bind(
        Command::FileShowChanges, this, [this] { m_studio.requests.showPage("changes"); },
        [this] { return m_studio.tabs.current() && m_studio.tabs.current()->isModified(); });
}

void FileKeeper::watch(Document* document) {
    auto note = [this, document] {
        if (!document->isModified() && m_newer.remove(document) > 0)
            m_studio.notices.withdraw(diskNotice(*document));
        if (document->path().isEmpty())
            return;
        if (recentFiles(m_studio.settings).value(0) != document->path())
            addRecentFile(m_studio.settings, document->path());
        updateWatched();
    };
    connect(document, &Document::stateChanged, this, note);
    note();
}

void FileKeeper::updateWatched() {
    QStringList wanted;
    for (Document* document : m_studio.tabs.documents()) {
        if (document->path().isEmpty())
            continue;
        if (QFileInfo::exists(document->path()))
            wanted << document->path();
        if (QFileInfo::exists(document->folder()) && !wanted.contains(document->folder()))
            wanted << document->folder();
    }
    m_watch.watchOnly(wanted);
}

void FileKeeper::checkNow() {
    for (Document* document : m_studio.tabs.documents())
        if (!document->path().isEmpty())
            check(*document);
    updateWatched();
}

void FileKeeper::check(Document& document) {
    const auto look = [path = document.path()](const std::atomic<bool>&) {
        FileError ignored;
        return OnDisk{QFileInfo::exists(path), readTextFile(path, ignored)};
    };
    m_looking[&document].run(
        look, [this, &document, path = document.path(), read = document.fileRevision()](const OnDisk& now) {
            if (document.path() != path || !m_studio.tabs.documents().contains(&document))
                return;
            if (document.fileRevision() != read) // written since: what was read here may be the text before that
                return check(document);
            if (!now.exists)
                gone(document);
            else if (now.text)
                changed(document, *now.text);
        });
}

void FileKeeper::changed(Document& document, const FileText& now) {
    document.setGone(false);
    if (now.text == document.saved()) {
        if (now.form == document.form())
            return;
        return document.readAgain(now);
    }
    const QString id = diskNotice(document);
    ScriptEditor* editor = m_editors.editorOf(document);
    if (!document.isModified() || now.text == document.text()) {
        document.readAgain(now);
        editor->replaceAll(now.text);
        m_newer.remove(&document);
        m_studio.notices.withdraw(id);
        m_studio.notices.showStatus(tr("Reloaded %1, which changed on disk").arg(document.title()));
        return;
    }
    Notice notice;
    notice.id = id;
    notice.kind = NoticeKind::Warning;
    notice.sentence = tr("%1 changed on disk, and has changes here").arg(document.title());
    notice.about = &document;
    const QPointer<Document> guarded = &document;
    notice.offers = {{tr("Reload"),
                      [this, guarded, now] {
                          if (!guarded)
                              return;
                          guarded->readAgain(now);
                          m_editors.editorOf(*guarded)->replaceAll(now.text);
                      }},
                     {tr("Keep mine"),
                      [this, guarded] {
                          if (guarded)
                              keepMine(*guarded);
                      }},
                     {tr("Show differences"), [this, guarded] {
                          if (!guarded)
                              return;
                          m_studio.tabs.setCurrent(guarded);
                          m_studio.requests.showPage("changes");
                      }}};
    m_newer[&document] = now;
    m_studio.notices.notify(notice);
}

// What the file holds now is what the text is compared with; saving replaces it without a question.
void FileKeeper::keepMine(Document& document) {
    m_studio.notices.withdraw(diskNotice(document));
    if (m_newer.contains(&document))
        document.readAgain(m_newer.take(&document));
    m_studio.commands.refresh();
}

void FileKeeper::gone(Document& document) {
    if (document.isGone())
        return;
    document.setGone(true);
    Notice notice;
    notice.id = diskNotice(document);
    notice.kind = NoticeKind::Warning;
    notice.sentence = tr("%1 was deleted on disk. Your text is still here.").arg(document.title());
    notice.about = &document;
    const QPointer<Document> guarded = &document;
    notice.offers = {{tr("Save again"), [this, guarded] {
                          if (!guarded)
                              return;
                          m_studio.tabs.setCurrent(guarded);
                          m_studio.commands.action(Command::FileSave)->trigger();
                      }}};
    m_studio.notices.notify(notice);
}

void FileKeeper::closingModel(LiveModel* model) {
    if (model->document() && model->document()->path().isEmpty())
        return; // of a script that no file has: nothing could be opened again
    const KeptDocument kept = keptOf(*model);
    m_closed.removeIf([&](const KeptDocument& closed) {
        return closed.path == kept.path && closed.hasGraph == kept.hasGraph && !closed.unsaved;
    });
    keepClosed(kept);
}

// What was noted of it is there however it is opened again.
void FileKeeper::openedModel(LiveModel* model) {
    for (KeptDocument& closed : m_closed)
        if (closed.path == model->path() && !closed.marks.isEmpty())
            model->marks().restore(std::exchange(closed.marks, {}));
}

// The oldest goes first; notes are work, and go last.
void FileKeeper::trim() {
    for (qsizetype i = m_closed.size(); i-- > 0 && m_closed.size() > most_closed;)
        if (m_closed[i].marks.isEmpty())
            m_closed.removeAt(i);
    while (m_closed.size() > most_noted)
        m_closed.removeLast();
}

void FileKeeper::keepClosed(const KeptDocument& closed) {
    m_closed.prepend(closed);
    trim();
}

void FileKeeper::closing(Document* document) {
    m_newer.remove(document);
    m_looking.erase(document);
    QMetaObject::invokeMethod(this, &FileKeeper::updateWatched, Qt::QueuedConnection);
    if (document->isUntouched())
        return;
    KeptDocument closed;
    closed.path = document->path();
    closed.number = document->number();
    closed.form = document->form();
    const bool unsaved = document->isModified();
    if (unsaved)
        closed.unsaved = document->text();
    keepClosed(closed);
    if (!unsaved)
        return;
    Notice notice;
    notice.id = "closed";
    notice.sentence = tr("Closed %1 with unsaved changes").arg(document->title());
    notice.offers = {{tr("Reopen"), [this] { m_studio.commands.action(Command::FileReopen)->trigger(); }}};
    m_studio.notices.notify(notice);
}

void FileKeeper::addClosed(const QList<KeptDocument>& closed) {
    m_closed << closed;
    trim();
    m_studio.commands.refresh();
}

void FileKeeper::reopen(KeptDocument closed) {
    m_closed.removeOne(closed);
    m_studio.notices.withdraw("closed");
    FileError error;
    if (!closed.unsaved) {
        const bool isOpen = m_studio.tabs.openFile(closed.path);
        LiveModel* model = m_studio.tabs.model();
        if (isOpen && closed.hasGraph && m_studio.tabs.current())
            model = m_studio.tabs.openModelOf(*m_studio.tabs.current());
        if (isOpen && model)
            restoreAround(*model, closed);
        return m_studio.commands.refresh();
    }
    FileText saved{{}, closed.form};
    if (!closed.path.isEmpty())
        if (auto read = readTextFile(closed.path, error))
            saved = std::move(*read);
    Document* open = nullptr;
    for (Document* document : m_studio.tabs.documents())
        if (!closed.path.isEmpty() && document->path() == closed.path)
            open = document;
    if (open)
        m_editors.editorOf(*open)->replaceAll(*closed.unsaved);
    else
        m_studio.tabs.restore(closed.path, std::move(saved), *closed.unsaved, 0);
    m_studio.commands.refresh();
}

} // namespace hidet::ui
