// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/live/analysis.h"

#include "app/ui/document/document.h"
#include "app/ui/live/live_pipeline.h"

namespace hidet::ui {

namespace assist = session::assist;

// Reading a deeply nested text recurses; threads of a pool have little stack otherwise.
constexpr unsigned reader_stack = 64 << 20;

Analysis::Analysis(Document& document, LivePipeline& live, QObject* parent)
    : QObject(parent), m_document(document), m_live(live), m_calls(live.calls()) {
    m_pool.setMaxThreadCount(1);
    m_pool.setStackSize(reader_stack);
    connect(&document, &Document::textChanged, this, &Analysis::start);
    connect(&live, &LivePipeline::submitted, this, [this] {
        if (m_calls == m_live.calls())
            return;
        m_calls = m_live.calls();
        m_text.clear();
        start();
    });
    start();
}

Analysis::~Analysis() {
    if (m_running)
        m_running->cancelled = true;
    m_pool.waitForDone();
}

bool Analysis::isCurrent() const {
    return m_answers && m_text == m_document.text();
}

void Analysis::start() {
    if (m_document.name().endsWith(".ir"))
        return;
    if (m_running) { // take() goes on with the newest text
        m_running->cancelled = true;
        return;
    }
    m_running = std::make_shared<Job>();
    m_running->text = m_document.text();
    session::Source source;
    source.name = m_document.name().toStdString();
    source.folder = m_document.folder().toStdString();
    std::vector<std::string> calls;
    for (const QString& call : m_calls)
        calls.push_back(call.toStdString());
    m_pool.start([this, job = m_running, source, calls, previous = m_answers]() mutable {
        source.text = job->text.toStdString();
        assist::AnalyseRequest request = assist::request_for(source, std::move(calls));
        request.previous = std::move(previous);
        request.cancelled = &job->cancelled;
        assist::DocumentRef answers = assist::analyse(std::move(request));
        QMetaObject::invokeMethod(
            this, [this, job, answers = std::move(answers)] { take(job, answers); }, Qt::QueuedConnection);
    });
}

void Analysis::take(const std::shared_ptr<Job>& job, assist::DocumentRef answers) {
    m_running.reset();
    if (job->cancelled)
        return start();
    m_answers = std::move(answers);
    m_text = job->text;
    emit analysed();
}

} // namespace hidet::ui
