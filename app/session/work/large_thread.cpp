// SPDX-License-Identifier: Apache-2.0
#include "app/session/work/large_thread.h"

#include <optional>
#include <system_error>

namespace hidet::session {

LargeThread::LargeThread(std::function<void()> body, std::size_t stack_bytes) : m_body(std::move(body)) {
    auto entry = [](void* argument) -> void* {
        static_cast<LargeThread*>(argument)->m_body();
        return nullptr;
    };
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    int failed = pthread_create(&m_thread, &attributes, entry, this);
    pthread_attr_destroy(&attributes);
    if (failed != 0)
        throw std::system_error(failed, std::generic_category());
}

LargeThread::~LargeThread() {
    pthread_join(m_thread, nullptr);
}

void on_large_thread(const std::function<void()>& body) {
    std::optional<LargeThread> thread;
    try {
        thread.emplace(body);
    } catch (const std::system_error&) {
        body();
    }
}

} // namespace hidet::session
