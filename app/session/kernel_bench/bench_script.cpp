// SPDX-License-Identifier: Apache-2.0
// bench(): it judges what it measures, which takes what is here.
#include "app/session/bench/bench.h"

#include <algorithm>

#include "app/session/bench/measure.h"
#include "app/session/compare/call_memory.h"
#include "app/session/kernel_bench/further.h"
#include "app/session/kernel_bench/script_checks.h"
#include "app/session/script/engine.h"
#include "app/session/script/script_run.h"
#include "app/session/work/refusal.h"

namespace hidet::session {

namespace {

class Bench {
public:
    Bench(Work& work, const BenchRequest& request, BenchResult& result)
        : m_work(work), m_request(request), m_result(result), m_measurer(work, request.run) {}

    void run() {
        KernelBenchScript script(m_work, m_request.run);
        ScriptEngine& engine = script.engine();
        if (!engine.has_wanted_gpu() || !may_measure_rows(engine))
            return;
        script.evaluate(KernelBenchScript::Evaluate::Run, {}, "");
        if (m_work.sink.has_errors())
            return;
        m_checks = verdict_of_checks(m_work, m_request.run.source, 0);
        if (engine.kept_calls().empty())
            return m_work.sink.report(DiagId::NothingToMeasure, {}, m_request.run.source.name);
        if (!makes_launches(engine))
            return;
        if (!m_request.other)
            return measure_all(script, nullptr);
        RunRequest other = m_request.run;
        other.source = *m_request.other;
        KernelBenchScript baselines(m_work, other);
        baselines.evaluate(KernelBenchScript::Evaluate::Run, {}, "");
        if (m_work.sink.has_errors())
            return;
        const std::size_t count = engine.kept_calls().size(), others = baselines.engine().kept_calls().size();
        if (others != count)
            return m_work.sink.report(DiagId::BaselinesDiffer, {}, m_request.run.source.name, other.source.name, count,
                                      others);
        measure_all(script, &baselines);
    }

private:
    // The CPU and the emulator end a call before the next begins: there the time of a call says all.
    bool may_measure_rows(const ScriptEngine& engine) {
        const TargetInfo& target = info(m_request.run.target);
        if (m_request.in_a_row < 1 || engine.has_cuda())
            return true;
        if (target.gpu == GpuUse::None)
            refuse_row("no-gpu-asked-for", cat("'--target ", target.name, "' uses none"));
        else
            refuse_row("no-gpu", engine.gpu_error() ? engine.gpu_error()->message : "there is none");
        return false;
    }
    bool makes_launches(const ScriptEngine& engine) {
        const auto& calls = engine.kept_calls();
        const bool on_gpu = std::any_of(calls.begin(), calls.end(), [](const ScriptEngine::KeptCall& call) {
            return call.module->executor.gpu() != nullptr;
        });
        if (m_request.in_a_row > 0 && !on_gpu)
            refuse_row("no-launches", cat("no function that '", m_request.run.source.name, "' calls runs on it"));
        return m_request.in_a_row < 1 || on_gpu;
    }
    void refuse_row(const char* code, const std::string& why) {
        report_environment(m_work, m_work.sink, {code, "launches in a row are measured on a GPU: " + why});
    }

    // Judging makes more calls of the same functions, which are kept in the place of the script's own.
    void measure_all(KernelBenchScript& script, KernelBenchScript* baselines) {
        const std::vector<ScriptEngine::KeptCall> calls = script.engine().kept_calls();
        const auto others = baselines ? baselines->engine().kept_calls() : std::vector<ScriptEngine::KeptCall>();
        for (std::size_t i = 0; i < calls.size() && !m_work.stopped(); ++i) {
            const std::size_t before = m_result.rows.size();
            measure_one(calls[i], baselines ? &others[i] : nullptr);
            if (m_result.rows.size() == before)
                return;
            judge(script, calls[i], baselines ? baselines->callable_of(others[i]) : std::nullopt);
        }
    }

    void judge(KernelBenchScript& script, const ScriptEngine::KeptCall& call, const std::optional<Callable>& other) {
        KernelBenchRequest asked;
        asked.run = m_request.run;
        asked.reference.kind = ReferenceKind::Automatic;
        asked.against = m_request.against;
        if (other)
            asked.other = {ReferenceKind::Variant, other->name, other->number, m_request.other};
        BenchRow& row = m_result.rows.back();
        row.verdict = verdict_of_call(m_work, asked, script, call, row, m_checks);
    }

    // What was found wrong of one is no reason to leave out the next.
    void measure_one(const ScriptEngine::KeptCall& call, const ScriptEngine::KeptCall* other) {
        m_work.enter("measuring '" + call.function + "'");
        BenchRow row = m_measurer.described(call);
        std::unique_ptr<Repeat> mine = prepared(call);
        Result<std::unique_ptr<Baseline>> baseline = baseline_of(call, other, *mine);
        if (!baseline)
            return report_environment(m_work, m_work.sink, baseline.error(), call.site);
        if (baseline.value())
            row.baseline = other ? m_request.other->name : baseline.value()->name();
        const auto anew = [&]() -> Result<Sides> {
            const ScriptEngine::KeptCall own = elsewhere(call);
            const auto others = other ? std::optional(elsewhere(*other)) : std::nullopt;
            Sides sides{prepared(own), nullptr};
            HIDET_TRY(sides.baseline, baseline_of(own, others ? &*others : nullptr, *sides.mine));
            return sides;
        };
        Result<void> measured = m_measurer.measure(*mine, baseline.value().get(), anew, row);
        if (measured && m_request.in_a_row > 0)
            measured = Measurer::measure_row(*mine, baseline.value().get(), m_request.in_a_row, row);
        if (!measured)
            return report_failure(m_work, m_work.sink, measured.error(), call.function, call.site);
        m_result.rows.push_back(std::move(row));
    }

    static std::unique_ptr<Repeat> prepared(const ScriptEngine::KeptCall& call) {
        return call.module->executor.prepare(*call.module, {call.function, call.args, call.site, call.symbols});
    }

    static ScriptEngine::KeptCall elsewhere(const ScriptEngine::KeptCall& call) {
        ScriptEngine::KeptCall out = call;
        out.args = copy_of(call.args, guarded_storage);
        return out;
    }

    // Null: nobody is asked for.
    Result<std::unique_ptr<Baseline>> baseline_of(const ScriptEngine::KeptCall& call,
                                                  const ScriptEngine::KeptCall* other, Repeat& mine) {
        if (other)
            return make_script_baseline(prepared(*other), call.args, other->args);
        if (m_request.against.empty())
            return std::unique_ptr<Baseline>();
        return make_library_baseline(m_request.against, call.args, mine.on_gpu(), *m_request.run.tools);
    }

    Work& m_work;
    const BenchRequest& m_request;
    BenchResult& m_result;
    Measurer m_measurer;
    Verdict m_checks; // of the script's own
};

} // namespace

BenchResult bench(const BenchRequest& asked) {
    BenchRequest request = asked;
    request.run.keep_calls = true;
    request.run.checks_bounds = false;
    Work work = work_for(cat("bench ", request.run.source.name), request.run.cancelled, request.run.fault);
    BenchResult result;
    guarded(work, [&] { Bench(work, request, result).run(); });
    finish(work, result);
    return result;
}

} // namespace hidet::session
