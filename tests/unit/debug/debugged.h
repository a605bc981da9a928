// SPDX-License-Identifier: Apache-2.0
// A debug session that is waited for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <doctest/doctest.h>
#include <mutex>
#include <string>
#include <thread>

#include "app/session/debug/debug_session.h"

namespace hidet {

class Debugged {
public:
    // Stands at the beginning of the launch, if it has one that is waited for.
    explicit Debugged(const std::string& script, bool stops_on_entry = true)
        : session(request(script, stops_on_entry), [this](session::DebugEvent event) { hear(std::move(event)); }) {
        if (!stops_on_entry)
            return;
        session.start();
        stopped();
    }
    session::DebugEvent stopped() { // or ended
        std::unique_lock lock(m_mutex);
        REQUIRE(m_changed.wait_for(lock, std::chrono::seconds(60), [&] { return !m_events.empty(); }));
        session::DebugEvent event = std::move(m_events.front());
        m_events.pop_front();
        lock.unlock();
        while (event.kind == session::DebugEvent::Kind::Stopped && !session.is_stopped())
            std::this_thread::yield();
        return event;
    }
    session::DebugEvent go(session::DebugMove move) {
        REQUIRE(session.move(move));
        return stopped();
    }
    std::string value(const std::string& text, int thread = 0) {
        std::string out;
        session.look([&](const session::DebugView& view) {
            const auto number = view.value(session::DebugExpression::parse(text).value(), thread);
            out = number ? session::text_of(number.value()) : number.error().message;
        });
        return out;
    }
    int line() {
        int out = 0;
        session.look([&](const session::DebugView& view) { out = view.line(); });
        return out;
    }
    vm::WatchedBytes bytes_of(const std::string& element) {
        vm::WatchedBytes out;
        const auto expression = session::DebugExpression::parse(element);
        session.look([&](const session::DebugView& view) {
            out = view.bytes_of(expression.value().element().value(), expression.value(), 0).value();
        });
        return out;
    }
    session::DebugWatch watch(int id, const std::string& element, const std::string& condition = "") {
        return {id, element, bytes_of(element), condition};
    }
    std::string writer_of(const std::string& element) {
        const auto writer = session.last_writer(bytes_of(element));
        std::string out;
        session.look([&](const session::DebugView& view) { out = view.writer_text(writer); });
        return out;
    }
    std::string printed() {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_printed, {});
    }
    std::vector<session::PlacedBreakpoint> placed() {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_placed, {});
    }

private:
    static session::DebugRequest request(const std::string& script, bool stops_on_entry) {
        session::DebugRequest out;
        out.run.source = {.name = "script.py", .text = script, .folder = "."};
        out.run.target = session::Target::Emulate;
        out.stops_on_entry = stops_on_entry;
        return out;
    }
    void hear(session::DebugEvent event) {
        using Kind = session::DebugEvent::Kind;
        const std::lock_guard lock(m_mutex);
        if (event.kind == Kind::Printed)
            m_printed += event.text;
        if (event.kind == Kind::Placed)
            m_placed.insert(m_placed.end(), event.placed.begin(), event.placed.end());
        if (event.kind != Kind::Stopped && event.kind != Kind::Ended)
            return;
        m_events.push_back(std::move(event));
        m_changed.notify_all();
    }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<session::DebugEvent> m_events;
    std::string m_printed;
    std::vector<session::PlacedBreakpoint> m_placed;

public:
    session::DebugSession session; // last: its events come to the rest
};

} // namespace hidet
