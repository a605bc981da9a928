// SPDX-License-Identifier: Apache-2.0
// The fields of jobs that are the worker's own, and of the messages themselves.
#include <set>

#include "app/session/fields/make_kind.h"
#include "app/session/worker/messages.h"
#include "lang/base/text.h"
#include "lang/base/text_hash.h"

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

HIDET_STRUCT(SolveRequest, 0, F(question));
HIDET_STRUCT(toolchain::SolverAnswer, 0, F(text), F(is_by_clock));
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
HIDET_STRUCT(CountRequest, 0, F(text), F(kernels), F(seconds), F(keeps_report));
HIDET_STRUCT(CountedPages, 0, F(instructions), F(totals), F(report), F(output));

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
HIDET_STRUCT(Hello, 0, F(protocol), F(host), F(jobs), F(keeps_files));
HIDET_STRUCT(Submit, 0, F(id), F(request));
HIDET_STRUCT(Cancel, 0, F(id));
HIDET_STRUCT(Shutdown, 0);
HIDET_STRUCT(Ping, 0, F(number));
HIDET_STRUCT(Pong, 0, F(number));
HIDET_STRUCT(Happened, 0, F(id), F(event));
HIDET_STRUCT(Done, 0, F(id), F(answer), F(leaving));
HIDET_STRUCT(Ask, 0, F(what), F(path), F(number), F(from), F(content), F(is_last));
HIDET_STRUCT(FilePlace, 0, F(kind), F(real), F(is_link), F(problem));
HIDET_STRUCT(Told, 0, F(error), F(number), F(content), F(is_last), F(place));

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

// The fields of a type and of all types within it. A type that was described is not described again.
static void describe(const Kind& kind, std::set<const Kind*>& known, std::string& out) {
    out += cat(static_cast<int>(kind.sort), ".", static_cast<int>(kind.bytes));
    if (!known.insert(&kind).second)
        return;
    if (kind.inner)
        describe(*kind.inner, known, out += "[");
    for (const Field& row : kind.rows)
        describe(*row.kind, known, out += cat(" ", row.name, ":"));
    for (std::int64_t i = 0; kind.is_known && kind.is_known(i); ++i) // a choice more is another type
        out += "|";
    out += ";";
}

} // namespace hidet::session::fields

namespace hidet::session {

std::vector<std::pair<std::string, std::string>> job_marks() {
    const auto& requests = fields::kind_of<JobRequest>().alternatives;
    const auto& results = fields::kind_of<JobResult>().alternatives;
    std::vector<std::pair<std::string, std::string>> marks;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        std::set<const fields::Kind*> known;
        std::string text;
        fields::describe(*requests[i].kind, known, text);
        fields::describe(*results[i + 1].kind, known, text);
        marks.emplace_back(requests[i].name, hash_text(text));
    }
    return marks;
}

} // namespace hidet::session
