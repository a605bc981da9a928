// SPDX-License-Identifier: Apache-2.0
#include "app/session/bench.h"

#include <algorithm>
#include <cmath>

#include "app/session/bench_gpu.h"
#include "app/session/engine.h"
#include "app/session/load.h"
#include "app/session/peers/peer.h"
#include "app/session/refusal.h"
#include "app/session/script_run.h"
#include "compiler/analysis/work.h"
#include "compiler/transform/pass.h"
#include "lang/base/check.h"
#include "runtime/bench/cpu_peaks.h"
#include "runtime/bench/statistics.h"

namespace hidet::session {

namespace {

TimesView view_of(const bench::Times& times) {
    return {times.median, times.p10, times.p90, times.count, times.spread(), times.samples};
}

std::string shapes_of(const std::vector<lang::CallArgument>& args) {
    std::vector<std::string> out;
    for (const lang::CallArgument& arg : args) {
        const auto* tensor = std::get_if<lang::TensorRef>(&arg.value);
        if (!tensor || !*tensor)
            continue;
        std::vector<std::string> extents;
        for (std::int64_t extent : (*tensor)->shape)
            extents.push_back(cat(extent));
        out.push_back(cat(ir::info((*tensor)->dtype).short_name, "[", join(extents, ", "), "]"));
    }
    return join(out, ", ");
}

// What is known of a call's scalars before it is made.
compiler::KnownValues known_values(const ir::Function& function, const std::vector<lang::CallArgument>& args) {
    compiler::KnownValues known;
    for (std::size_t i = 0; i < args.size() && i < function.params.size(); ++i)
        if (const auto* integer = std::get_if<std::int64_t>(&args[i].value))
            known[function.params[i].get()] = *integer;
    return known;
}

void count(const ScriptEngine::KeptCall& call, BenchRow& row) {
    DiagnosticSink ignored;
    ir::ModuleRef module = compiler::lower(call.module->script, {}, ignored);
    const ir::Function* function = module ? ir::find_function(*module, call.function) : nullptr;
    if (!function) {
        row.flops_unknown = "the function is not part of the lowered module";
        return;
    }
    compiler::WorkCount work = compiler::count_work(*function, *module, known_values(*function, call.args));
    row.flops_unknown = work.unknown;
    row.flops_at_most = work.is_upper_bound;
    row.uses_matrix_units = work.matrix_flops > work.flops;
    row.matrix_type = work.matrix_type;
    if (work.unknown.empty())
        row.flops = row.uses_matrix_units ? work.matrix_flops : work.flops;
    auto accesses = compiler::parameter_accesses(*function, *module);
    for (std::size_t i = 0; i < call.args.size() && i < accesses.size(); ++i) {
        const auto* tensor = std::get_if<lang::TensorRef>(&call.args[i].value);
        if (!tensor || !*tensor)
            continue;
        double bytes = static_cast<double>((*tensor)->count()) * ir::bytes_of((*tensor)->dtype);
        row.bytes += bytes * ((accesses[i].read ? 1 : 0) + (accesses[i].written ? 1 : 0));
    }
}

void place_under_roof(BenchRow& row) {
    if (row.peak_bytes_per_second <= 0 || row.times.median <= 0)
        return;
    double memory = row.bytes / row.peak_bytes_per_second;
    double arithmetic = row.flops && row.peak_flops > 0 ? *row.flops / row.peak_flops : 0;
    row.is_memory_bound = memory >= arithmetic;
    row.roofline = std::max(memory, arithmetic) / row.times.median;
}

class Bench {
public:
    Bench(Work& work, const BenchRequest& request, BenchResult& result)
        : m_work(work), m_request(request), m_result(result) {}

