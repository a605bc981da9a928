// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/inbox.h"

#include <algorithm>

namespace hidet::lsp {

void Inbox::put(Event event) {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] {
        return m_events.size() < most_events && (m_events.empty() || m_bytes + event.text.size() <= most_bytes);
    });
    m_bytes += event.text.size();
    m_events.push_back(std::move(event));
    m_changed.notify_all();
}

void Inbox::wake() {
    std::lock_guard lock(m_mutex);
    m_woken = true;
    m_changed.notify_all();
}

std::optional<Event> Inbox::take(std::optional<Clock::time_point> until) {
    std::unique_lock lock(m_mutex);
    auto ready = [&] { return m_woken || !m_events.empty(); };
    if (!until)
        m_changed.wait(lock, ready);
    else if (!m_changed.wait_until(lock, *until, ready))
        return std::nullopt;
    m_woken = false; // who takes an event looks around as well
    if (m_events.empty())
        return Event{Event::Kind::Woken, ""};
    Event event = std::move(m_events.front());
    m_events.pop_front();
    m_bytes -= event.text.size();
    m_changed.notify_all();
    return event;
}

void Inbox::cancel(std::string id) {
    std::lock_guard lock(m_mutex);
    m_cancelled.push_back(std::move(id));
    if (m_cancelled.size() > most_cancelled)
        m_cancelled.pop_front();
    m_woken = true;
    m_changed.notify_all();
}

bool Inbox::take_cancelled(const std::string& id) {
    std::lock_guard lock(m_mutex);
    auto found = std::ranges::find(m_cancelled, id);
    if (found == m_cancelled.end())
        return false;
    m_cancelled.erase(found);
    return true;
}

} // namespace hidet::lsp
