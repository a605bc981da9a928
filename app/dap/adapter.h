// SPDX-License-Identifier: Apache-2.0
// Requests of a client in, answers and events out: what the protocol has, on a debug session.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/dap/shown.h"
#include "app/session/debug/debug_session.h"

namespace hidet::dap {

class Adapter {
public:
    using Send = std::function<void(std::string)>; // from any thread
    explicit Adapter(Send send) : m_send(std::move(send)) {}

    void take(const std::string& body); // a message of the client
    void fault(const std::string& why); // what was no message
    bool is_over() const { return m_is_over; }

private:
    using Handler = Json (Adapter::*)(const Json& arguments);
    static Handler handler_of(const std::string& command); // null: none
    Json initialize(const Json& arguments);
    Json launch(const Json& arguments);
    Json set_breakpoints(const Json& arguments);
    Json set_nothing(const Json& arguments); // breakpoints of kinds that there are none of
    Json configuration_done(const Json& arguments);
    Json threads(const Json& arguments);
    Json stack_trace(const Json& arguments);
    Json scopes(const Json& arguments);
    Json variables(const Json& arguments);
    Json evaluate(const Json& arguments);
    Json exception_info(const Json& arguments);
    Json data_breakpoint_info(const Json& arguments); // these and last_writer(): elements.cpp
    Json set_data_breakpoints(const Json& arguments);
    Json last_writer(const Json& arguments);
    Json go_to(const Json& arguments);
    Json go_on(const Json& arguments);
    Json go_back(const Json& arguments);
    Json step(const Json& arguments);
    Json step_back(const Json& arguments);
    Json step_to_barrier(const Json& arguments);
    Json step_back_to_barrier(const Json& arguments);
    Json pause(const Json& arguments);
    Json disconnect(const Json& arguments);

    Json move(session::DebugMove::By by, bool is_back, const Json& arguments);
    session::DebugMove::By granularity(const Json& arguments) const;
    void look(const std::function<void(const session::DebugView&)>& body);
    session::DebugSession& session();
    struct Element {
        std::string name;  // "tile[3, 4]"
        std::string block; // whose it is; empty: it is of global memory
        vm::WatchedBytes bytes;
        bool is_elsewhere = false; // in the shared memory of a block that does not run here
    };
    int thread_of(const Json& arguments) const; // of a frame
    Element look_up(const session::DebugExpression& expression, const session::DebugExpression::Element& element,
                    int thread);
    Element look_up(const std::string& text, int thread);
    void move_to_block(Element& element, std::string_view text);
    std::string id_of(const Element& element);
    Json writer_of(const Element& element);
    void hear(session::DebugEvent event);
    void hear_stop(const session::DebugEvent& event);
    void hear_end(const session::DebugEvent& event);
    void answer(const Json& request, Json body);
    void refuse(const Json& request, const std::string& why);
    void tell(const char* event, Json body);
    void send(Json message);

    const Send m_send;
    std::mutex m_mutex; // of the number, and of what the last stop was about
    int m_number = 0;
    int m_thread = 0;
    std::string m_finding;
    std::string m_after; // an event that follows the answer
    bool m_is_over = false;
    int m_breakpoints = 0;
    Shown m_shown;
    std::optional<session::DebugRequest> m_request;
    std::map<std::string, std::vector<session::DebugBreakpoint>> m_early; // set before there is a session
    std::map<std::string, Element> m_elements;                            // by the ids that clients got
    std::unique_ptr<session::DebugSession> m_session;                     // last: its events come to the rest
};

Json json_of(const session::PlacedBreakpoint& placed);

} // namespace hidet::dap
