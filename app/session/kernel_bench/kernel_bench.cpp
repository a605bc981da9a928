// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/kernel_bench.h"

#include <algorithm>

#include "app/session/kernel_bench/attempt.h"
#include "app/session/kernel_bench/figures.h"
#include "app/session/kernel_bench/further.h"
#include "app/session/kernel_bench/saved_tensors.h"
#include "app/session/kernel_bench/script_checks.h"
#include "app/session/work/refusal.h"
#include "compiler/artifact/asked_gpu.h"
#include "compiler/ir/module_options.h"

namespace hidet::session {

namespace {

// Every size has as many parts as the next.
class BenchProgress {
public:
    BenchProgress(const KernelBenchRequest& request, std::size_t sizes)
        : m_report(request.progress),
          m_parts(1 + static_cast<double>(sizes) * (request.measure ? 4 : 2) + (request.figures ? 1 : 0)) {}
    void operator()(const std::string& text) {
        if (m_report)
            m_report({text, std::min(m_done / m_parts, 1.0)});
        ++m_done;
    }

private:
    const std::function<void(const KernelBenchProgress&)>& m_report;
    double m_parts;
    double m_done = 0;
};

std::string with_values(std::string call, const std::vector<Dimension>& dimensions) {
    for (const Dimension& dimension : dimensions) {
        std::string name = "{" + dimension.name + "}";
        for (std::size_t at = call.find(name); at != std::string::npos; at = call.find(name, at))
            call.replace(at, name.size(), cat(dimension.value));
    }
    return call;
}

int severity_of(VerdictKind kind) {
    switch (kind) {
    case VerdictKind::Correct: return 0;
    case VerdictKind::Unchecked: return 1;
    case VerdictKind::Invalid: return 2;
    case VerdictKind::Wrong: return 3;
    case VerdictKind::Failed: return 4;
    }
    return 0;
}

class KernelBench {
public:
    KernelBench(Work& work, KernelBenchRequest& request, KernelBenchResult& result)
        : m_work(work), m_request(request), m_result(result), m_progress(request, size_count(request)) {}

    void run() {
        m_result.script = m_request.run.source.name;
        const std::optional<artifact::TargetSpec> gpu = artifact::find_target(m_request.arch);
        if (!m_request.arch.empty() && !(gpu && gpu->is_cuda())) {
            report_wrong_usage(m_work, Diagnostic::make(DiagId::NoSuchArch, {}, m_request.arch));
            m_result.verdict = failure_of(m_work, 0);
            return;
        }
        if (has_sweep())
            sweep();
        else
            take(attempt(m_request.dimensions, ""));
        finish_figures();
    }

private:
    static std::size_t size_count(const KernelBenchRequest& request) {
        return request.vary && !request.vary->values.empty() ? request.vary->values.size() : 1;
    }
    bool has_sweep() const { return m_request.vary && !m_request.vary->values.empty(); }

    // The script's own tensors are wanted, or its own asserts.
    bool needs_run() const {
        bool from_script = std::any_of(m_request.arguments.begin(), m_request.arguments.end(),
                                       [](const ArgumentSpec& spec) { return spec.fill == Fill::FromScript; });
        bool nothing_chosen =
            m_request.arguments.empty() && m_request.dimensions.empty() && !has_sweep() && m_request.calls.empty();
        return from_script || nothing_chosen || m_request.reference.kind == ReferenceKind::ScriptChecks;
    }
    bool calls_vary() const {
        return has_sweep() && std::any_of(m_request.calls.begin(), m_request.calls.end(), [&](const std::string& call) {
                   return call.find("{" + m_request.vary->name + "}") != std::string::npos;
               });
    }

    // False: the reason is in the sink, and the verdict is set.
    bool prepare(const std::vector<Dimension>& dimensions) {
        if (m_script && !calls_vary())
            return m_callable.has_value();
        m_callable.reset();
        m_attempter.reset();
        m_script = std::make_unique<KernelBenchScript>(m_work, m_request.run);
        if (!m_script->engine().has_wanted_gpu() || !m_script->engine().may_replace())
            return false;
        std::vector<std::string> calls;
        for (const std::string& call : m_request.calls)
            calls.push_back(with_values(call, dimensions));
        bool runs = needs_run();
        int errors = m_work.sink.error_count();
        bool evaluated = m_script->evaluate(
            runs ? KernelBenchScript::Evaluate::Run : KernelBenchScript::Evaluate::Preview, calls, m_request.function);
        m_script_failed = m_work.sink.error_count() > errors;
        // Whatever ended the script, its function has been called: what it should show has not been shown.
        m_checks = verdict_of_checks(m_work, m_request.run.source, errors, VerdictKind::Wrong);
        m_failed_check = failed_check(m_work, m_script->engine(), errors);
        if (!evaluated || (m_script_failed && !runs))
            return false;
        m_callable = m_script->find(m_request.function, m_request.module);
        // A script that fails before it calls the function leaves nothing to try; after that its checks do not matter.
        if (!m_callable || (m_script_failed && !m_script->first_call(*m_callable))) {
            m_callable.reset();
            return false;
        }
        resolve_reference(runs);
        m_attempter = std::make_unique<Attempter>(m_work, m_request, *m_script);
        return true;
    }

