// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/script_checks.h"

#include "app/session/compare/compare.h"

namespace hidet::session {

static bool is_check(const Diagnostic* failure) {
    return failure && (failure->id == DiagId::AssertionFailed || failure->id == DiagId::TensorsDiffer);
}

// Null: there is none. What says the same as an earlier one is not kept: then it is the last one.
static const Diagnostic* first_error(const Work& work, int errors) {
    const Diagnostic* last = nullptr;
    int seen = 0;
    for (const Diagnostic& diagnostic : work.sink.all()) {
        if (diagnostic.severity != Severity::Error)
            continue;
        last = &diagnostic;
        if (seen++ >= errors)
            return last;
    }
    return work.sink.error_count() > errors ? last : nullptr;
}

Verdict failure_of(const Work& work, int errors, VerdictKind kind) {
    if (work.stopped())
        return {VerdictKind::Failed, "stopped"};
    const Diagnostic* first = first_error(work, errors);
    if (!first)
        return {VerdictKind::Failed, "failed"};
    return {kind, (kind == VerdictKind::Wrong ? "wrong: " : "failed: ") + first->message};
}

bool has_checks(const Source& script) {
    return script.text.find("assert") != std::string::npos || script.text.find("raise") != std::string::npos;
}

Verdict verdict_of_checks(const Work& work, const Source& script, int errors, VerdictKind failure) {
    const Diagnostic* first = first_error(work, errors);
    if (work.stopped() || work.sink.error_count() > errors) {
        return is_check(first) ? Verdict{VerdictKind::Wrong, "wrong: the script's own checks fail: " + first->message}
                               : failure_of(work, errors, failure);
    }
    if (!has_checks(script))
        return {VerdictKind::Unchecked, "not checked: the script has no assertions"};
    return {VerdictKind::Correct, "correct: the script's own checks pass"};
}

std::vector<Comparison> failed_check(const Work& work, const ScriptEngine& engine, int errors) {
    const std::optional<lang::Difference>& difference = engine.difference();
    const Diagnostic* failure = first_error(work, errors);
    if (!difference || !is_check(failure) || failure->span != difference->site)
        return {};
    const Span actual = difference->actual_site;
    const std::string_view written = actual.known() ? work.sources.text(actual) : std::string_view();
    const bool is_short = !written.empty() && written.size() <= 40 && written.find('\n') == std::string_view::npos;
    return {compare(is_short ? std::string(written) : "actual", *difference->actual, *difference->expected,
                    {.tolerance = {difference->tolerance.absolute, difference->tolerance.relative},
                     .equal_nan = difference->tolerance.equal_nan})};
}

} // namespace hidet::session
