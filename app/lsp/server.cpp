// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/server.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/lsp/diagnostics.h"
#include "lang/base/text.h"

namespace hidet::lsp {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_waiting = 1000;
// How long a question waits for an evaluation before it is answered without; what comes after the end has less time.
constexpr auto longest_evaluation = 1500ms, longest_after_end = 400ms;

const Feature* feature_of(const std::string& method) {
    const auto found = std::ranges::find(features(), method, &Feature::method);
    return found == features().end() ? nullptr : &*found;
}

std::string method_of(const Json& message) {
    const Json* method = find(message, "/method");
    return method && method->is_string() ? method->get<std::string>() : "";
}

bool is_id(const Json& id) {
    return id.is_number() || id.is_string();
}

Json parameters_of(const Json& message) {
    const Json* params = find(message, "/params");
    return params ? *params : Json::object();
}

} // namespace

struct Server::Waiting {
    const Feature* feature = nullptr;
    Json id;
    Json params;
    std::string uri;
    std::uint64_t text_number = 0; // of the text that was asked about
    Inbox::Clock::time_point until;
};

Server::Server(Inbox& inbox, Outbox& outbox)
    : m_inbox(inbox), m_outbox(outbox), m_workspace([&inbox] { inbox.wake(); }) {}
Server::~Server() = default;

int Server::run() {
    while (m_state != State::Left && !m_outbox.is_broken()) {
        bool is_over = m_has_ended && (m_waiting.empty() || Inbox::Clock::now() - m_ended_at > longest_after_end);
        if (is_over)
            break;
        std::optional<Event> event = m_inbox.take(next_deadline());
        if (event && event->kind == Event::Kind::Message)
            take(event->text);
        if (event && event->kind == Event::Kind::Fault)
            refuse(nullptr, ErrorCode::ParseError, event->text);
        if (event && event->kind == Event::Kind::Ended) {
            m_has_ended = true;
            m_ended_at = Inbox::Clock::now();
        }
        look_around();
    }
    return m_state == State::Left && m_shut_down ? 0 : 1;
}

void Server::take(const std::string& text) {
    Json message = Json::parse(text, nullptr, false);
    if (message.is_discarded())
        return refuse(nullptr, ErrorCode::ParseError, "the message is no JSON");
    if (!message.is_object())
        return refuse(nullptr, ErrorCode::InvalidRequest, "the message is no object");
    try {
        take_message(message);
    } catch (const RequestError& error) { // of a notification, which has no answer
    } catch (const std::exception& error) {
        notify("window/logMessage", {{"type", 1}, {"message", cat("hidetc: ", error.what())}});
    }
}

void Server::take_message(const Json& message) {
    const Json* id = find(message, "/id");
    std::string method = method_of(message);
    if (id && !is_id(*id))
        return refuse(nullptr, ErrorCode::InvalidRequest, "the id is neither a number nor a string");
    if (method.empty()) {
        bool is_answer = id && (message.contains("result") || message.contains("error")); // to one of ours
        return is_answer ? void() : refuse(id ? *id : Json(), ErrorCode::InvalidRequest, "there is no method");
    }
    id ? request(message) : notification(method, message);
}

void Server::request(const Json& message) {
    const Json& id = message["id"];
    std::string method = method_of(message);
    if (m_inbox.take_cancelled(id.dump()))
        return refuse(id, ErrorCode::RequestCancelled, "cancelled");
    if (m_shut_down)
        return refuse(id, ErrorCode::InvalidRequest, "the server was shut down");
    if (method == "initialize")
        return initialize(message);
    if (m_state == State::New)
        return refuse(id, ErrorCode::ServerNotInitialized, "the server is not initialized");
    if (method == "shutdown") {
        m_shut_down = true;
        return reply(id, nullptr);
    }
    const Feature* feature = feature_of(method);
    if (!feature)
        return refuse(id, ErrorCode::MethodNotFound, cat("there is no method '", method, "'"));
    while (!m_outbox.has_room() && !m_outbox.is_broken())
        m_outbox.wait_for_room(100ms);
    try {
        park(*feature, id, parameters_of(message));
    } catch (const RequestError& error) {
        refuse(id, error.code, error.what());
    }
}

