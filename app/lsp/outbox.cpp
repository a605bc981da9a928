// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/outbox.h"

#include "app/lsp/frames.h"
#include "lang/base/files.h"

namespace hidet::lsp {

static constexpr std::size_t room_bytes = 8u << 20;

Outbox::Outbox(int descriptor) : m_descriptor(descriptor), m_thread([this] { run(); }) {}

Outbox::~Outbox() {
    {
        std::lock_guard lock(m_mutex);
        m_ended = true;
        m_changed.notify_all();
    }
    m_thread.join();
}

void Outbox::send(std::string body) {
    std::string frame = frame_of(body);
    std::lock_guard lock(m_mutex);
    if (m_broken)
        return;
    m_bytes += frame.size();
    m_waiting.push_back(std::move(frame));
    m_changed.notify_all();
}

bool Outbox::has_room() const {
    std::lock_guard lock(m_mutex);
    return m_broken || m_bytes < room_bytes;
}

void Outbox::wait_for_room(std::chrono::milliseconds longest) {
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, longest, [&] { return m_broken || m_bytes < room_bytes; });
}

void Outbox::flush(std::chrono::milliseconds longest) {
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, longest, [&] { return m_broken || m_bytes == 0; });
}

bool Outbox::is_broken() const {
    std::lock_guard lock(m_mutex);
    return m_broken;
}

void Outbox::run() {
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [&] { return m_ended || !m_waiting.empty(); });
        if (m_waiting.empty())
            return;
        std::string frame = std::move(m_waiting.front());
        m_waiting.pop_front();
        lock.unlock();
        bool written = write_all(m_descriptor, frame);
        lock.lock();
        m_bytes -= frame.size();
        if (!written) {
            m_broken = true;
            m_waiting.clear();
            m_bytes = 0;
        }
        m_changed.notify_all();
    }
}

} // namespace hidet::lsp
