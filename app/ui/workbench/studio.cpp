// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/studio.h"

#include <algorithm>

#include <QFileInfo>

#include "app/session/request/workspace_name.h"
#include "app/ui/core/command_keys.h"
#include "app/ui/core/recent_files.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/model_files.h"
#include "app/ui/workbench/profiles.h"

namespace hidet::ui {

Studio::Studio(StudioServices services, QObject* parent)
    : QObject(parent), settings(services.settings), themes(services.themes), tools(std::move(services.tools)),
      dialogs(std::move(services.dialogs)), commands(settings),
      jobs(new JobRunner(*this, std::move(services.workers))) {
    profiles = new Profiles(*this);
    commands.setReason([this] {
        if (m_current)
            return QString();
        return m_model ? tr("a model is in front") : tr("no script is open");
    });
    new CommandKeys(
        commands, [this](const QString& why) { showStatus(why); }, this);
}

LivePipeline* Studio::live() const {
    return m_current ? m_live.value(m_current) : nullptr;
}

LivePipeline* Studio::liveOf(Document& document) {
    LivePipeline*& live = m_live[&document];
    if (!live) {
        live = new LivePipeline(document, settings, tools, &document);
        connect(live, &LivePipeline::updated, this, [this, live = live] {
            if (this->live() == live)
                emit liveUpdated();
        });
        connect(live, &LivePipeline::analysed, this, [this, live = live] {
            if (this->live() == live)
                emit analysed();
        });
        connect(live, &LivePipeline::explanationChanged, this, [this, live = live] {
            if (this->live() == live)
                emit explanationChanged();
        });
        live->submitNow();
    }
    return live;
}

Document* Studio::add(QString path, FileText read, const QByteArray& text, int number) {
    if (path.isEmpty() && number <= 0)
        number = m_untitled + 1;
    m_untitled = std::max(m_untitled, number);
    auto* document = new Document(std::move(path), std::move(read), number, this);
    document->setUnsaved(text);
    m_documents << document;
    m_tabs << document;
    connect(document, &Document::stateChanged, &commands, &Commands::refresh);
    connect(document, &Document::stateChanged, this, &Studio::tabsChanged);
    connect(document, &Document::textChanged, this, [this, document] { setFindings(*document, {}); });
    emit documentAdded(document);
    emit tabsChanged();
    setCurrent(document);
    return document;
}

Document* Studio::open(const QString& path, FileError& error) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    const QString canonical = QFileInfo(path).canonicalFilePath();
    for (Document* document : m_documents)
        if (!document->path().isEmpty() &&
            (document->path() == absolute ||
             (!canonical.isEmpty() && QFileInfo(document->path()).canonicalFilePath() == canonical))) {
            setCurrent(document);
            return document;
        }
    std::optional<FileText> read = readTextFile(absolute, error);
    if (!read)
        return nullptr;
    const QByteArray text = read->text;
    return add(absolute, std::move(*read), text, 0);
}

Document* Studio::create(const QByteArray& text) {
    return add({}, {}, text, 0);
}

Document* Studio::restore(const QString& path, FileText saved, const QByteArray& text, int number) {
    return add(path, std::move(saved), text, number);
}

void Studio::close(Document& document) {
    m_besides.remove(&document);
    if (LiveModel* graph = modelOf(&document))
        close(*graph);
    emit documentClosing(&document);
    m_documents.removeAll(&document);
    removeTab(&document);
    stages.forget(document);
    delete m_live.take(&document);
    m_findings.remove(&document);
    document.deleteLater();
    commands.refresh();
}

LiveModel* Studio::openModel(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    for (LiveModel* model : m_models)
        if (model->path() == absolute) {
            setCurrent(*model);
            return model;
        }
    LiveModel* model = add(new LiveModel(absolute, *this, this));
    setCurrent(*model);
    return model;
}

LiveModel* Studio::add(LiveModel* model) {
    m_models << model;
    m_tabs << model;
    connect(model, &LiveModel::stateChanged, this, &Studio::tabsChanged);
    connect(model, &LiveModel::stateChanged, &commands, &Commands::refresh);
    emit modelAdded(model);
    emit tabsChanged();
    return model;
}

LiveModel* Studio::modelOf(const Document* script) const {
    for (LiveModel* model : m_models)
        if (script && model->document() == script)
            return model;
    LiveModel* model = m_besides.value(script);
    return m_models.contains(model) ? model : nullptr;
}

void Studio::splitWith(const Document& script, LiveModel* model) {
    if (model)
        m_besides[&script] = model;
    else
        m_besides.remove(&script);
    emit besideChanged();
    commands.refresh();
}