    void resolve_reference(bool has_run) {
        Reference& reference = m_request.reference;
        if (reference.kind == ReferenceKind::None)
            return;
        const bool is_automatic = reference.kind == ReferenceKind::Automatic;
        // What ended the script need not be called again, nor has it results that anything could be compared with.
        const bool ended_in_call = has_run && m_script->failed_call(*m_callable);
        if (ended_in_call || (has_run && is_automatic && has_checks(m_request.run.source))) {
            reference.kind = ReferenceKind::ScriptChecks;
            return;
        }
        if (!is_automatic)
            return;
        const std::vector<std::string> names = references_of(*m_callable, *m_script);
        if (!names.empty() && is_reference_name(names.front()))
            reference = {ReferenceKind::ScriptFunction, names.front(), 0, std::nullopt};
    }

    Attempt attempt(const std::vector<Dimension>& dimensions, const std::string& at) {
        int errors = m_work.sink.error_count();
        if (!m_script || calls_vary())
            m_progress("running the script"); // its calls of kernels included
        Attempt out;
        if (!prepare(dimensions) || !knows_dimensions(dimensions)) {
            out.comparisons = m_failed_check;
            out.verdict = out.comparisons.empty() ? failure_of(m_work, errors) : m_checks;
            return out;
        }
        m_result.module = m_callable->number;
        m_result.function = m_callable->name;
        m_result.reference = m_attempter->reference();
        if (m_request.reference.kind == ReferenceKind::ScriptChecks && m_checks.kind == VerdictKind::Wrong) {
            out = m_attempter->of_script(*m_callable);
            out.verdict = m_checks;
            out.comparisons = m_failed_check;
            save_failed_call(out);
            return out;
        }
        out = m_attempter->run(*m_callable, dimensions, at, [&](const std::string& text) { m_progress(text); });
        if (int before = m_work.sink.error_count(); out.verdict.kind != VerdictKind::Failed) {
            m_script->engine().report_unknown_kernels();
            if (m_work.sink.error_count() > before)
                out.verdict = failure_of(m_work, before);
        }
        save_failed_call(out);
        if (out.verdict.kind == VerdictKind::Unchecked) {
            if (m_script_failed)
                out.comparisons = m_failed_check;
            if (m_script_failed || m_request.reference.kind == ReferenceKind::ScriptChecks)
                out.verdict = m_checks;
        }
        const bool is_right_so_far = out.verdict.kind == VerdictKind::Correct && m_request.measure &&
                                     m_request.reference.kind == ReferenceKind::ScriptChecks;
        if (is_right_so_far) {
            m_progress("correct so far, by the script's own checks; asking for more");
            ask_further(m_work, m_request, *m_script, *m_callable, out);
        }
        if (m_request.other)
            ask_other(m_work, m_request, *m_script, *m_callable, out);
        return out;
    }

    // Of the script, after which there was no call to repeat.
    void save_failed_call(Attempt& out) const {
        const ScriptEngine::KeptCall* call = m_script->failed_call(*m_callable);
        if (m_request.save.empty() || !call || !out.tensors.empty())
            return;
        const std::vector<compiler::ParameterAccess> assumed(call->args.size(), {.read = true, .written = true}),
            accesses = accesses_of(*m_callable).value_or(assumed);
        out.tensors = save_tensors(m_request.save, {*m_callable, accesses, call->args, {}, {}, {}});
        for (SavedTensor& tensor : out.tensors)
            tensor.is_before = call->module->executor.gpu() != nullptr;
        for (SavedTensor& tile : save_tiles(m_request.save, call->module->executor.tiles))
            out.tensors.push_back(std::move(tile));
    }

    // A value that nothing takes was meant for something.
    bool knows_dimensions(const std::vector<Dimension>& dimensions) {
        for (const Dimension& dimension : dimensions) {
            if (is_known(dimension.name))
                continue;
            return report_wrong_usage(m_work,
                                      Diagnostic::make(DiagId::TryNoDimension, m_callable->function->origin.span,
                                                       m_callable->name, dimension.name));
        }
        return true;
    }
    bool is_known(const std::string& name) const {
        for (const std::string& call : m_request.calls)
            if (call.find("{" + name + "}") != std::string::npos)
                return true;
        for (const ir::VarRef& param : m_callable->function->params) {
            ParameterView view = view_of(*param, {});
            auto axis = axis_of(name);
            if (axis && axis->parameter == view.name)
                return true;
            if ((view.name == name && view.kind == ParameterKind::Scalar) ||
                std::find(view.shape.begin(), view.shape.end(), name) != view.shape.end())
                return true;
        }
        return std::ranges::any_of(m_request.arguments, [&](const ArgumentSpec& spec) {
            return std::find(spec.shape.begin(), spec.shape.end(), name) != spec.shape.end();
        });
    }

