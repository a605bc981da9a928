// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/open_tabs.h"

#include <algorithm>
#include <utility>

#include <QFileInfo>

#include "app/session/request/workspace_name.h"
#include "app/ui/core/recent_files.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/model_files.h"

namespace hidet::ui {

Document* OpenTabs::add(QString path, FileText read, const QByteArray& text, int number) {
    if (path.isEmpty() && number <= 0)
        number = m_untitled + 1;
    m_untitled = std::max(m_untitled, number);
    auto* document = new Document(std::move(path), std::move(read), number, &m_studio);
    document->setUnsaved(text);
    m_documents << document;
    m_tabs << document;
    connect(document, &Document::stateChanged, &m_studio.commands, &Commands::refresh);
    connect(document, &Document::stateChanged, this, &OpenTabs::tabsChanged);
    connect(document, &Document::textChanged, this, [this, document] { m_studio.scripts.setFindings(*document, {}); });
    emit documentAdded(document);
    emit tabsChanged();
    setCurrent(document);
    return document;
}

Document* OpenTabs::open(const QString& path, FileError& error) {
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

Document* OpenTabs::create(const QByteArray& text) {
    return add({}, {}, text, 0);
}

Document* OpenTabs::restore(const QString& path, FileText saved, const QByteArray& text, int number) {
    return add(path, std::move(saved), text, number);
}

void OpenTabs::close(Document& document) {
    m_besides.remove(&document);
    if (LiveModel* graph = modelOf(&document))
        close(*graph);
    emit documentClosing(&document);
    m_documents.removeAll(&document);
    removeTab(&document);
    m_studio.scripts.forget(document);
    document.deleteLater();
    m_studio.commands.refresh();
}

LiveModel* OpenTabs::openModel(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    LiveModel* model = modelAt(absolute);
    if (!model)
        model = add(new LiveModel(absolute, m_studio, &m_studio));
    setCurrent(*model);
    return model;
}

LiveModel* OpenTabs::modelAt(const QString& path) const {
    const auto found = std::ranges::find(m_models, path, &LiveModel::path);
    return found == m_models.end() ? nullptr : *found;
}

LiveModel* OpenTabs::add(LiveModel* model) {
    m_models << model;
    m_tabs << model;
    connect(model, &LiveModel::stateChanged, this, &OpenTabs::tabsChanged);
    connect(model, &LiveModel::stateChanged, &m_studio.commands, &Commands::refresh);
    emit modelAdded(model);
    emit tabsChanged();
    return model;
}

LiveModel* OpenTabs::modelOf(const Document* script) const {
    for (LiveModel* model : m_models)
        if (script && model->document() == script)
            return model;
    LiveModel* model = m_besides.value(script);
    return m_models.contains(model) ? model : nullptr;
}

void OpenTabs::splitWith(const Document& script, LiveModel* model) {
    if (model)
        m_besides[&script] = model;
    else
        m_besides.remove(&script);
    emit besideChanged();
    m_studio.commands.refresh();
}

LiveModel* OpenTabs::openModelOf(Document& script) {
    LiveModel* model = modelOf(&script);
    return model ? model : add(new LiveModel(script, m_studio, &m_studio));
}

LiveModel* OpenTabs::openKept(const QString& path, const session::ModelRecord& run) {
    LiveModel* known = modelAt(path);
    LiveModel* model = known ? known : new LiveModel(path, m_studio, &m_studio);
    model->setKept(run);
    setCurrent(known ? *known : *add(model));
    return model;
}

LiveModel* OpenTabs::graphModel() const {
    return m_model ? m_model : m_beside.data();
}

void OpenTabs::setGraphBeside(LiveModel* model) {
    if (m_beside == model)
        return;
    m_beside = model;
    m_studio.commands.refresh();
}

void OpenTabs::close(LiveModel& model) {
    emit modelClosing(&model);
    m_models.removeAll(&model);
    removeTab(&model);
    model.deleteLater();
    m_studio.commands.refresh();
}

void OpenTabs::removeTab(QObject* tab) {
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

bool OpenTabs::openFile(const QString& path) {
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
    m_studio.notices.showOpenError(error);
    if (!QFileInfo::exists(path))
        removeRecentFile(m_studio.settings, path);
    return false;
}

QObject* OpenTabs::front() const {
    return m_model ? static_cast<QObject*>(m_model) : m_current.data();
}

void OpenTabs::setFront(QObject* tab) {
    if (auto* model = qobject_cast<LiveModel*>(tab))
        setCurrent(*model);
    else
        setCurrent(qobject_cast<Document*>(tab));
}

void OpenTabs::move(int from, int to) {
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

void OpenTabs::setCurrent(Document* document) {
    bring(document, nullptr);
}

void OpenTabs::setCurrent(LiveModel& model) {
    bring(nullptr, &model);
}

void OpenTabs::bring(Document* document, LiveModel* model) {
    if (m_current == document && m_model == model)
        return;
    m_current = document;
    m_model = model;
    m_studio.links.clear();
    if (document)
        m_studio.scripts.liveOf(*document);
    emit currentChanged();
    m_studio.commands.refresh();
}

} // namespace hidet::ui