LiveModel* Studio::openModelOf(Document& script) {
    LiveModel* model = modelOf(&script);
    return model ? model : add(new LiveModel(script, *this, this));
}

LiveModel* Studio::openKept(const QString& path, const session::ModelRecord& run) {
    for (LiveModel* model : m_models)
        if (model->path() == path) {
            model->setKept(run);
            setCurrent(*model);
            return model;
        }
    auto* model = new LiveModel(path, *this, this);
    model->setKept(run);
    setCurrent(*add(model));
    return model;
}

LiveModel* Studio::graphModel() const {
    return m_model ? m_model : m_beside.data();
}

void Studio::setGraphBeside(LiveModel* model) {
    if (m_beside == model)
        return;
    m_beside = model;
    commands.refresh();
}

void Studio::close(LiveModel& model) {
    emit modelClosing(&model);
    m_models.removeAll(&model);
    removeTab(&model);
    model.deleteLater();
    commands.refresh();
}

void Studio::removeTab(QObject* tab) {
    const qsizetype at = m_tabs.indexOf(tab);
    m_tabs.removeAt(at);
    if (front() == tab) {
        if (m_tabs.isEmpty())
            bring(nullptr, nullptr);
        else
            setFront(m_tabs[std::min(at, m_tabs.size() - 1)]);
    }
    emit tabsChanged();
}

bool Studio::openFile(const QString& path) {
    FileError error;
    const bool isWorkspace = session::is_workspace_file(path.toStdString());
    if (isWorkspace && QFileInfo(path).isFile()) {
        emit workspaceRequested(QFileInfo(path).absoluteFilePath());
        return true;
    }
    if (isWorkspace) {
        error.message = tr("%1 cannot be opened: there is no such file").arg(path);
    } else if (isModelFile(path)) {
        if (QFileInfo(path).isFile())
            return openModel(path);
        error.message = tr("%1 cannot be opened: there is no such file").arg(path);
    } else if (open(path, error)) {
        return true;
    }
    showOpenError(error);
    if (!QFileInfo::exists(path))
        removeRecentFile(settings, path);
    return false;
}

QObject* Studio::front() const {
    return m_model ? static_cast<QObject*>(m_model) : m_current.data();
}

void Studio::setFront(QObject* tab) {
    if (auto* model = qobject_cast<LiveModel*>(tab))
        setCurrent(*model);
    else
        setCurrent(qobject_cast<Document*>(tab));
}

const std::vector<session::DiagnosticView>& Studio::findings(const Document& document) const {
    static const std::vector<session::DiagnosticView> none;
    const auto found = m_findings.constFind(&document);
    return found == m_findings.constEnd() ? none : *found;
}

void Studio::setFindings(Document& document, std::vector<session::DiagnosticView> findings) {
    if (findings.empty() && !m_findings.contains(&document))
        return;
    if (findings.empty())
        m_findings.remove(&document);
    else
        m_findings[&document] = std::move(findings);
    emit findingsChanged(&document);
}

void Studio::move(int from, int to) {
    m_tabs.move(from, to);
    QList<Document*> documents;
    QList<LiveModel*> models;
    for (QObject* tab : m_tabs) {
        if (auto* document = qobject_cast<Document*>(tab))
            documents << document;
        else if (auto* model = qobject_cast<LiveModel*>(tab))
            models << model;
    }
    m_documents = documents;
    m_models = models;
}

void Studio::setCurrent(Document* document) {
    bring(document, nullptr);
}

void Studio::setCurrent(LiveModel& model) {
    bring(nullptr, &model);
}

void Studio::bring(Document* document, LiveModel* model) {
    if (m_current == document && m_model == model)
        return;
    m_current = document;
    m_model = model;
    links.clear();
    if (document)
        liveOf(*document);
    emit currentChanged();
    commands.refresh();
}

void Studio::showAccess(int line) {
    if (QAction* dock = commands.find("dock.accesses"))
        dock->trigger();
    emit accessRequested(line);
}

void Studio::showThreads(int line) {
    if (QAction* dock = commands.find("dock.threads"))
        dock->trigger();
    emit threadsRequested(line);
}

void Studio::show(const session::Place& place) {
    if (!place.known())
        return;
    const QString file = QString::fromStdString(place.file);
    for (Document* document : m_documents)
        if (document->name() == file) {
            setCurrent(document);
            emit shown(document, place);
            return;
        }
    FileError error;
    if (Document* document = open(file, error))
        emit shown(document, place);
    else
        showOpenError(error);
}

void Studio::showOpenError(const FileError& error) {
    showError(error.message, {{tr("Open another"), [this] { commands.action(Command::FileOpen)->trigger(); }}});
}

} // namespace hidet::ui