    void sweep() {
        std::optional<Attempt> shown;
        Verdict worst{VerdictKind::Correct, ""};
        for (std::int64_t value : m_request.vary->values) {
            if (m_work.stopped())
                break;
            std::vector<Dimension> dimensions = m_request.dimensions;
            std::erase_if(dimensions, [&](const Dimension& known) { return known.name == m_request.vary->name; });
            dimensions.push_back({m_request.vary->name, value});
            Attempt made = attempt(dimensions, cat(" at ", m_request.vary->name, " = ", value));
            m_result.sweep.push_back(point_of(value, made));
            bool was_wrong = shown && severity_of(shown->verdict.kind) >= severity_of(VerdictKind::Wrong);
            if (m_result.sweep.size() == 1 || severity_of(made.verdict.kind) > severity_of(worst.kind))
                worst = made.verdict;
            if (!was_wrong)
                shown = std::move(made);
            if (m_work.status == Status::WrongUsage || (!m_callable && !calls_vary()))
                break;
        }
        if (!shown)
            return;
        take(std::move(*shown));
        m_result.verdict = worst;
        if (worst.kind == VerdictKind::Correct)
            m_result.verdict.sentence =
                cat("correct at all of ", m_result.sweep.size(), " sizes, against ", m_result.reference);
    }

    static SweepPoint point_of(std::int64_t value, const Attempt& made) {
        SweepPoint point;
        point.value = value;
        point.shapes = made.shapes;
        point.verdict = made.verdict;
        point.max_absolute = largest_error(made.comparisons);
        for (const Comparison& comparison : made.comparisons)
            point.bad += comparison.bad;
        point.measured = made.measured;
        point.unavailable = made.unmeasured;
        return point;
    }

    void take(Attempt made) {
        m_result.verdict = std::move(made.verdict);
        m_result.shapes = std::move(made.shapes);
        m_result.where = std::move(made.where);
        m_result.other_size = std::move(made.other_size);
        m_result.comparisons = std::move(made.comparisons);
        m_result.tensors = std::move(made.tensors);
        m_result.measured = std::move(made.measured);
        if (m_result.measured)
            m_result.measured->verdict = m_result.verdict;
        m_launches = std::move(made.launches);
        m_gpu_arch = std::move(made.gpu_arch);
        if (!m_result.measured)
            return;
        const BenchRow& row = *m_result.measured;
        m_result.roofline = roofline_of(row);
        if (row.times.median <= 0)
            return;
        m_result.bytes_per_second = row.bytes / row.times.median;
        if (row.flops)
            m_result.flops_per_second = *row.flops / row.times.median;
    }

    void finish_figures() {
        if (m_script)
            m_result.summary = m_script->engine().summary();
        if (!m_callable || !m_request.figures || m_work.stopped())
            return;
        m_progress("compiling for the figures of the kernels");
        const std::string arch = !m_request.arch.empty() ? m_request.arch : m_gpu_arch;
        artifact::TargetSpec target = artifact::find_target(arch).value_or(artifact::default_gpu());
        if (m_request.arch.empty())
            target = artifact::asked_gpu(ir::options_of(*m_callable->module).gpu, target).value_or(target);
        Callable ran = *m_callable;
        ran.module = m_script->engine().origin_of(ran.module);
        m_result.kernels = figures_of(m_work, m_request.run, ran, target, m_launches);
    }

    Work& m_work;
    KernelBenchRequest& m_request;
    KernelBenchResult& m_result;
    BenchProgress m_progress;
    std::unique_ptr<KernelBenchScript> m_script;
    std::optional<Callable> m_callable;
    std::unique_ptr<Attempter> m_attempter;
    std::vector<KernelLaunch> m_launches;
    std::string m_gpu_arch;
    bool m_script_failed = false;
    Verdict m_checks; // of the script's own
    std::vector<Comparison> m_failed_check;
};

} // namespace

KernelBenchResult bench_kernel(const KernelBenchRequest& asked) {
    KernelBenchRequest request = asked;
    request.run.keep_calls = true;
    Work work = work_for(cat("bench ", request.run.source.name, " --seed ", request.run.seed), request.run.cancelled,
                         request.run.fault);
    KernelBenchResult result;
    guarded(work, [&] { KernelBench(work, request, result).run(); });
    if (work.sink.has_errors() && result.verdict.sentence.empty())
        result.verdict = failure_of(work, 0);
    finish(work, result);
    return result;
}

} // namespace hidet::session
