// SPDX-License-Identifier: Apache-2.0
#include "app/session/debug/condition.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>

#include "lang/ast/walk.h"
#include "lang/base/text.h"
#include "lang/parse/parser.h"
#include "lang/service/service.h"

namespace hidet::session {

namespace {

constexpr std::string_view built_in_names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

struct ScriptLine {
    std::size_t begin = 0;
    std::size_t indent = 0;
};

ScriptLine line_at(const std::string& script, int line) {
    std::size_t begin = 0;
    for (int number = 1; number < line && begin < script.size(); ++number)
        begin = std::min(script.find('\n', begin), script.size() - 1) + 1;
    const std::size_t end = std::min(script.find_first_not_of(" \t", begin), script.size());
    return {begin, end - begin};
}

} // namespace

// The names are looked up as if the expression stood in the script.
std::string mistake_in(const std::string& expression, const std::string& script, int line) {
    const Result<DebugExpression> parsed = DebugExpression::parse(expression);
    if (!parsed)
        return parsed.error().message;
    if (const Result<void> computable = parsed.value().computable(); !computable)
        return computable.error().message;
    const ScriptLine at = line_at(script, line);
    const std::string inserted = script.substr(at.begin, at.indent) + expression + '\n';
    std::string text = script;
    text.insert(at.begin, inserted);
    const auto document = lang::service::read_text(text, "");
    for (const lang::service::UnknownName& each : lang::service::unknown_names(*document)) {
        if (each.range.begin < at.begin || each.range.end > at.begin + inserted.size())
            continue;
        const std::string name = text.substr(each.range.begin, each.range.end - each.range.begin);
        if (std::ranges::find(built_in_names, name) == std::end(built_in_names))
            return cat("'", name, "' is not known here");
    }
    return "";
}

std::string element_at(const std::string& script, std::uint32_t offset) {
    namespace ast = lang::ast;
    SourceMap sources;
    DiagnosticSink sink;
    const ast::Module module = lang::parse(sources, sources.add("script", script), sink);
    Span found;
    const std::function<void(const ast::Expr&)> look = [&](const ast::Expr& e) {
        if (e.span.begin > offset || e.span.end < offset)
            return;
        if (e.kind == ast::Kind::Subscript)
            found = e.span; // those within come later
        ast::each_child(e, look);
    };
    const std::function<void(const ast::Stmt&)> enter = [&](const ast::Stmt& s) { ast::each_child(s, look, enter); };
    for (const ast::Stmt* each : module.body)
        enter(*each);
    return script.substr(found.begin, found.end - found.begin);
}

// ---- conditions ------------------------------------------------------------------------------------------------------

Result<HitCount> HitCount::parse(std::string_view text) {
    const std::string_view given = trimmed(text);
    if (given.empty())
        return HitCount{};
    const std::size_t begin = std::min(given.find_first_not_of("<>=%"), given.size());
    const std::string_view sign = given.substr(0, begin), digits = trimmed(given.substr(begin));
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_number = error == std::errc{} && end == digits.data() + digits.size() && number >= 0 &&
                           number < std::numeric_limits<std::int64_t>::max();
    if (is_number && (sign.empty() || sign == ">="))
        return HitCount{.least = number};
    if (is_number && sign == ">")
        return HitCount{.least = number + 1};
    if (is_number && (sign == "==" || sign == "="))
        return HitCount{.least = number, .most = number};
    if (is_number && sign == "<=")
        return HitCount{.most = number};
    if (is_number && sign == "<")
        return HitCount{.most = number - 1};
    if (is_number && sign == "%" && number > 0)
        return HitCount{.every = number};
    return Error{"bad-hits", cat("'", given, "' does not say how often; 3, >= 3, > 3, == 3, <= 3, < 3 and % 3 do")};
}

Result<StopCondition> StopCondition::parse(const std::string& condition, const std::string& hits) {
    StopCondition out;
    HIDET_TRY(out.m_hits, HitCount::parse(hits));
    if (condition.empty())
        return out;
    HIDET_TRY(out.m_condition, DebugExpression::parse(condition));
    return out;
}

bool StopCondition::holds(const DebugView& view, int thread) {
    if (!m_condition)
        return true;
    const Result<DebugNumber> number = view.value(*m_condition, thread);
    if (number)
        return number.value().is_true();
    m_complaint = number.error().message;
    m_condition.reset();
    return true;
}

bool StopCondition::counts(vm::Position position) {
    m_places.insert(position);
    return m_hits.holds(std::distance(m_places.begin(), m_places.find(position)) + 1);
}

bool StopCondition::fits(const DebugView& view, vm::Position position, int thread) {
    return holds(view, thread) && counts(position);
}

std::optional<int> StopCondition::thread_that_fits(const DebugView& view, const vm::Standing& standing) {
    for (int thread = standing.first_thread(); thread >= 0 && thread < view.threads(); ++thread)
        if (standing.runs(thread) && holds(view, thread))
            return counts(standing.position()) ? std::optional(thread) : std::nullopt;
    return std::nullopt;
}

// ---- messages --------------------------------------------------------------------------------------------------------

Result<LogMessage> LogMessage::parse(const std::string& text) {
    LogMessage out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = std::min(text.find('{', at), text.size());
        if (open > at)
            out.m_parts.push_back({text.substr(at, open - at), {}});
        if (open == text.size())
            break;
        const std::size_t close = text.find('}', open);
        if (close == std::string::npos)
            return Error{"bad-message", "a '{' without its '}'"};
        HIDET_TRY(DebugExpression value, DebugExpression::parse(text.substr(open + 1, close - open - 1)));
        out.m_parts.push_back({"", std::move(value)});
        at = close + 1;
    }
    return out;
}

std::string LogMessage::text(const DebugView& view, int thread, bool of_thread_alone) const {
    std::string out;
    for (const Part& part : m_parts) {
        if (!part.value) {
            out += part.text;
        } else if (!of_thread_alone) {
            out += view.row_text(*part.value, thread / lanes_of_warp);
        } else {
            const Result<DebugNumber> number = view.value(*part.value, thread);
            out += number ? text_of(number.value()) : number.error().message;
        }
    }
    return out;
}

} // namespace hidet::session
