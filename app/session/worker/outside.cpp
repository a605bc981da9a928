// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/outside.h"

#include <poll.h>

#include "app/session/worker/call.h"
#include "lang/base/text.h"
#include "runtime/process/passing.h"

namespace hidet::session {

namespace {

const Error gone{"supervisor-lost", "whoever started this process is gone"};
constexpr Ticket through_the_cache = 1, past_the_cache = 0;

} // namespace

Result<process::Descriptor> Outside::ask(const Message& question) {
    process::SocketPair call;
    if (!call.open())
        return gone;
    {
        std::lock_guard lock(m_mutex);
        if (!process::pass(m_line.get(), call.theirs.get()))
            return gone;
    }
    call.theirs.close();
    if (!send_message(call.ours.get(), question))
        return gone;
    return std::move(call.ours);
}

Result<void> Outside::told(int socket) {
    HIDET_TRY(const Message message, receive_message(socket));
    const auto* told = std::get_if<Told>(&message);
    if (!told)
        return gone;
    if (!told->error.code.empty())
        return told->error;
    return {};
}

Result<int> Outside::open_input(const std::string& path) {
    HIDET_TRY(const process::Descriptor call, ask(Ask{Ask::What::OpenFile, path}));
    if (Result<void> opened = told(call.get()); !opened)
        return opened.error();
    process::Descriptor file = process::take_passed(call.get());
    if (!file.is_open())
        return gone;
    return file.release();
}

Result<void> Outside::store(const std::string& path, int content) {
    HIDET_TRY(const process::Descriptor call, ask(Ask{Ask::What::StoreFile, path}));
    if (!process::pass(call.get(), content))
        return gone;
    return told(call.get());
}

Result<void> Outside::make_folders(const std::string& path) {
    HIDET_TRY(const process::Descriptor call, ask(Ask{Ask::What::MakeFolders, path}));
    return told(call.get());
}

// Hanging up is how a question is taken back.
Answer Outside::answer_to(const Submit& question, const std::atomic<bool>* cancelled) {
    Result<process::Descriptor> call = ask(question);
    if (!call)
        return {Ended::Refused, {}, call.error(), {}};
    pollfd answer{call.value().get(), POLLIN, 0};
    while (::poll(&answer, 1, cancelled ? 20 : -1) <= 0)
        if (cancelled && cancelled->load(std::memory_order_relaxed))
            return {Ended::Cancelled, {}, {}, {}};
    Result<Message> message = receive_message(call.value().get());
    if (!message || !std::holds_alternative<Done>(message.value()))
        return {Ended::Refused, {}, gone, {}};
    return std::get<Done>(std::move(message).value()).answer;
}

Answer Outside::perform(const JobRequest& request, const std::atomic<bool>& cancelled) {
    return answer_to({past_the_cache, request}, &cancelled);
}

Result<toolchain::CompileResult> Outside::compile(const toolchain::CompileRequest& request) {
    toolchain::CompileRequest sent = request;
    sent.cancelled = nullptr;
    Answer answer = answer_to({through_the_cache, std::move(sent)}, request.cancelled);
    if (auto* result = std::get_if<toolchain::CompileResult>(&answer.result); result && answer.ended == Ended::Answered)
        return std::move(*result);
    return answer.ended == Ended::Cancelled ? Error{"cancelled", "the compilation was cancelled"} : answer.reason;
}

Result<std::string> Outside::recipe(const toolchain::CompileRequest& request) {
    return m_recipes.recipe(request);
}

} // namespace hidet::session
