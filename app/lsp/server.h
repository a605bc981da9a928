// SPDX-License-Identifier: Apache-2.0
// One client's server, on one thread: messages in order, answers out. What a question needs to know is found out by the
// sessions of the documents, on their threads: the question waits aside until it is there, and nothing else waits with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lsp/features/features.h"
#include "app/lsp/inbox.h"
#include "app/lsp/outbox.h"

namespace hidet::lsp {

class Server {
public:
    Server(Inbox& inbox, Outbox& outbox);
    ~Server();
    int run(); // until the client says so or is gone; the exit code

private:
    struct Waiting; // a question

    void take(const std::string& text);
    void take_message(const Json& message);
    void request(const Json& message);
    void park(const Feature& feature, const Json& id, Json params);
    bool try_answer(const Waiting& question);
    void look_around(); // what the sessions have found out, what was cancelled, what is due
    void publish_diagnostics(OpenDocument& document);
    std::optional<Inbox::Clock::time_point> next_deadline() const;

    void initialize(const Json& message);
    void notification(const std::string& method, const Json& message);
    void initialized(const Json& params);
    void did_open(const Json& params);
    void did_change(const Json& params);
    void did_close(const Json& params);
    void did_change_files(const Json& params);
    void did_change_folders(const Json& params);

    void send(const Json& message);
    void reply(const Json& id, Json result);
    void refuse(const Json& id, ErrorCode code, const std::string& why);
    void notify(const char* method, Json params);
    void call(const char* method, Json params); // a request to the client, whose answer does not matter

    Inbox& m_inbox;
    Outbox& m_outbox;
    Workspace m_workspace;
    enum class State : std::uint8_t { New, Running, Left } m_state = State::New;
    bool m_shut_down = false;
    bool m_has_ended = false; // the stream of messages
    Inbox::Clock::time_point m_ended_at;
    int m_calls = 0; // to the client
    std::vector<std::unique_ptr<Waiting>> m_waiting;
};

} // namespace hidet::lsp
