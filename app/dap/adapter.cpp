// SPDX-License-Identifier: Apache-2.0
// A thread of the protocol is a group of warps that run together, by its first warp + 1: the warps of a group are always at the same
// place, and a group that splits becomes two.
#include "app/dap/adapter.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "app/dap/arguments.h"
#include "lang/base/text.h"

namespace hidet::dap {

using session::DebugEvent;
using session::DebugMove;
using session::DebugView;

namespace {

bool is_set(const Json& from, const char* key) {
    const auto found = from.find(key);
    return found != from.end() && found->is_boolean() && found->get<bool>();
}

std::optional<std::array<std::int64_t, 3>> block_at(const Json& from) {
    const Json* found = given(from, "block");
    if (!found)
        return std::nullopt;
    std::array<std::int64_t, 3> out{};
    const bool fits = found->is_array() && !found->empty() && found->size() <= 3 &&
                      std::ranges::all_of(*found, [](const Json& at) { return at.is_number_integer(); });
    if (!fits)
        throw Refusal("'block' has to be one to three integers, as in [0, 1, 0]");
    for (std::size_t d = 0; d < found->size(); ++d)
        out[d] = (*found)[d].get<std::int64_t>();
    return out;
}

std::string folder_of(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? "." : folder.string();
}

} // namespace

Json json_of(const session::PlacedBreakpoint& placed) {
    Json out = {{"id", placed.id}, {"verified", placed.is_placed}};
    if (placed.line > 0)
        out["line"] = placed.line;
    if (!placed.message.empty())
        out["message"] = placed.message;
    return out;
}

// ---- messages --------------------------------------------------------------------------------------------------------

Adapter::Handler Adapter::handler_of(const std::string& command) {
    static const std::map<std::string, Handler> handlers = {
        {"initialize", &Adapter::initialize},
        {"launch", &Adapter::launch},
        {"setBreakpoints", &Adapter::set_breakpoints},
        {"setExceptionBreakpoints", &Adapter::set_nothing},
        {"dataBreakpointInfo", &Adapter::data_breakpoint_info},
        {"setDataBreakpoints", &Adapter::set_data_breakpoints},
        {"configurationDone", &Adapter::configuration_done},
        {"threads", &Adapter::threads},
        {"stackTrace", &Adapter::stack_trace},
        {"scopes", &Adapter::scopes},
        {"variables", &Adapter::variables},
        {"evaluate", &Adapter::evaluate},
        {"exceptionInfo", &Adapter::exception_info},
        {"continue", &Adapter::go_on},
        {"reverseContinue", &Adapter::go_back},
        {"next", &Adapter::step},
        {"stepIn", &Adapter::step},
        {"stepOut", &Adapter::step_to_barrier},
        {"stepBack", &Adapter::step_back},
        {"hidet/stepBackToBarrier", &Adapter::step_back_to_barrier},
        {"hidet/lastWriter", &Adapter::last_writer},
        {"hidet/goTo", &Adapter::go_to},
        {"pause", &Adapter::pause},
        {"disconnect", &Adapter::disconnect},
        {"terminate", &Adapter::disconnect},
    };
    const auto found = handlers.find(command);
    return found == handlers.end() ? nullptr : found->second;
}

void Adapter::fault(const std::string& why) {
    tell("output", {{"category", "important"}, {"output", cat("a message of the client was left out: ", why, "\n")}});
}

void Adapter::take(const std::string& body) {
    const Json request = Json::parse(body, nullptr, false);
    if (request.is_discarded() || !request.is_object())
        return fault("it is no JSON object");
    const auto type = request.find("type"), command = request.find("command");
    if (type == request.end() || *type != "request" || command == request.end() || !command->is_string())
        return fault("it is no request");
    const Handler handler = handler_of(command->get<std::string>());
    if (!handler)
        return refuse(request, cat("there is no request '", command->get<std::string>(), "' here"));
    const auto given = request.find("arguments");
    const Json arguments = given != request.end() && given->is_object() ? *given : Json::object();
    try {
        answer(request, (this->*handler)(arguments));
    } catch (const Refusal& error) {
        return refuse(request, error.what());
    } catch (const Json::exception& error) {
        return refuse(request, cat("its arguments are not what the protocol has: ", error.what()));
    }
    if (const std::string after = std::exchange(m_after, {}); !after.empty())
        tell(after.c_str(), Json::object());
}

void Adapter::send(Json message) {
    const std::lock_guard lock(m_mutex);
    message["seq"] = ++m_number;
    m_send(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Adapter::answer(const Json& request, Json body) {
    send({{"type", "response"},
          {"request_seq", request.value("seq", 0)},
          {"command", request["command"]},
          {"success", true},
          {"body", std::move(body)}});
}

void Adapter::refuse(const Json& request, const std::string& why) {
    const auto seq = request.find("seq");
    send({{"type", "response"},
          {"request_seq", seq != request.end() && seq->is_number_integer() ? *seq : Json(0)},
          {"command", request["command"]},
          {"success", false},
          {"message", why},
          {"body", {{"error", {{"id", 1}, {"format", why}, {"showUser", true}}}}}});
}

void Adapter::tell(const char* event, Json body) {
    send({{"type", "event"}, {"event", event}, {"body", std::move(body)}});
}

// ---- beginning and end -----------------------------------------------------------------------------------------------

Json Adapter::initialize(const Json& /*arguments*/) {
    m_after = "initialized";
    return {{"supportsConfigurationDoneRequest", true},
            {"supportsConditionalBreakpoints", true},
            {"supportsHitConditionalBreakpoints", true},
            {"supportsLogPoints", true},
            {"supportsDataBreakpoints", true},
            {"supportsEvaluateForHovers", true},
            {"supportsStepBack", true},
            {"supportsSteppingGranularity", true},
            {"supportsExceptionInfoRequest", true},
            {"supportsTerminateRequest", true}};
}

Json Adapter::launch(const Json& arguments) {
    if (m_session)
        throw Refusal("a script is debugged already");
    const std::string program = text_at(arguments, "program");
    if (program.empty())
        throw Refusal("'program' has to be the path of a script");
    session::DebugRequest request;
    DiagnosticSink sink;
    if (given(arguments, "text"))
        request.run.source = {program, text_at(arguments, "text"), folder_of(program)};
    else if (!session::read_source(program, request.run.source, sink))
        throw Refusal(sink.all().front().message);
    request.run.target = session::Target::Emulate;
    request.run.seed = static_cast<std::uint64_t>(number_at(arguments, "seed", 0));
    request.kernel = text_at(arguments, "kernel");
    request.launch = number_at(arguments, "launch", 1);
    request.block = block_at(arguments);
    request.stops_on_entry = is_set(arguments, "stopOnEntry");
    m_session = std::make_unique<session::DebugSession>(std::move(request),
                                                        [this](DebugEvent event) { hear(std::move(event)); });
    for (auto& [file, breakpoints] : m_early)
        m_session->set_breakpoints(file, breakpoints);
    return Json::object();
}

Json Adapter::configuration_done(const Json& /*arguments*/) {
    session().start();
    return Json::object();
}

Json Adapter::disconnect(const Json& /*arguments*/) {
    if (m_session)
        m_session->end();
    m_is_over = true;
    return Json::object();
}

session::DebugSession& Adapter::session() {
    if (!m_session)
        throw Refusal("no script is debugged yet");
    return *m_session;
}

// ---- breakpoints and steps -------------------------------------------------------------------------------------------

Json Adapter::set_breakpoints(const Json& arguments) {
    const std::string file = text_at(arguments.value("source", Json::object()), "path");
    if (file.empty())
        throw Refusal("'source' has to have a 'path'");
    std::vector<session::DebugBreakpoint> wanted;
    for (const Json& each : arguments.value("breakpoints", Json::array())) {
        if (number_at(each, "line", 0) <= 0)
            throw Refusal("a breakpoint has to have a 'line'");
        session::DebugBreakpoint next{.id = ++m_breakpoints,
                                      .line = static_cast<int>(number_at(each, "line", 0)),
                                      .condition = text_at(each, "condition"),
                                      .hits = text_at(each, "hitCondition"),
                                      .message = text_at(each, "logMessage")};
        wanted.push_back(std::move(next));
    }
    Json out = Json::array();
    if (m_session) {
        for (const session::PlacedBreakpoint& placed : m_session->set_breakpoints(file, wanted))
            out.push_back(json_of(placed));
        return {{"breakpoints", out}};
    }
    for (const session::DebugBreakpoint& each : wanted)
        out.push_back(json_of({each.id, each.line, false, "it is placed when the kernel is launched"}));
    m_early[file] = std::move(wanted);
    return {{"breakpoints", out}};
}

Json Adapter::set_nothing(const Json& /*arguments*/) {
    return {{"breakpoints", Json::array()}};
}

Json Adapter::move(DebugMove::By by, bool is_back, const Json& arguments) {
    const auto warp = static_cast<int>(number_at(arguments, "threadId", m_thread / lanes_of_warp + 1)) - 1;
    m_shown.forget();
    if (!session().move({.by = by, .is_back = is_back, .thread = std::max(0, warp) * lanes_of_warp}))
        throw Refusal("the launch does not stand");
    return Json::object();
}

DebugMove::By Adapter::granularity(const Json& arguments) const {
    return text_at(arguments, "granularity") == "instruction" ? DebugMove::By::Instruction : DebugMove::By::Statement;
}

Json Adapter::go_on(const Json& arguments) {
    move(DebugMove::By::Continue, false, arguments);
    return {{"allThreadsContinued", true}};
}
Json Adapter::go_back(const Json& arguments) {
    return move(DebugMove::By::Continue, true, arguments);
}
Json Adapter::step(const Json& arguments) {
    return move(granularity(arguments), false, arguments);
}
Json Adapter::step_back(const Json& arguments) {
    return move(granularity(arguments), true, arguments);
}
Json Adapter::step_to_barrier(const Json& arguments) {
    return move(DebugMove::By::Barrier, false, arguments);
}
Json Adapter::step_back_to_barrier(const Json& arguments) {
    return move(DebugMove::By::Barrier, true, arguments);
}
Json Adapter::go_to(const Json& arguments) {
    const std::int64_t position = number_at(arguments, "position", -1);
    if (position < 0)
        throw Refusal("'position' has to be the number of an instruction of the launch");
    m_shown.forget();
    if (!session().move({.by = DebugMove::By::Position, .position = static_cast<vm::Position>(position)}))
        throw Refusal("the launch does not stand");
    return Json::object();
}

Json Adapter::pause(const Json& /*arguments*/) {
    session().pause();
    return Json::object();
}

// ---- looking ---------------------------------------------------------------------------------------------------------

void Adapter::look(const std::function<void(const DebugView&)>& body) {
    if (!session().look(body))
        throw Refusal("the launch does not stand");
}

Json Adapter::threads(const Json& /*arguments*/) {
    Json out = Json::array();
    if (m_session)
        m_session->look([&](const DebugView& view) {
            for (const session::DebugGroup& group : view.groups())
                out.push_back({{"id", group.first_warp + 1}, {"name", group.name}});
        });
    if (out.empty())
        out.push_back({{"id", 1}, {"name", "the script"}});
    return {{"threads", out}};
}

Json Adapter::stack_trace(const Json& arguments) {
    const auto thread = static_cast<int>(number_at(arguments, "threadId", 1));
    Json out = Json::array();
    look([&](const DebugView& view) {
        for (const session::DebugGroup& group : view.groups())
            if (group.first_warp + 1 == thread)
                out.push_back({{"id", thread},
                               {"name", view.kernel()},
                               {"line", group.line},
                               {"column", 1},
                               {"source", {{"path", group.file}, {"name", group.file}}}});
    });
    return {{"stackFrames", out}, {"totalFrames", out.size()}};
}

Json Adapter::scopes(const Json& arguments) {
    const auto warp = static_cast<int>(number_at(arguments, "frameId", 1)) - 1;
    Json out;
    look([&](const DebugView&) { out = m_shown.scopes(std::max(0, warp) * lanes_of_warp); });
    return {{"scopes", out}};
}

Json Adapter::variables(const Json& arguments) {
    const auto reference = static_cast<int>(number_at(arguments, "variablesReference", 0));
    if (!m_shown.knows(reference))
        throw Refusal("'variablesReference' stands for nothing since the launch went on");
    Json out;
    look([&](const DebugView& view) {
        out = m_shown.children(view, reference, number_at(arguments, "start", 0), number_at(arguments, "count", 0));
    });
    return {{"variables", out}};
}

Json Adapter::evaluate(const Json& arguments) {
    const std::string text = text_at(arguments, "expression");
    const Result<session::DebugExpression> expression = session::DebugExpression::parse(text);
    if (!expression)
        throw Refusal(expression.error().message);
    const Result<session::DebugExpression::Element> element = expression.value().written_element();
    if (!element)
        throw Refusal(element.error().message);
    const int thread = thread_of(arguments), warp = thread / lanes_of_warp;
    if (!element.value().tensor.empty()) {
        const Element found = look_up(expression.value(), element.value(), thread);
        return {{"result", writer_of(found)["text"]}, {"variablesReference", 0}};
    }
    Json out;
    look([&](const DebugView& view) {
        const std::string name = expression.value().name();
        const auto& known = view.variables();
        const bool is_variable = std::ranges::find(known, name, &session::DebugVariable::name) != known.end();
        if (const session::DebugTensor* tensor = is_variable || name.empty() ? nullptr : view.tensor(name)) {
            out = m_shown.tensor(*tensor);
            out["result"] = std::move(out["value"]);
            out.erase("value"), out.erase("name");
            return;
        }
        const Result<session::DebugNumber> value = view.value(expression.value(), thread);
        if (!value)
            throw Refusal(value.error().message);
        out = {{"result", view.row_text(expression.value(), warp)}, {"variablesReference", 0}};
    });
    return out;
}

Json Adapter::exception_info(const Json& /*arguments*/) {
    const std::lock_guard lock(m_mutex);
    if (m_finding.empty())
        throw Refusal("the launch does not stand at a finding");
    return {{"exceptionId", "finding"}, {"description", m_finding}, {"breakMode", "always"}};
}

// ---- what the session says -------------------------------------------------------------------------------------------

void Adapter::hear(DebugEvent event) {
    switch (event.kind) {
    case DebugEvent::Kind::Output: return tell("output", {{"category", "stdout"}, {"output", event.text}});
    case DebugEvent::Kind::Printed: return tell("output", {{"category", "console"}, {"output", event.text}});
    case DebugEvent::Kind::Placed:
        for (const session::PlacedBreakpoint& placed : event.placed)
            tell("breakpoint", {{"reason", "changed"}, {"breakpoint", json_of(placed)}});
        return;
    case DebugEvent::Kind::Stopped: return hear_stop(event);
    case DebugEvent::Kind::Ended: return hear_end(event);
    }
}

void Adapter::hear_stop(const DebugEvent& event) {
    static constexpr const char* reasons[] = {"entry",     "breakpoint", "step",           "pause",
                                              "exception", "step",       "data breakpoint"};
    {
        const std::lock_guard lock(m_mutex);
        m_thread = event.thread;
        m_finding = event.reason == session::StopReason::Finding ? event.text : "";
    }
    int group_id = 1;
    m_session->look([&](const DebugView& view) {
        for (const session::DebugGroup& group : view.groups())
            if (group.is_next)
                group_id = group.first_warp + 1;
    });
    Json body = {{"reason", reasons[static_cast<std::size_t>(event.reason)]},
                 {"threadId", group_id},
                 {"allThreadsStopped", true}};
    if (!event.text.empty())
        body["text"] = event.text;
    if (event.reason == session::StopReason::Start)
        body["description"] = "the launch begins here";
    if (!event.breakpoints.empty())
        body["hitBreakpointIds"] = event.breakpoints;
    tell("stopped", std::move(body));
}

void Adapter::hear_end(const DebugEvent& event) {
    for (const session::DiagnosticView& diagnostic : event.outcome.diagnostics)
        tell("output", {{"category", "stderr"}, {"output", diagnostic.rendered}});
    tell("exited", {{"exitCode", event.outcome.status == session::Status::Ok ? 0 : 1}});
    tell("terminated", Json::object());
}

} // namespace hidet::dap
