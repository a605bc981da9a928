// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/attempt.h"

#include <algorithm>
#include <utility>

#include "app/session/compare/compare.h"
#include "app/session/execute/gpu_repeat.h"
#include "app/session/kernel_bench/other_memory.h"
#include "app/session/kernel_bench/owners.h"
#include "app/session/kernel_bench/saved_tensors.h"
#include "app/session/kernel_bench/script_checks.h"
#include "app/session/request/unchecked.h"
#include "app/session/work/refusal.h"
#include "lang/base/quantity.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

using Accesses = std::vector<compiler::ParameterAccess>;

namespace {

std::unique_ptr<Repeat> prepared(const ScriptEngine::KeptCall& call) {
    return call.module->executor.prepare(*call.module, {call.function, call.args, call.site, call.symbols});
}

std::string gpu_arch_of(Repeat& repeat) {
    GpuRepeat* gpu = repeat.on_gpu();
    return gpu ? artifact::architecture_name(gpu->gpu().device().spec.arch) : "";
}

std::string error_text(const std::vector<Comparison>& comparisons) {
    double ulp = 0;
    for (const Comparison& comparison : comparisons)
        ulp = std::max(ulp, comparison.max_ulp.value_or(0));
    const std::optional<double> absolute = largest_error(comparisons);
    if (!absolute)
        return "without a finite number in it";
    return *absolute == 0 ? "the same in every bit that counts"
                          : cat("largest error ", number_text(*absolute), ", ", number_text(ulp), " ULP");
}

bool have_elements(const std::vector<Comparison>& comparisons) {
    return std::any_of(comparisons.begin(), comparisons.end(),
                       [](const Comparison& each) { return each.count > 0 || !each.refusal.empty(); });
}

// Whether a function that only writes zeros would pass.
bool zeros_pass(const std::vector<Comparison>& comparisons, const std::vector<lang::TensorRef>& wanted) {
    bool are_some = false;
    auto comparison = comparisons.begin();
    for (const lang::TensorRef& tensor : wanted) {
        if (!tensor)
            continue;
        for (std::int64_t i = 0; i < tensor->count(); ++i) {
            const double value = lang::element_double(*tensor, i);
            if (is_wrong(*comparison, 0, value))
                return false;
            are_some |= value != 0;
        }
        ++comparison;
    }
    return are_some;
}

// A processor's clock, and so what it can do, is higher at times than when it was measured.
bool is_faster_than_possible(const BenchRow& row) {
    if (row.is_emulated || !row.flops || row.flops_at_most || row.peak_flops <= 0)
        return false;
    const bool is_measured = std::ranges::any_of(row.roofs, &Roof::measured);
    return *row.flops / row.times.median > row.peak_flops * (is_measured ? 1.5 : 1.1);
}

std::string in_brackets(const RunRequest& run) {
    const std::string missed = not_looked_for(run);
    return missed.empty() ? "" : cat(" (the emulator does not look for ", missed, ")");
}

// Of a run that nothing was compared with: what it shows all the same.
std::string unchecked_text(const Attempt& made, const RunRequest& run) {
    if (!made.is_emulated)
        return "not checked: it ran, and there is nothing to compare with";
    return cat("not checked: emulated without findings, and there is nothing to compare with", in_brackets(run));
}

} // namespace

