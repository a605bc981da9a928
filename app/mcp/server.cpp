// SPDX-License-Identifier: Apache-2.0
#include "app/mcp/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/mcp/answers.h"
#include "app/mcp/resources.h"
#include "app/session/work/scratch_folder.h"
#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/process/run.h"

namespace hidet::mcp {

namespace {

using namespace std::chrono_literals;

constexpr std::array protocols = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr const char* usual_protocol = "2025-06-18";
constexpr std::ptrdiff_t most_at_once = 4;
constexpr std::size_t most_calls = 64 + most_at_once; // each is a thread, also while it waits
constexpr std::size_t most_answer_bytes = 64u << 20;
constexpr int parse_error = -32700, invalid_request = -32600, unknown_method = -32601, invalid_params = -32602,
              no_resource = -32002, busy = -32000;
constexpr int exit_wrong = 1; // of hidetc: the script is

struct Refused {
    int code;
    std::string why;
};

class Server {
public:
    explicit Server(const ServerOptions& options) : m_options(options) {}
    ~Server() {
        std::unique_lock lock(m_mutex);
        for (auto& [id, call] : m_running)
            call->is_cancelled = true;
        m_ended.wait(lock, [this] { return m_running.empty(); });
    }

    void take(const std::string& line) {
        Json message = Json::parse(line, nullptr, false);
        if (message.is_discarded())
            return answer(nullptr, {parse_error, "this line is no JSON"});
        const auto method = message.is_object() ? message.find("method") : message.end();
        const Json id = message.is_object() && message.contains("id") ? message["id"] : Json();
        if (!message.is_object() || (method != message.end() && !method->is_string()) ||
            !(id.is_null() || id.is_string() || id.is_number()))
            return answer(nullptr, {invalid_request, "a message is an object with a method"});
        if (method == message.end()) {
            if (!message.contains("result") && !message.contains("error")) // an answer: nothing was asked
                answer(id, {invalid_request, "a message is an object with a method"});
            return;
        }
        const Json params = message.contains("params") ? message["params"] : Json::object();
        if (id.is_null())
            return notice(method->get<std::string>(), params);
        try {
            ask(id, method->get<std::string>(), params);
        } catch (const Refused& refused) {
            answer(id, refused);
        }
    }

private:
    struct Running {
        std::atomic<bool> is_cancelled = false;
    };

    void notice(const std::string& method, const Json& params) {
        if (method != "notifications/cancelled" || !params.is_object() || !params.contains("requestId"))
            return;
        const std::lock_guard lock(m_mutex);
        if (const auto found = m_running.find(params["requestId"].dump()); found != m_running.end())
            found->second->is_cancelled = true;
    }

    void ask(const Json& id, const std::string& method, const Json& params) {
        if (!params.is_object())
            throw Refused{invalid_params, "'params' is an object"};
        if (method == "initialize")
            result(id, introduced(params));
        else if (method == "ping")
            result(id, Json::object());
        else if (method == "tools/list")
            result(id, {{"tools", all_tools()}});
        else if (method == "resources/list")
            result(id, {{"resources", all_resources()}});
        else if (method == "resources/templates/list")
            result(id, {{"resourceTemplates", resource_templates()}});
        else if (method == "resources/read")
            result(id, contents_of(text_param(params, "uri")));
        else if (method == "tools/call")
            call(id, params);
        else
            throw Refused{unknown_method, cat("there is no method '", method, "'")};
    }

    Json introduced(const Json& params) const {
        const std::string wanted = params.value("protocolVersion", Json()).is_string()
                                       ? params["protocolVersion"].get<std::string>()
                                       : usual_protocol;
        const bool is_known = std::ranges::find(protocols, wanted) != protocols.end();
        return {{"protocolVersion", is_known ? wanted : usual_protocol},
                {"capabilities", {{"tools", Json::object()}, {"resources", Json::object()}}},
                {"serverInfo", {{"name", "hidetc"}, {"version", m_options.version}}},
                {"instructions", agent_guide()}};
    }

