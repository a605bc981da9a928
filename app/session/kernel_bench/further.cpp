// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/further.h"

#include <utility>

namespace hidet::session {

namespace {

class Further {
public:
    Further(Work& work, const KernelBenchRequest& request, KernelBenchScript& script, const Callable& callable,
            Attempt& out)
        : m_work(work), m_request(request), m_script(script), m_callable(callable), m_out(out) {}

    void ask_functions() {
        for (const std::string& name : references_of(m_callable, m_script)) {
            // The script's own asserts know better what a function of it is for.
            const bool counts = m_out.verdict.kind == VerdictKind::Unchecked && is_reference_name(name);
            const Agreement said = ask({ReferenceKind::ScriptFunction, name, 0, std::nullopt}, m_out,
                                       counts ? Difference::Counts : Difference::IsIgnored);
            if (said == Agreement::Agrees || m_out.verdict.kind == VerdictKind::Wrong)
                return;
        }
    }

    void ask_emulator() {
        if (m_out.verdict.kind != VerdictKind::Unchecked || m_out.is_emulated || !m_out.measured ||
            !takes_little(m_out, *m_out.measured))
            return;
        if (ask({ReferenceKind::Emulator, "", 0, std::nullopt}, m_out, Difference::Counts) == Agreement::Unknown)
            m_out.verdict.sentence += "; the emulator does not come to its end: 'hidetc emulate' says why";
    }

    // Where the call is known to be right, it is the other one that is not.
    void ask_other() {
        const bool was_right = m_out.verdict.kind == VerdictKind::Correct;
        if (!was_right && m_out.verdict.kind != VerdictKind::Unchecked)
            return;
        if (is_beside_itself(m_request, m_callable.name, m_callable.number)) {
            if (!was_right)
                m_out.verdict.sentence =
                    cat("not checked: both are the same", m_out.is_emulated ? ", emulated without findings" : "",
                        ", and nothing says what is right");
            return;
        }
        Attempt beside = m_out;
        beside.verdict = {VerdictKind::Unchecked, ""};
        beside.remarks.clear();
        DiagnosticSink kept = std::exchange(m_work.sink, {});
        const Agreement said = ask(*m_request.other, beside, Difference::Counts);
        m_work.sink = std::move(kept);
        const std::string name = m_request.other->script->name;
        const VerdictKind kind = beside.verdict.kind;
        if (said == Agreement::Unknown || kind == VerdictKind::Unchecked || kind == VerdictKind::Failed)
            m_out.verdict.sentence += cat("; not compared with '", name, "'");
        else if (kind == VerdictKind::Wrong)
            differ(name, std::move(beside), was_right);
        else if (was_right && kind == VerdictKind::Correct)
            m_out.verdict.sentence += cat("; agrees with '", name, "'");
        else
            m_out.verdict = beside.verdict, m_out.comparisons = beside.comparisons;
    }

private:
    Agreement ask(Reference reference, Attempt& out, Difference difference) {
        KernelBenchRequest asked = m_request;
        asked.reference = std::move(reference);
        Attempter attempter(m_work, asked, m_script);
        return attempter.look_further(out, m_callable, difference);
    }

    void differ(const std::string& name, Attempt beside, bool was_right) {
        const Span at = m_callable.function->origin.span;
        const std::string& said = beside.verdict.sentence; // "wrong with other inputs: 3 of 64 elements ..."
        m_out.comparisons = std::move(beside.comparisons);
        if (!was_right) {
            m_out.verdict = {VerdictKind::Wrong, cat(said, ", beside '", name, "'")};
            m_work.sink.report(DiagId::TryWrong, at, m_callable.name, cat("'", name, "'"), said);
            return;
        }
        const std::string why = cat("'", name, "', which it is measured beside, computes something else: ", said);
        m_out.verdict = {VerdictKind::Invalid, "invalid: " + why};
        m_work.sink.report(DiagId::TryInvalid, at, m_callable.name, why);
    }

    Work& m_work;
    const KernelBenchRequest& m_request;
    KernelBenchScript& m_script;
    const Callable& m_callable;
    Attempt& m_out;
};

} // namespace

bool is_beside_itself(const KernelBenchRequest& request, const std::string& function, int module) {
    const Reference& other = *request.other;
    return is_same_script(*other.script, request.run.source) &&
           (other.function.empty() || other.function == function) && (other.module == 0 || other.module == module);
}

void ask_further(Work& work, const KernelBenchRequest& request, KernelBenchScript& script, const Callable& callable,
                 Attempt& out) {
    Further further(work, request, script, callable, out);
    further.ask_functions();
    if (request.reference.kind == ReferenceKind::Automatic)
        further.ask_emulator();
    Attempter(work, request, script).conclude(out, callable);
}

void ask_other(Work& work, const KernelBenchRequest& request, KernelBenchScript& script, const Callable& callable,
               Attempt& out) {
    Further(work, request, script, callable, out).ask_other();
}

Verdict verdict_of_call(Work& work, const KernelBenchRequest& request, KernelBenchScript& script,
                        const ScriptEngine::KeptCall& call, const BenchRow& row, Verdict checks) {
    const std::optional<Callable> callable = script.callable_of(call);
    Attempt out;
    out.verdict = std::move(checks);
    out.where = row.where;
    out.is_emulated = row.is_emulated;
    out.measured = row;
    if (!callable || !takes_little(out, row))
        return out.verdict;
    ask_further(work, request, script, *callable, out);
    if (request.other)
        ask_other(work, request, script, *callable, out);
    return out.verdict;
}

} // namespace hidet::session