Attempt Attempter::run(const Callable& callable, const std::vector<Dimension>& dimensions, const std::string& at,
                       const std::function<void(const std::string&)>& progress) {
    Attempt out;
    int errors = m_work.sink.error_count();
    progress(cat("calling '", callable.name, "'", at));
    std::optional<Accesses> accesses = accesses_of(callable);
    Accesses assumed(callable.function->params.size(), {.read = true, .written = true});
    ArgumentPlan plan{
        callable,        accesses ? *accesses : assumed, m_request.arguments, dimensions, m_script.first_call(callable),
        m_script.name(), m_request.run.source.folder,    m_request.run.seed};
    m_work.enter("making the arguments");
    std::optional<Arguments> args = make_arguments(m_work, plan);
    if (args)
        out.shapes = arguments_text(*args);
    Ref<Executable> module = args ? m_script.build(callable) : nullptr;
    if (!module) {
        out.verdict = failure_of(m_work, errors);
        return out;
    }
    out.where = module->executor.name();
    out.is_emulated = module->executor.emulates();
    const bool is_compiled = !out.is_emulated && !module->executor.gpu();
    Arguments after = copy_of(*args, is_compiled ? guarded_storage : plain_storage);
    poison(after, plan.accesses);
    bool fine = m_script.call(*module, callable, after);
    out.launches = module->executor.launches;
    m_tiles = module->executor.tiles; // the reference may be emulated too
    m_owners.clear();
    if (!fine || m_work.stopped()) {
        out.verdict = failure_of(m_work, errors);
        m_expected = {};
        if (m_request.save.empty() || m_work.stopped())
            return out;
        // What a GPU held is lost with the kernel that failed.
        const bool is_before = module->executor.gpu() != nullptr;
        out.tensors = saved(out, callable, plan.accesses, is_before ? *args : after);
        for (SavedTensor& tensor : out.tensors)
            tensor.is_before = is_before;
        return out;
    }
    if (is_compiled && writes_outside(out, callable, after))
        return out;
    ScriptEngine::KeptCall call{module, callable.callee, after, callable.site};
    m_row = m_measurer.described(call);
    m_row.function = callable.name;
    m_row.shapes = out.shapes;
    out.gpu_arch = gpu_arch_of(*prepared(call));
    progress(cat("checking '", callable.name, "'", at));
    check(out, callable, plan.accesses, *args, after, at);
    if (out.verdict.kind == VerdictKind::Wrong && out.is_emulated)
        find_owners(out, callable, *module, *args, plan.accesses, after);
    if (!m_request.save.empty()) // before it is called again and again
        out.tensors = saved(out, callable, plan.accesses, after);
    const bool is_wrong_beside = m_request.other && out.verdict.kind == VerdictKind::Wrong; // no time of it counts
    if (out.verdict.kind == VerdictKind::Failed || m_work.stopped() || is_wrong_beside)
        return out;
    if (!m_request.measure)
        return out;
    progress(cat("measuring '", callable.name, "'", at));
    std::unique_ptr<Repeat> repeat = prepared(call); // now, for the reference may set dimensions of the same names
    measure(out, callable, *module, *repeat, after);
    check_again(out, callable, plan.accesses, after);
    if (may_be_wrong(out))
        progress(cat("correct so far, in ", time_text(out.measured->times.median), "; asking '", callable.name,
                     "' more", at));
    ask_more(out, *module, plan, *args, after, at);
    conclude(out, callable);
    return out;
}

void Attempter::ask_more(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& asked,
                         const Arguments& after, const std::string& at) {
    Work::Clock clock(m_work, "further rounds");
    check_own_results(out, module, plan, asked, after);
    check_other_inputs(out, module, plan, after);
    check_special(out, module, plan, after);
    check_not_finite(out, module, plan, after);
    if (at.empty()) // else others are asked for
        check_other_size(out, module, plan, asked);
}

void Attempter::conclude(Attempt& out, const Callable& callable) {
    if (out.verdict.kind == VerdictKind::Correct && out.measured && is_faster_than_possible(*out.measured))
        call_invalid(
            out, callable,
            cat("it does more operations a second than ", out.where, " can; its time, or their number, is wrong"));
    judge_clocks(out, callable);
    if (out.verdict.kind == VerdictKind::Correct)
        for (const std::string& remark : out.remarks)
            out.verdict.sentence += "; " + remark;
}