    Json all_tools() const {
        Json out = Json::array();
        for (const VerbShape& verb : m_options.verbs)
            out.push_back(tool_of(verb));
        Json more = common_arguments();
        more.erase("max_seconds");
        more["handle"] = {{"type", "string"}, {"description", "of an answer that was cut"}};
        more["at"] = {{"type", "string"}, {"description", "where in it, as the answer says: /kernels/0/accesses"}};
        more["from"] = {{"type", "integer"}, {"description", "the first element of the list, or byte of the text"}};
        out.push_back(
            {{"name", "more"},
             {"description", "what an answer has left out"},
             {"inputSchema", {{"type", "object"}, {"properties", more}, {"required", Json::array({"handle", "at"})}}}});
        return out;
    }

    static std::string text_param(const Json& params, const char* name) {
        const auto found = params.find(name);
        if (found == params.end() || !found->is_string())
            throw Refused{invalid_params, cat("'", name, "' is a string")};
        return found->get<std::string>();
    }

    static Json contents_of(const std::string& uri) {
        const std::optional<Resource> resource = read_resource(uri);
        if (!resource)
            throw Refused{no_resource, cat("there is no resource '", uri, "'")};
        return {{"contents", Json::array({{{"uri", uri}, {"mimeType", resource->type}, {"text", resource->text}}})}};
    }

    void call(const Json& id, const Json& params) {
        const std::string name = text_param(params, "name");
        const Json arguments = params.value("arguments", Json::object());
        if (!arguments.is_object())
            throw Refused{invalid_params, "'arguments' is an object"};
        const auto verb = std::ranges::find(m_options.verbs, name, tool_name);
        if (verb == m_options.verbs.end() && name != "more")
            throw Refused{invalid_params, cat("there is no tool '", name, "'")};
        try {
            if (name == "more")
                return result(id, more(arguments));
            start(id, name, call_of(*verb, arguments, m_options.devices),
                  params.value(Json::json_pointer("/_meta/progressToken"), Json()));
        } catch (const WrongArgument& wrong) { // which whoever calls can mend
            result(id, said(wrong.why, true));
        }
    }

    static Json said(const std::string& text, bool is_error) {
        return {{"content", Json::array({{{"type", "text"}, {"text", text}}})}, {"isError", is_error}};
    }

    Json more(const Json& arguments) const {
        const auto text = [&](const char* name) {
            const Json value = arguments.value(name, Json());
            if (!value.is_string())
                throw WrongArgument{cat("'", name, "' is a string")};
            return value.get<std::string>();
        };
        const Json from = arguments.value("from", Json(0));
        if (!from.is_number_integer() || from.get<std::int64_t>() < 0)
            throw WrongArgument{"'from' is an integer, 0 or above"};
        const std::optional<std::string> found =
            m_answers.more(text("handle"), text("at"), from.get<std::size_t>(), characters_of(arguments));
        if (!found)
            throw WrongArgument{"there is no such place in an answer that is still kept; call the tool again"};
        return said(*found, false);
    }

    void start(const Json& id, const std::string& name, Call call, const Json& token) {
        auto running = std::make_shared<Running>();
        {
            const std::lock_guard lock(m_mutex);
            if (m_running.size() >= most_calls)
                throw Refused{busy, cat(most_calls, " calls are under way or wait for others to end")};
            if (!m_running.try_emplace(id.dump(), running).second)
                throw Refused{invalid_request, "another call with this id is under way"};
        }
        std::thread([this, id, name, call = std::move(call), token, running] {
            m_places.acquire();
            const Json answered = run(name, call, token, *running);
            m_places.release();
            if (!running->is_cancelled) // whoever cancels expects no answer
                result(id, answered);
            const std::lock_guard lock(m_mutex);
            m_running.erase(id.dump());
            m_ended.notify_all();
        }).detach();
    }

