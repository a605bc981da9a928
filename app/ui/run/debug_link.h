// SPDX-License-Identifier: GPL-3.0-only
// A debug adapter (app/dap) in a process of its own: requests to it, its answers and its events. Nothing here waits for it, and
// whatever a script does to the process, the window does not notice.
#pragma once

#include <functional>

#include <QHash>
#include <QJsonObject>
#include <QObject>
#include <QProcess>

namespace hidet::ui {

class DebugLink : public QObject {
    Q_OBJECT
public:
    explicit DebugLink(QObject* parent);
    ~DebugLink() override;             // kills it, and waits until it is gone
    void start(const QString& folder); // in which the script works
    void leave();                      // kills it, says nothing more, and is deleted once it is gone

    using OnAnswer = std::function<void(const QJsonObject& answer)>; // its `success`, `body` or `message`
    void ask(const QString& request, const QJsonObject& arguments = {}, OnAnswer answered = {});

signals:
    void told(QString event, QJsonObject body);
    void lost(QString why); // it cannot be started, or has ended by itself

private:
    void read();
    void take(const QJsonObject& message);

    QProcess m_process;
    QByteArray m_received;
    QHash<int, OnAnswer> m_waiting; // by the number of the request
    int m_number = 0;
};

} // namespace hidet::ui
