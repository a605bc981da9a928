// SPDX-License-Identifier: GPL-3.0-only
// What the functions of a script take, found out on a thread; the newest question wins.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include <QObject>
#include <QThreadPool>

#include "app/session/trial/trial.h"

namespace hidet::ui {

class SignatureLoader : public QObject {
    Q_OBJECT
public:
    using Source = std::function<session::SignatureResult(const session::Source&, const std::vector<std::string>&,
                                                          const std::atomic<bool>*)>;
    explicit SignatureLoader(Source source, QObject* parent = nullptr);
    ~SignatureLoader() override;

    void ask(session::Source source, std::vector<std::string> calls);
    void cancel();
    bool isBusy() const { return m_token != nullptr; }
    // The last that was answered; null: none yet.
    const std::shared_ptr<const session::SignatureResult>& latest() const { return m_latest; }
    void forget() { m_latest = nullptr; }

signals:
    void answered();

private:
    Source m_source;
    std::shared_ptr<std::atomic<bool>> m_token; // of the question that is on its way
    std::shared_ptr<const session::SignatureResult> m_latest;
    QThreadPool m_pool;
};

} // namespace hidet::ui