    Json run(const std::string& name, const Call& call, const Json& token, const Running& running) {
        const Progress progress(*this, name, token);
        process::Command command;
        command.words = {"/proc/self/exe"};
        command.words.insert(command.words.end(), call.words.begin(), call.words.end());
        command.input = call.input;
        std::unique_ptr<session::ScratchFolder> folder; // of the other script
        if (!call.other.empty()) {
            auto made = session::ScratchFolder::make();
            if (!made)
                return said(made.error().message, true);
            folder = std::move(made).value();
            command.words.push_back(folder->path() + "/other.py");
            if (const Result<void> written = replace_file(command.words.back(), call.other); !written)
                return said(written.error().message, true);
        }
        command.seconds = call.seconds;
        command.output_limit = most_answer_bytes;
        command.cancelled = &running.is_cancelled;
        if (!m_options.devices.cuda)
            command.variables.emplace_back("CUDA_VISIBLE_DEVICES=-1");
        const Result<process::Outcome> outcome = process::run_to_end(command);
        if (!outcome)
            return said(outcome.error().message, true);
        return answer_of(outcome.value(), call);
    }

    Json answer_of(const process::Outcome& outcome, const Call& call) {
        using End = process::Outcome::End;
        if (outcome.end != End::Exited)
            return said(cat("the call ", outcome.story(), outcome.errors.empty() ? "" : ":\n", outcome.errors), true);
        const bool is_error = outcome.code > exit_wrong; // a wrong script is what was asked about
        if (Json document = Json::parse(outcome.output, nullptr, false); document.is_structured())
            return said(m_answers.add(std::move(document), call.characters).dump(), is_error);
        std::string text = cat(outcome.errors, outcome.output);
        return said(text.empty() ? "nothing to say: all is fine" : m_answers.add(std::move(text), call.characters),
                    is_error);
    }

    // Says every two seconds that the call is still under way, to who wants to know.
    class Progress {
    public:
        Progress(Server& server, const std::string& name, const Json& token) {
            if (!token.is_null())
                m_thread = std::thread([this, &server, name, token] {
                    std::unique_lock lock(m_mutex);
                    for (int seconds = 2; !m_told.wait_for(lock, 2s, [this] { return m_is_over; }); seconds += 2)
                        server.send({{"method", "notifications/progress"},
                                     {"params",
                                      {{"progressToken", token},
                                       {"progress", seconds},
                                       {"message", cat(name, ", ", seconds, " s")}}}});
                });
        }
        ~Progress() {
            {
                const std::lock_guard lock(m_mutex);
                m_is_over = true;
            }
            m_told.notify_all();
            if (m_thread.joinable())
                m_thread.join();
        }

    private:
        std::mutex m_mutex;
        std::condition_variable m_told;
        bool m_is_over = false;
        std::thread m_thread;
    };

    void result(const Json& id, Json result) { send({{"id", id}, {"result", std::move(result)}}); }
    void answer(const Json& id, const Refused& refused) {
        send({{"id", id}, {"error", {{"code", refused.code}, {"message", refused.why}}}});
    }
    void send(Json message) {
        message["jsonrpc"] = "2.0";
        const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
        const std::lock_guard lock(m_writing);
        for (std::size_t at = 0; at < line.size();) {
            const ssize_t count = ::write(STDOUT_FILENO, line.data() + at, line.size() - at);
            if (count <= 0)
                return; // nobody reads any more; the end of standard input follows
            at += static_cast<std::size_t>(count);
        }
    }

    const ServerOptions& m_options;
    Answers m_answers;
    std::mutex m_mutex; // of what follows
    std::map<std::string, std::shared_ptr<Running>> m_running;
    std::condition_variable m_ended;
    std::mutex m_writing;
    std::counting_semaphore<most_at_once> m_places{most_at_once};
};

} // namespace

int serve_standard_streams(const ServerOptions& options) {
    std::signal(SIGPIPE, SIG_IGN);
    Server server(options);
    for (std::string line; std::getline(std::cin, line);)
        if (!line.empty())
            server.take(line);
    return 0;
}

} // namespace hidet::mcp