Agreement Attempter::look_further(Attempt& out, const Callable& callable, Difference difference) {
    const std::optional<Accesses> accesses = accesses_of(callable);
    if (!accesses)
        return Agreement::Unknown;
    const ArgumentPlan plan{callable,
                            *accesses,
                            m_request.arguments,
                            m_request.dimensions,
                            m_script.first_call(callable),
                            m_script.name(),
                            m_request.run.source.folder,
                            m_request.run.seed};
    m_work.enter("looking for what the script says of its results");
    DiagnosticSink kept = std::exchange(m_work.sink, {});
    const Status status = m_work.status;
    const std::optional<Arguments> args = make_arguments(m_work, plan);
    const Ref<Executable> module = args ? m_script.build(callable) : nullptr;
    Attempt first;
    std::optional<Arguments> after;
    if (module) {
        after = copy_of(*args);
        poison(*after, *accesses);
        m_expected = m_reference.expect(callable, *accesses, *args);
        if (m_expected.ok && !m_expected.calls_it && !m_expected.is_itself &&
            m_script.call(*module, callable, *after)) {
            m_row = m_measurer.described({module, callable.callee, *after, callable.site});
            compare_all(first, callable, m_expected, *after, {});
        }
    }
    m_work.sink = std::move(kept), m_work.status = status;
    if (!have_elements(first.comparisons))
        return Agreement::Unknown;
    const bool differs = first_wrong(first.comparisons) != nullptr;
    if (differs && difference == Difference::IsIgnored)
        return Agreement::Differs;
    if (out.verdict.kind == VerdictKind::Unchecked) {
        out.comparisons = std::move(first.comparisons);
        judge(out, callable, "");
    }
    if (differs)
        return Agreement::Differs;
    ask_more(out, *module, plan, *args, *after, "");
    return Agreement::Agrees;
}

// What slows a GPU down says nothing of results, but leaves nothing of a time.
void Attempter::judge_clocks(Attempt& out, const Callable& callable) {
    const std::string why =
        out.measured && out.measured->clocks ? bench::slowdown_text(*out.measured->clocks) : std::string();
    if (why.empty() || out.verdict.kind != VerdictKind::Correct)
        return;
    if (!m_request.against.empty() || m_request.other)
        return call_invalid(out, callable, cat("beside its baseline, ", out.where, " did not run as it can: ", why));
    out.remarks.push_back(cat("its time is worth nothing, ", why));
}

std::vector<SavedTensor> Attempter::saved(const Attempt& out, const Callable& callable, const Accesses& accesses,
                                          const Arguments& after) const {
    std::vector<SavedTensor> all =
        save_tensors(m_request.save, {callable, accesses, after, m_expected.tensors, out.comparisons, m_owners});
    for (SavedTensor& tile : save_tiles(m_request.save, m_tiles))
        all.push_back(std::move(tile));
    return all;
}

bool Attempter::writes_outside(Attempt& out, const Callable& callable, const Arguments& guarded) {
    const std::optional<WriteOutside> write = write_outside(guarded);
    if (!write)
        return false;
    const std::string& name = callable.function->params[write->argument]->name;
    out.verdict = {VerdictKind::Wrong, "wrong: " + describe(*write, name)};
    m_work.sink.report(DiagId::TryOutside, callable.function->origin.span, callable.name, write->byte, name,
                       write->bytes);
    return true;
}

// The call is made once more, since following each store takes time.
void Attempter::find_owners(Attempt& out, const Callable& callable, Executable& module, const Arguments& before,
                            const Accesses& accesses, const Arguments& after) {
    m_work.enter("finding who wrote what is wrong");
    Arguments again = copy_of(before);
    poison(again, accesses);
    module.executor.finds_owners = true;
    const bool fine = m_script.call(module, callable, again);
    module.executor.finds_owners = false;
    if (!fine)
        return;
    m_owners = std::move(module.executor.owners);
    for (Comparison& comparison : out.comparisons)
        for (std::size_t i = 0; i < after.size() && i < m_owners.size(); ++i) {
            const lang::TensorRef got = tensor_in(after[i]), wanted = m_expected.tensors[i];
            if (!m_owners[i] || !got || !wanted || comparison.bad == 0 || wanted->count() != got->count() ||
                callable.function->params[i]->name != comparison.tensor)
                continue;
            comparison.owners = wrong_owners(*m_owners[i], got->shape, [&](std::int64_t element) {
                return is_wrong(comparison, lang::element_double(*got, element),
                                lang::element_double(*wanted, element));
            });
        }
}

