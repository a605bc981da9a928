// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/attempt.h"

#include <algorithm>

#include "app/session/execute/gpu_repeat.h"
#include "app/session/kernel_bench/compare.h"
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

// What a script left uninitialised shows where it stays so.
void poison(const Arguments& args, const Accesses& accesses) {
    for (std::size_t i = 0; i < args.size(); ++i)
        if (lang::TensorRef tensor = tensor_in(args[i]);
            tensor && tensor->storage->uninitialised && accesses[i].written && !accesses[i].read)
            fill_with_pattern(*tensor);
}

const Comparison* first_wrong(const std::vector<Comparison>& comparisons) {
    for (const Comparison& comparison : comparisons)
        if (!comparison.refusal.empty() || comparison.bad > 0)
            return &comparison;
    return nullptr;
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

constexpr std::int64_t most_other_size = 1 << 20; // of a dimension, which is tried twice as large

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

// Of an element, about: every multiply-add counts two operations.
double sum_length(const BenchRow& row, const Arguments& args, const Accesses& accesses) {
    double written = 0, longest = 1;
    for (std::size_t i = 0; i < args.size(); ++i) {
        lang::TensorRef tensor = tensor_in(args[i]);
        if (!tensor)
            continue;
        if (accesses[i].written)
            written += static_cast<double>(tensor->count());
        for (std::int64_t extent : tensor->shape)
            longest = std::max(longest, static_cast<double>(extent));
    }
    return row.flops && written > 0 ? std::max(1.0, *row.flops / 2 / written) : longest;
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
    if (out.verdict.kind == VerdictKind::Failed || m_work.stopped())
        return out;
    if (!m_request.measure)
        return out;
    progress(cat("measuring '", callable.name, "'", at));
    std::unique_ptr<Repeat> repeat = prepared(call); // now, for the reference may set dimensions of the same names
    measure(out, callable, *module, *repeat, after);
    check_again(out, callable, plan.accesses, after);
    check_own_results(out, *module, plan, *args, after);
    check_others(out, *module, plan, after, "with other inputs", DiagId::TryOtherInputs);
    check_special(out, *module, plan, after);
    if (at.empty()) // else others are asked for
        check_other_size(out, *module, plan);
    if (out.verdict.kind == VerdictKind::Correct && out.measured && is_faster_than_possible(*out.measured))
        call_invalid(
            out, callable,
            cat("it does more operations a second than ", out.where, " can; its time, or their number, is wrong"));
    return out;
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
    for (std::size_t i = 0; i < guarded.size(); ++i) {
        const lang::TensorRef tensor = tensor_in(guarded[i]);
        const std::optional<std::int64_t> byte = tensor ? first_byte_outside(*tensor->storage) : std::nullopt;
        if (!byte)
            continue;
        const std::string& name = callable.function->params[i]->name;
        const std::size_t size = tensor->storage->bytes;
        out.verdict = {VerdictKind::Wrong,
                       cat("wrong: it writes to byte ", *byte, " of '", name, "', which has ", size)};
        m_work.sink.report(DiagId::TryOutside, callable.function->origin.span, callable.name, *byte, name, size);
        return true;
    }
    return false;
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
    compare_all(out, callable, m_expected, after);
    judge(out, callable, at);
}

void Attempter::compare_all(Attempt& out, const Callable& callable, const Expected& expected, const Arguments& after,
                            double widened) const {
    Accesses written(after.size());
    for (std::size_t i = 0; i < after.size(); ++i)
        written[i].written = expected.tensors[i] != nullptr;
    Expectation expectation{m_request.tolerance, sum_length(m_row, after, written),
                            m_row.uses_matrix_units && m_row.matrix_type == "tf32", sum_type(after)};
    expectation.widened = widened;
    expectation.finite_only = widened != 1;
    out.comparisons.clear();
    for (std::size_t i = 0; i < after.size(); ++i)
        if (lang::TensorRef got = tensor_in(after[i]); got && expected.tensors[i])
            out.comparisons.push_back(
                compare(callable.function->params[i]->name, *got, *expected.tensors[i], expectation));
}

// What its sums are rounded to, but nothing narrower than all that it takes and gives: that would be less than was asked for.
ir::DType Attempter::sum_type(const Arguments& args) const {
    const ir::DType declared = ir::find_dtype(m_row.sum_type).value_or(ir::DType::F32);
    std::optional<ir::DType> narrowest;
    for (const lang::CallArgument& arg : args)
        if (lang::TensorRef tensor = tensor_in(arg); tensor && ir::is_float(tensor->dtype))
            if (!narrowest || ir::info(tensor->dtype).bits < ir::info(*narrowest).bits)
                narrowest = tensor->dtype;
    return narrowest && ir::info(declared).bits < ir::info(*narrowest).bits ? *narrowest : declared;
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

// The generated kernel gets tensors of its own, so that its results can be compared.
Result<std::unique_ptr<Baseline>> Attempter::baseline_of(const Callable& callable, Executable& module, Repeat& repeat,
                                                         const Arguments& args) const {
    if (m_request.against != generated_baseline)
        return make_library_baseline(m_request.against, args, repeat.on_gpu(), *m_request.run.tools);
    Arguments theirs = copy_of(args);
    if (!module.generated)
        return Error{"baseline-does-not-fit", cat("no kernel of '", callable.name,
                                                  "' is replaced, so that it is measured "
                                                  "beside the generated one: '--replace' says by what")};
    std::unique_ptr<Repeat> generated =
        module.executor.prepare(*module.generated, {callable.callee, theirs, callable.site});
    return make_script_baseline(std::move(generated), args, std::move(theirs));
}

void Attempter::measure(Attempt& out, const Callable& callable, Executable& module, Repeat& repeat,
                        const Arguments& args) {
    m_work.enter("measuring '" + callable.name + "'");
    Work::Clock clock(m_work, "measure");
    BenchRow row = m_row;
    std::unique_ptr<Baseline> baseline;
    if (!m_request.against.empty()) {
        Result<std::unique_ptr<Baseline>> made = baseline_of(callable, module, repeat, args);
        if (!made) {
            out.unmeasured = made.error().message;
            return report_environment(m_work, m_work.sink, made.error(), callable.site);
        }
        baseline = std::move(made).value();
        row.baseline = m_request.against == generated_baseline ? "the generated kernel" : baseline->name();
    }
    if (Result<void> measured = m_measurer.measure(repeat, baseline.get(), row); !measured) {
        out.unmeasured = measured.error().message;
        return report_failure(m_work, m_work.sink, measured.error(), callable.name, callable.site);
    }
    if (row.times.count > 0)
        out.measured = std::move(row);
    else
        out.unmeasured = "stopped";
}

// What is written again and again stays right, unless the function reads it too.
void Attempter::check_again(Attempt& out, const Callable& callable, const Accesses& accesses, const Arguments& after) {
    if (!may_be_wrong(out))
        return;
    Expected expected = m_expected;
    for (std::size_t i = 0; i < after.size(); ++i)
        if (accesses[i].read && accesses[i].written)
            expected.tensors[i] = nullptr;
    compare_later(out, callable, expected, after, "after it had run again and again", DiagId::TryUnstable);
}

// A later call's results; where they are right, those of the first call stay what is shown.
void Attempter::compare_later(Attempt& out, const Callable& callable, const Expected& expected, const Arguments& after,
                              const char* when, DiagId id, double widened) {
    Attempt later;
    compare_all(later, callable, expected, after, widened);
    const Comparison* wrong = first_wrong(later.comparisons);
    if (!wrong)
        return;
    const std::string what = describe(*wrong);
    out.verdict = {VerdictKind::Wrong, cat("wrong ", when, ": ", what)};
    out.comparisons = std::move(later.comparisons);
    m_work.sink.report(id, callable.function->origin.span, callable.name, what);
}

bool Attempter::may_be_wrong(const Attempt& out) const {
    return out.verdict.kind == VerdictKind::Correct && out.measured && !m_work.stopped();
}

// The call that counts for those who remember their inputs, or look whether there is anything left to do.
void Attempter::check_own_results(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& before,
                                  const Arguments& after) {
    if (!may_be_wrong(out))
        return;
    m_work.enter("checking '" + plan.callable.name + "' with the same inputs");
    const int errors = m_work.sink.error_count();
    Arguments first = copy_of(before);
    poison(first, plan.accesses);
    const std::vector<lang::TensorRef> held = misplace_results(after, first, m_expected.tensors, plan.accesses);
    const bool is_read = std::ranges::any_of(plan.accesses, [](const auto& each) { return each.read && each.written; });
    Expected expected = is_read ? m_reference.expect(plan.callable, plan.accesses, after) : m_expected;
    if (!expected.ok || !m_script.call(module, plan.callable, after)) {
        out.verdict = failure_of(m_work, errors);
        return;
    }
    // What it was given to begin with may be what it adds to, which is not for us to change: only to do nothing is wrong then.
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (!held[i] || is_random(plan, i))
            continue;
        if (!stays_misplaced(*tensor_in(after[i]), *held[i], *m_expected.tensors[i], *expected.tensors[i]))
            return;
        Expected only{.ok = true, .tensors = std::vector<lang::TensorRef>(after.size())};
        only.tensors[i] = expected.tensors[i];
        expected = std::move(only);
        break;
    }
    compare_later(out, plan.callable, expected, after, "when its results have to be written anew",
                  DiagId::TryOwnResults);
}

// Large numbers where nothing is kept in less than f32: sums and exponentials of them are as coarse as they are large, so that
// the tolerance is wider by the square of it. Indices of equal numbers may be any.
void Attempter::check_special(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& after) {
    ArgumentPlan special = plan;
    ++special.seed;
    special.random = Fill::Special;
    bool is_coarse = m_row.uses_matrix_units || ir::info(sum_type(after)).bits < 32, is_any = false;
    for (std::size_t i = 0; i < after.size(); ++i) {
        const lang::TensorRef tensor = tensor_in(after[i]);
        if (!tensor)
            continue;
        const bool is_float = ir::is_float(tensor->dtype);
        if (!is_float && plan.accesses[i].written)
            return;
        is_coarse |= is_float && ir::info(tensor->dtype).bits < 32;
        is_any |= is_float && is_random(plan, i);
    }
    if (!is_any)
        return;
    special.largest_number = is_coarse ? 1 : largest_special;
    check_others(out, module, special, after, "with rows of zeros, of negative, of small or of large numbers",
                 DiagId::TrySpecialValues, std::max(4.0, special.largest_number * special.largest_number));
}

// The call that counts for those who keep results, or are right for the numbers that they were written with only.
void Attempter::check_others(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& after,
                             const char* when, DiagId id, double widened) {
    if (!may_be_wrong(out))
        return;
    m_work.enter(cat("checking '", plan.callable.name, "' ", when));
    const int errors = m_work.sink.error_count();
    ArgumentPlan other = plan;
    ++other.seed;
    const std::optional<Arguments> fresh = make_arguments(m_work, other);
    if (fresh)
        refill(after, *fresh, plan.accesses, other.seed);
    Expected expected = fresh ? m_reference.expect(plan.callable, plan.accesses, after) : Expected{};
    if (!expected.ok || !m_script.call(module, plan.callable, after)) {
        out.verdict = failure_of(m_work, errors);
        return;
    }
    compare_later(out, plan.callable, expected, after, when, id, widened);
}

// The call that counts for those who know the size that is asked for. Twice as much is a multiple of whatever a kernel wants, but
// what fails there, also as it wants it otherwise, is not what was asked about. A GPU might be lost with it.
void Attempter::check_other_size(Attempt& out, Executable& module, const ArgumentPlan& plan) {
    ArgumentPlan other = plan;
    const auto least = std::ranges::min_element(other.dimensions, {}, &Dimension::value);
    if (!may_be_wrong(out) || module.executor.gpu() || least == other.dimensions.end() ||
        least->value > most_other_size)
        return;
    least->value *= 2, ++other.seed;
    const std::string when = cat("at ", least->name, " = ", least->value);
    m_work.enter(cat("checking '", plan.callable.name, "' ", when));
    DiagnosticSink kept = std::exchange(m_work.sink, {});
    const Status status = m_work.status;
    const std::optional<Arguments> before = make_arguments(m_work, other);
    std::optional<Arguments> after;
    Expected expected;
    if (before) {
        after = copy_of(*before);
        poison(*after, plan.accesses);
        expected = m_reference.expect(plan.callable, plan.accesses, *before);
    }
    const bool is_done = expected.ok && m_script.call(module, plan.callable, *after);
    m_work.sink = std::move(kept), m_work.status = status;
    if (is_done)
        compare_later(out, plan.callable, expected, *after, when.c_str(), DiagId::TryOtherSize, 2);
}

} // namespace hidet::session
