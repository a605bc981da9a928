// SPDX-License-Identifier: Apache-2.0
// The fields of jobs that are the worker's own, and of the messages themselves.
#include "app/session/fields/make_kind.h"
#include "app/session/worker/messages.h"

namespace hidet::session::fields {

namespace {

constexpr const char* message_names[] = {"hello", "submit",   "cancel", "shutdown", "ping",
                                         "pong",  "happened", "done",   "ask",      "told"};
static_assert(std::size(message_names) == std::variant_size_v<Message>);

template <class... Types>
Kind one_of(std::variant<Types...>*) {
    using Variant = std::variant<Types...>;
    Kind kind{.sort = Kind::Sort::OneOf};
    kind.alternatives = {{"", &kind_of<Types>()}...};
    kind.index = [](const void* variant) { return static_cast<const Variant*>(variant)->index(); };
    kind.current = [](const void* variant) {
        return std::visit([](const auto& value) -> const void* { return &value; },
                          *static_cast<const Variant*>(variant));
    };
    kind.emplace = [](void* variant, std::size_t index) {
        constexpr void* (*makers[])(Variant&) = {
            [](Variant& out) -> void* { return &out.template emplace<Types>(); }...};
        return makers[index](*static_cast<Variant*>(variant));
    };
    return kind;
}

Kind one_job(Kind kind, std::size_t first) {
    for (std::size_t i = first; i < kind.alternatives.size(); ++i)
        kind.alternatives[i].name = row_of(static_cast<JobKind>(i - first)).name;
    return kind;
}

} // namespace

HIDET_STRUCT(WarmUpRequest, 0);
HIDET_STRUCT(WarmUpResult, 0);
HIDET_STRUCT(ScriptCheckRequest, 0, F(source), F(calls), F(fault));
HIDET_STRUCT(ScriptCheckResult, -3, F(stages), F(status), F(device_hangs), F(diagnostics)); // an outcome's count as one
HIDET_STRUCT(RehearsalRequest, 0, F(source), F(calls), F(texts), F(stack_bytes));
HIDET_STRUCT(RehearsedImport, 0, F(path), F(state), F(text));
HIDET_STRUCT(RehearsalResult, 0, F(files), F(folders), F(is_out_of_memory));
HIDET_STRUCT(ModelBenchRequest, 0, F(run));
HIDET_STRUCT(ModelTuneRequest, 0, F(model));
HIDET_STRUCT(FactsRequest, 0);

template <>
struct Fields<JobRequest> {
    static Kind kind() { return one_job(one_of(static_cast<JobRequest*>(nullptr)), 0); }
};
template <>
struct Fields<JobResult> { // the first is no result
    static Kind kind() { return one_job(one_of(static_cast<JobResult*>(nullptr)), 1); }
};

HIDET_STRUCT(JobEvent, 0, F(kind), F(text), F(fraction), F(seconds_left), F(fault), F(steps));
HIDET_STRUCT(Answer, 0, F(ended), F(result), F(reason), F(last_words), F(fault), F(signal));
HIDET_STRUCT(Hello, 0, F(protocol), F(host));
HIDET_STRUCT(Submit, 0, F(id), F(request));
HIDET_STRUCT(Cancel, 0, F(id));
HIDET_STRUCT(Shutdown, 0);
HIDET_STRUCT(Ping, 0, F(number));
HIDET_STRUCT(Pong, 0, F(number));
HIDET_STRUCT(Happened, 0, F(id), F(event));
HIDET_STRUCT(Done, 0, F(id), F(answer), F(leaving));
HIDET_STRUCT(Ask, 0, F(what), F(path));
HIDET_STRUCT(Told, 0, F(error));

template <>
struct Fields<Message> {
    static Kind kind() {
        Kind kind = one_of(static_cast<Message*>(nullptr));
        for (std::size_t i = 0; i < kind.alternatives.size(); ++i)
            kind.alternatives[i].name = message_names[i];
        return kind;
    }
};
template const Kind& kind_of<Message>();

} // namespace hidet::session::fields