Attempt Attempter::of_script(const Callable& callable) const {
    Attempt out;
    const KernelBenchScript::LastCall* call = m_script.last_call(callable);
    const ScriptArguments* args = m_script.first_call(callable);
    if (!call || !args)
        return out;
    out.shapes = arguments_text(args->args);
    out.where = call->module->executor.name();
    out.is_emulated = call->module->executor.emulates();
    out.launches = call->launches;
    return out;
}

void Attempter::check(Attempt& out, const Callable& callable, const Accesses& accesses, const Arguments& before,
                      const Arguments& after, const std::string& at) {
    ReferenceKind kind = m_request.reference.kind;
    if (kind == ReferenceKind::None || kind == ReferenceKind::ScriptChecks) {
        out.verdict = {VerdictKind::Unchecked, unchecked_text(out, m_request.run)};
        return;
    }
    int errors = m_work.sink.error_count();
    if (kind == ReferenceKind::Automatic && (out.is_emulated || !takes_little(out, m_row))) {
        out.verdict = {VerdictKind::Unchecked, unchecked_text(out, m_request.run)};
        return;
    }
    m_expected = m_reference.expect(callable, accesses, before);
    if (!m_expected.ok) {
        out.verdict = failure_of(m_work, errors);
        if (!m_work.stopped())
            out.verdict.sentence = "the reference " + out.verdict.sentence;
        return;
    }
    if (m_expected.is_itself) {
        out.verdict = {VerdictKind::Unchecked, "not checked: the reference is the same function"};
        return;
    }
    if (m_expected.calls_it)
        return call_invalid(out, callable, "the reference calls it");
    compare_all(out, callable, m_expected, after, {});
    judge(out, callable, at);
}

void Attempter::compare_all(Attempt& out, const Callable& callable, const Expected& expected, const Arguments& after,
                            const Round& round) const {
    Accesses written(after.size());
    for (std::size_t i = 0; i < after.size(); ++i)
        written[i].written = expected.tensors[i] != nullptr;
    Expectation expectation = expectation_of(m_row, callable.module, after, written);
    expectation.tolerance = m_request.tolerance;
    const bool is_as_coarse = m_request.reference.kind == ReferenceKind::Variant; // as the function itself
    expectation.widened = round.widened * (is_as_coarse ? 2 : 1);
    expectation.finite_only = round.finite_only;
    out.comparisons.clear();
    for (std::size_t i = 0; i < after.size(); ++i)
        if (lang::TensorRef got = tensor_in(after[i]); got && expected.tensors[i])
            out.comparisons.push_back(
                compare(callable.function->params[i]->name, *got, *expected.tensors[i], expectation));
}

void Attempter::call_invalid(Attempt& out, const Callable& callable, const std::string& why) {
    out.verdict = {VerdictKind::Invalid, "invalid: " + why};
    m_work.sink.report(DiagId::TryInvalid, callable.function->origin.span, callable.name, why);
}

void Attempter::judge(Attempt& out, const Callable& callable, const std::string& at) {
    std::string reference = m_reference.name();
    if (out.comparisons.empty()) {
        out.verdict = {VerdictKind::Unchecked, "not checked: it writes no tensor"};
        return;
    }
    if (!have_elements(out.comparisons)) {
        out.verdict = {VerdictKind::Unchecked, "not checked: what it writes has no elements"};
        out.comparisons.clear();
        return;
    }
    bool order_only = m_request.reference.kind == ReferenceKind::Emulator && out.is_emulated;
    if (const Comparison* wrong = first_wrong(out.comparisons)) {
        std::string what = describe(*wrong);
        out.verdict = {VerdictKind::Wrong, cat("wrong", at, ": ", what)};
        if (order_only)
            out.verdict.sentence += ", in another order of warps";
        m_work.sink.report(DiagId::TryWrong, callable.function->origin.span, callable.name,
                           order_only ? "itself in another order of warps" : reference, what + at);
        return;
    }
    if (m_request.tolerance.absolute && zeros_pass(out.comparisons, m_expected.tensors))
        return call_invalid(out, callable, "the tolerance is so wide that zeros would be right as well");
    if (!order_only) {
        out.verdict = {VerdictKind::Correct, cat("correct: agrees with ", reference, ", ", error_text(out.comparisons),
                                                 out.is_emulated        ? in_brackets(m_request.run)
                                                 : out.gpu_arch.empty() ? ""
                                                                        : cat(" (not checked: ", not_emulated, ")"))};
        return;
    }
    // The emulator agrees with itself, which is no error of zero.
    out.verdict = {VerdictKind::Unchecked,
                   cat("not checked: emulated without findings, with the same result in another order of warps",
                       in_brackets(m_request.run))};
    out.comparisons.clear();
}