    void run() {
        ScriptEngine engine(m_work, m_request.run);
        if (m_request.run.target == Target::Cuda && !engine.has_cuda()) {
            m_work.status = Status::Environment;
            return m_work.sink.report(DiagId::NoGpu, {},
                                      engine.gpu_error() ? engine.gpu_error()->message : "there is none");
        }
        run_script(m_work, m_request.run, engine);
        if (m_work.sink.has_errors())
            return;
        if (engine.kept_calls().empty())
            return m_work.sink.report(DiagId::NothingToMeasure, {}, m_request.run.source.name);
        if (!m_request.other)
            return measure_all(engine, nullptr);
        RunRequest other = m_request.run;
        other.source = *m_request.other;
        ScriptEngine peers(m_work, other);
        run_script(m_work, other, peers);
        if (m_work.sink.has_errors())
            return;
        if (peers.kept_calls().size() != engine.kept_calls().size())
            return m_work.sink.report(DiagId::PeersDiffer, {}, m_request.run.source.name, other.source.name,
                                      engine.kept_calls().size(), peers.kept_calls().size());
        measure_all(engine, &peers);
    }

private:
    void measure_all(ScriptEngine& engine, ScriptEngine* peers) {
        for (std::size_t i = 0; i < engine.kept_calls().size() && !m_work.stopped(); ++i)
            measure_one(engine.kept_calls()[i], peers ? &peers->kept_calls()[i] : nullptr);
    }

    void measure_one(const ScriptEngine::KeptCall& call, const ScriptEngine::KeptCall* other) {
        m_work.enter("measuring '" + call.function + "'");
        BenchRow row;
        row.function = call.function;
        row.shapes = shapes_of(call.args);
        row.where = call.module->executor.name();
        row.site = place_of(call.site, m_work.sources);
        count(call, row);
        std::unique_ptr<Repeat> mine = prepared(call);
        std::unique_ptr<Peer> peer = peer_of(call, other, *mine, row);
        if (m_work.sink.has_errors())
            return;
        Result<void> measured =
            mine->on_gpu() ? measure_on_gpu(*mine->on_gpu(), peer.get(), row) : measure_here(*mine, peer.get(), row);
        if (!measured)
            return report_failure(m_work, m_work.sink, measured.error(), call.function, call.site);
        place_under_roof(row);
        m_result.rows.push_back(std::move(row));
    }

    Result<void> measure_here(Repeat& mine, Peer* peer, BenchRow& row) {
        std::optional<Error> failure;
        auto keep = [&](const Result<void>& result) {
            if (!result && !failure)
                failure = result.error();
        };
        auto stop = [&] { return m_work.stopped() || failure; };
        auto once = [&] { keep(mine.once()); };
        if (peer) {
            auto peers_turn = [&] { keep(peer->once()); };
            bench::Pair pair = bench::measure_in_turns(once, peers_turn, {}, stop);
            row.times = view_of(pair.first);
            row.peer_times = view_of(pair.second);
            row.peer_difference = peer->difference();
        } else {
            row.times = view_of(bench::measure(once, {}, stop));
        }
        if (failure)
            return *failure;
        if (m_request.run.target == Target::Emulate)
            return {};
        if (!m_peaks) {
            m_work.enter("measuring what this machine can do");
            cpu::ThreadPool pool;
            m_peaks = bench::measure_cpu_peaks(pool);
        }
        row.peak_flops = m_peaks->f32_flops;
        row.peak_bytes_per_second = m_peaks->bytes_per_second;
        return {};
    }

    static std::unique_ptr<Repeat> prepared(const ScriptEngine::KeptCall& call) {
        return call.module->executor.prepare(*call.module, {call.function, call.args, call.site});
    }

    std::unique_ptr<Peer> peer_of(const ScriptEngine::KeptCall& call, const ScriptEngine::KeptCall* other, Repeat& mine,
                                  BenchRow& row) {
        if (other) {
            row.peer = m_request.other->name;
            return make_script_peer(prepared(*other), call.args, other->args);
        }
        if (m_request.against.empty())
            return nullptr;
        Result<std::unique_ptr<Peer>> peer =
            make_library_peer(m_request.against, call.args, mine.on_gpu(), *m_request.run.tools);
        if (!peer) {
            report_environment(m_work, m_work.sink, peer.error(), call.site);
            return nullptr;
        }
        row.peer = peer.value()->name();
        return std::move(peer).value();
    }

    Work& m_work;
    const BenchRequest& m_request;
    BenchResult& m_result;
    std::optional<bench::CpuPeaks> m_peaks;
};

} // namespace

BenchResult bench(const BenchRequest& asked) {
    BenchRequest request = asked;
    request.run.keep_calls = true;
    Work work;
    work.cancelled = request.run.cancelled;
    work.fault = request.run.fault;
    work.options = cat("bench ", request.run.source.name);
    BenchResult result;
    guarded(work, [&] { Bench(work, request, result).run(); });
    finish(work, result);
    return result;
}

} // namespace hidet::session
