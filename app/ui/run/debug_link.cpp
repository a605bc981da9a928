// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/debug_link.h"

#include <utility>

#include <QJsonDocument>

#include "app/session/worker/worker_service.h"

namespace hidet::ui {

static constexpr char end_of_head[] = "\r\n\r\n";

DebugLink::DebugLink(QObject* parent) : QObject(parent) {
    m_process.setStandardErrorFile(QProcess::nullDevice());
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &DebugLink::read);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            emit lost(tr("hidetc cannot be started: %1").arg(m_process.errorString()));
    });
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        emit lost(status == QProcess::CrashExit ? tr("the process that debugs was ended by signal %1").arg(code)
                                                : tr("the process that debugs ended with code %1").arg(code));
    });
}

DebugLink::~DebugLink() {
    m_process.disconnect(this);
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.kill();
    m_process.waitForFinished();
}

void DebugLink::leave() {
    disconnect();
    if (m_process.state() == QProcess::NotRunning)
        return deleteLater(); // it may be what speaks now
    m_process.disconnect(this);
    connect(&m_process, &QProcess::finished, this, &QObject::deleteLater);
    m_process.kill();
}

void DebugLink::start(const QString& folder) {
    m_process.setWorkingDirectory(folder);
    m_process.start(QString::fromStdString(session::default_worker_command().front()), {"dap"});
}

void DebugLink::ask(const QString& request, const QJsonObject& arguments, OnAnswer answered) {
    m_waiting[++m_number] = std::move(answered);
    const QByteArray body =
        QJsonDocument({{"seq", m_number}, {"type", "request"}, {"command", request}, {"arguments", arguments}})
            .toJson(QJsonDocument::Compact);
    m_process.write("Content-Length: " + QByteArray::number(body.size()) + end_of_head + body);
}

void DebugLink::read() {
    m_received += m_process.readAllStandardOutput();
    for (;;) {
        const qsizetype head = m_received.indexOf(end_of_head);
        if (head < 0)
            return;
        const qsizetype begin = head + qsizetype(sizeof(end_of_head)) - 1;
        const qsizetype size = m_received.first(head).sliced(m_received.indexOf(':') + 1).trimmed().toLongLong();
        if (m_received.size() < begin + size)
            return;
        const QJsonObject message = QJsonDocument::fromJson(m_received.sliced(begin, size)).object();
        m_received.remove(0, begin + size);
        take(message);
    }
}

void DebugLink::take(const QJsonObject& message) {
    if (message["type"] == "event")
        return emit told(message["event"].toString(), message["body"].toObject());
    if (const OnAnswer answered = m_waiting.take(message["request_seq"].toInt()))
        answered(message);
}

} // namespace hidet::ui