// A question is answered as soon as what it needs is there, which look_around() finds out.
void Server::park(const Feature& feature, const Json& id, Json params) {
    auto waiting = std::make_unique<Waiting>();
    waiting->feature = &feature;
    waiting->id = id;
    if (feature.needs != Needs::Nothing) {
        waiting->uri = text_at(params, "/textDocument/uri");
        OpenDocument* document = m_workspace.find(waiting->uri);
        if (!document)
            throw RequestError(ErrorCode::InvalidParams, cat("'", waiting->uri, "' is not open"));
        waiting->text_number = document->text_number();
    }
    if (m_waiting.size() >= most_waiting)
        throw RequestError(ErrorCode::RequestFailed, "too many requests are waiting");
    waiting->params = std::move(params);
    waiting->until = Inbox::Clock::now() + longest_evaluation;
    m_waiting.push_back(std::move(waiting));
}

// false: it has to wait.
bool Server::try_answer(const Waiting& question) {
    if (m_inbox.take_cancelled(question.id.dump())) {
        refuse(question.id, ErrorCode::RequestCancelled, "cancelled");
        return true;
    }
    OpenDocument* document = question.uri.empty() ? nullptr : m_workspace.find(question.uri);
    Needs needs = question.feature->needs;
    if (needs != Needs::Nothing && (!document || document->text_number() != question.text_number)) {
        refuse(question.id, ErrorCode::ContentModified, "the text was changed meanwhile");
        return true;
    }
    const bool needs_reading = needs == Needs::Document || needs == Needs::Values;
    if (needs_reading && document->has_no_answers()) {
        refuse(question.id, ErrorCode::RequestFailed, "this text is no script");
        return true;
    }
    if (needs_reading && !document->is_read())
        return false;
    if (needs == Needs::Values && !document->is_evaluated() && Inbox::Clock::now() < question.until)
        return false;
    try {
        reply(question.id, question.feature->answer({m_workspace, question.params, document}));
    } catch (const RequestError& error) {
        refuse(question.id, error.code, error.what());
    } catch (const Json::exception& error) {
        refuse(question.id, ErrorCode::InvalidParams, error.what());
    } catch (const std::exception& error) {
        refuse(question.id, ErrorCode::InternalError, error.what());
    }
    return true;
}

void Server::look_around() {
    for (const auto& [uri, document] : m_workspace.documents()) {
        document->take_arrived();
        std::optional<Clock::time_point> due = document->publish_at();
        if (due && *due <= Clock::now() && m_outbox.has_room())
            publish_diagnostics(*document);
    }
    std::erase_if(m_waiting, [this](const auto& question) { return try_answer(*question); });
}

// When to look around though nothing happens.
std::optional<Inbox::Clock::time_point> Server::next_deadline() const {
    std::optional<Inbox::Clock::time_point> out;
    auto no_later = [&](Inbox::Clock::time_point time) { out = out ? std::min(*out, time) : time; };
    for (const auto& [uri, document] : m_workspace.documents())
        if (std::optional<Clock::time_point> due = document->publish_at())
            no_later(m_outbox.has_room() ? *due : Clock::now() + 50ms);
    for (const auto& question : m_waiting)
        no_later(question->until);
    if (m_has_ended)
        no_later(m_ended_at + longest_after_end);
    return out;
}

void Server::publish_diagnostics(OpenDocument& document) {
    Json params = {{"uri", document.uri}, {"diagnostics", diagnostics_of(m_workspace, document)}};
    if (document.version)
        params["version"] = *document.version;
    notify("textDocument/publishDiagnostics", std::move(params));
    document.published();
}

void Server::send(const Json& message) {
    m_outbox.send(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Server::reply(const Json& id, Json result) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void Server::refuse(const Json& id, ErrorCode code, const std::string& why) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", why}}}});
}

void Server::notify(const char* method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

void Server::call(const char* method, Json params) {
    send({{"jsonrpc", "2.0"}, {"id", cat("hidetc-", ++m_calls)}, {"method", method}, {"params", std::move(params)}});
}

} // namespace hidet::lsp
