// SPDX-License-Identifier: GPL-3.0-only
// What the language service knows of a script. It reads the text on a thread of its own, starting with every keystroke:
// the newest text wins. Answers about places hold for the text that was read, so ask isCurrent() before showing one.
#pragma once

#include <atomic>
#include <memory>

#include <QObject>
#include <QThreadPool>

#include "app/session/live/assist.h"

namespace hidet::ui {

class Document;
class LivePipeline;

class Analysis : public QObject {
    Q_OBJECT
public:
    Analysis(Document& document, LivePipeline& live, QObject* parent);
    ~Analysis() override;

    // Null until the first text was read; of a text of IR it always is.
    const session::assist::DocumentRef& answers() const { return m_answers; }
    // The text that the answers are of.
    const QByteArray& text() const { return m_text; }
    bool isCurrent() const;

signals:
    void analysed();

private:
    struct Job {
        std::atomic<bool> cancelled = false;
        QByteArray text;
    };
    void start();
    void take(const std::shared_ptr<Job>& job, session::assist::DocumentRef answers);

    Document& m_document;
    LivePipeline& m_live;
    QThreadPool m_pool;
    std::shared_ptr<Job> m_running;
    QStringList m_calls;
    session::assist::DocumentRef m_answers;
    QByteArray m_text;
};

} // namespace hidet::ui