// Tensors of its own, so that results can be compared; where those of the call lie on pages, so do these: how addresses of two
// tensors differ decides how fast a processor reads one beside what it writes to the other.
static Arguments for_baseline(const Arguments& args, Repeat& mine) {
    return copy_of(args, mine.on_gpu() ? plain_storage : guarded_storage);
}

Result<std::unique_ptr<Baseline>> Attempter::baseline_of(const Callable& callable, Executable& module, Repeat& repeat,
                                                         const Arguments& args) {
    if (m_request.other)
        return other_baseline(callable, args, repeat);
    if (m_request.against != generated_baseline)
        return make_library_baseline(m_request.against, args, repeat.on_gpu(), *m_request.run.tools);
    Arguments theirs = for_baseline(args, repeat);
    if (!module.generated)
        return Error{"baseline-does-not-fit", cat("no kernel of '", callable.name,
                                                  "' is replaced, so that it is measured "
                                                  "beside the generated one: '--replace' says by what")};
    std::unique_ptr<Repeat> generated =
        module.executor.prepare(*module.generated, {callable.callee, theirs, callable.site});
    return make_script_baseline(std::move(generated), args, std::move(theirs));
}

Result<std::unique_ptr<Baseline>> Attempter::other_baseline(const Callable& callable, const Arguments& args,
                                                            Repeat& mine) {
    if (!m_other) {
        KernelBenchRequest& asked = m_other_request.emplace(m_request);
        asked.reference = *m_request.other;
        m_other = std::make_unique<ReferenceRunner>(m_work, asked, m_script);
    }
    Arguments theirs = for_baseline(args, mine);
    std::unique_ptr<Repeat> repeat = m_other->prepared_variant(callable, theirs);
    if (!repeat)
        return Error{"baseline-does-not-fit", cat("'", m_request.other->script->name, "' has nothing that takes what '",
                                                  callable.name, "' takes")};
    return make_script_baseline(std::move(repeat), args, std::move(theirs));
}

void Attempter::measure(Attempt& out, const Callable& callable, Executable& module, Repeat& repeat,
                        const Arguments& args) {
    m_work.enter("measuring '" + callable.name + "'");
    Work::Clock clock(m_work, "measure");
    BenchRow row = m_row;
    std::unique_ptr<Baseline> baseline;
    if (!m_request.against.empty() || m_request.other) {
        Result<std::unique_ptr<Baseline>> made = baseline_of(callable, module, repeat, args);
        if (!made) {
            out.unmeasured = made.error().message;
            return report_environment(m_work, m_work.sink, made.error(), callable.site);
        }
        baseline = std::move(made).value();
        row.baseline = m_request.other                           ? m_request.other->script->name
                       : m_request.against == generated_baseline ? "the generated kernel"
                                                                 : baseline->name();
    }
    const auto anew = [&]() -> Result<Sides> {
        Sides sides;
        const Arguments own = for_baseline(args, repeat);
        sides.mine = module.executor.prepare(module, {callable.callee, own, callable.site});
        HIDET_TRY(sides.baseline, baseline_of(callable, module, *sides.mine, own));
        return sides;
    };
    if (Result<void> measured = m_measurer.measure(repeat, baseline.get(), anew, row); !measured) {
        out.unmeasured = measured.error().message;
        return report_failure(m_work, m_work.sink, measured.error(), callable.name, callable.site);
    }
    if (row.times.count > 0)
        out.measured = std::move(row);
    else
        out.unmeasured = "stopped";
}

} // namespace hidet::session
