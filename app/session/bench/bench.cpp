// SPDX-License-Identifier: Apache-2.0
#include "app/session/bench/bench.h"

#include <algorithm>

#include "app/session/baselines/baseline.h"
#include "app/session/bench/measure.h"
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
        ScriptEngine engine(m_work, m_request.run);
        if (!engine.has_wanted_gpu() || !may_measure_rows(engine))
            return;
        run_script(m_work, m_request.run, engine);
        if (m_work.sink.has_errors())
            return;
        if (engine.kept_calls().empty())
            return m_work.sink.report(DiagId::NothingToMeasure, {}, m_request.run.source.name);
        if (!makes_launches(engine))
            return;
        if (!m_request.other)
            return measure_all(engine, nullptr);
        RunRequest other = m_request.run;
        other.source = *m_request.other;
        ScriptEngine baselines(m_work, other);
        run_script(m_work, other, baselines);
        if (m_work.sink.has_errors())
            return;
        if (baselines.kept_calls().size() != engine.kept_calls().size())
            return m_work.sink.report(DiagId::BaselinesDiffer, {}, m_request.run.source.name, other.source.name,
                                      engine.kept_calls().size(), baselines.kept_calls().size());
        measure_all(engine, &baselines);
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

    void measure_all(ScriptEngine& engine, ScriptEngine* baselines) {
        for (std::size_t i = 0; i < engine.kept_calls().size() && !m_work.stopped(); ++i)
            measure_one(engine.kept_calls()[i], baselines ? &baselines->kept_calls()[i] : nullptr);
    }

    void measure_one(const ScriptEngine::KeptCall& call, const ScriptEngine::KeptCall* other) {
        m_work.enter("measuring '" + call.function + "'");
        BenchRow row = m_measurer.described(call);
        std::unique_ptr<Repeat> mine = prepared(call);
        std::unique_ptr<Baseline> baseline = baseline_of(call, other, *mine, row);
        if (m_work.sink.has_errors())
            return;
        Result<void> measured = m_measurer.measure(*mine, baseline.get(), row);
        if (measured && m_request.in_a_row > 0)
            measured = Measurer::measure_row(*mine, baseline.get(), m_request.in_a_row, row);
        if (!measured)
            return report_failure(m_work, m_work.sink, measured.error(), call.function, call.site);
        m_result.rows.push_back(std::move(row));
    }

    static std::unique_ptr<Repeat> prepared(const ScriptEngine::KeptCall& call) {
        return call.module->executor.prepare(*call.module, {call.function, call.args, call.site, call.symbols});
    }

    std::unique_ptr<Baseline> baseline_of(const ScriptEngine::KeptCall& call, const ScriptEngine::KeptCall* other,
                                          Repeat& mine, BenchRow& row) {
        if (other) {
            row.baseline = m_request.other->name;
            return make_script_baseline(prepared(*other), call.args, other->args);
        }
        if (m_request.against.empty())
            return nullptr;
        Result<std::unique_ptr<Baseline>> baseline =
            make_library_baseline(m_request.against, call.args, mine.on_gpu(), *m_request.run.tools);
        if (!baseline) {
            report_environment(m_work, m_work.sink, baseline.error(), call.site);
            return nullptr;
        }
        row.baseline = baseline.value()->name();
        return std::move(baseline).value();
    }

    Work& m_work;
    const BenchRequest& m_request;
    BenchResult& m_result;
    Measurer m_measurer;
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

std::string where_measured(const std::string& where, bool is_emulated) {
    return is_emulated ? "the emulator (not GPU time)" : where;
}

} // namespace hidet::session
