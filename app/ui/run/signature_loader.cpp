// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/signature_loader.h"

namespace hidet::ui {

SignatureLoader::SignatureLoader(Source source, QObject* parent) : QObject(parent), m_source(std::move(source)) {
    m_pool.setMaxThreadCount(1);
}

SignatureLoader::~SignatureLoader() {
    cancel();
    m_pool.clear();
    m_pool.waitForDone();
}

void SignatureLoader::cancel() {
    if (m_token)
        *m_token = true;
    m_token = nullptr;
}

void SignatureLoader::ask(session::Source source, std::vector<std::string> calls) {
    cancel();
    m_token = std::make_shared<std::atomic<bool>>(false);
    m_pool.clear();
    m_pool.start([this, source = std::move(source), calls = std::move(calls), token = m_token] {
        if (*token)
            return;
        auto result = std::make_shared<const session::SignatureResult>(m_source(source, calls, token.get()));
        QMetaObject::invokeMethod(
            this,
            [this, token, result = std::move(result)] {
                if (token != m_token)
                    return;
                m_token = nullptr;
                m_latest = result;
                emit answered();
            },
            Qt::QueuedConnection);
    });
}

} // namespace hidet::ui
