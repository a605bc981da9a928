// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/studio.h"

#include <algorithm>

#include <QFileInfo>

#include "app/ui/editor/analysis.h"
#include "app/ui/run/run_controller.h"

namespace hidet::ui {

Studio::Studio(StudioServices services, QObject* parent)
    : QObject(parent), settings(services.settings), themes(services.themes), tools(std::move(services.tools)),
      dialogs(std::move(services.dialogs)), commands(settings) {
    commands.setReason([this] { return m_current ? QString() : tr("no script is open"); });
    runs = new RunController(*this, std::move(services.workers));
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
        live->submitNow();
    }
    return live;
}

Analysis* Studio::analysis() const {
    return m_current ? m_analyses.value(m_current) : nullptr;
}

Analysis* Studio::analysisOf(Document& document) {
    Analysis*& analysis = m_analyses[&document];
    if (!analysis) {
        analysis = new Analysis(document, *liveOf(document), &document);
        connect(analysis, &Analysis::analysed, this, [this, analysis = analysis] {
            if (this->analysis() == analysis)
                emit analysed();
        });
    }
    return analysis;
}

Document* Studio::add(QString path, FileText read, const QByteArray& text, int number) {
    if (path.isEmpty() && number <= 0)
        number = m_untitled + 1;
    m_untitled = std::max(m_untitled, number);
    auto* document = new Document(std::move(path), std::move(read), number, this);
    document->setUnsaved(text);
    m_documents << document;
    connect(document, &Document::stateChanged, &commands, &Commands::refresh);
    connect(document, &Document::textChanged, this, [this, document] { setFindings(*document, {}); });
    emit documentAdded(document);
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
    emit documentClosing(&document);
    const qsizetype at = m_documents.indexOf(&document);
    m_documents.removeAt(at);
    if (m_current == &document)
        setCurrent(m_documents.isEmpty() ? nullptr : m_documents[std::min(at, m_documents.size() - 1)]);
    delete m_analyses.take(&document);
    stages.forget(document);
    delete m_live.take(&document);
    m_findings.remove(&document);
    document.deleteLater();
    commands.refresh();
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
    m_documents.move(from, to);
}

void Studio::setCurrent(Document* document) {
    if (m_current == document)
        return;
    m_current = document;
    links.clear();
    if (document)
        liveOf(*document);
    emit currentChanged();
    commands.refresh();
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
        complainOfOpening(error);
}

void Studio::complainOfOpening(const FileError& error) {
    complain(error.message, {{tr("Open another"), [this] { commands.action(Command::FileOpen)->trigger(); }}});
}

} // namespace hidet::ui
