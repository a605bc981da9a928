// SPDX-License-Identifier: Apache-2.0
// What is asked of a function that was right once, and has been measured: its own results again, other numbers, special ones, and
// another size.
#include <algorithm>
#include <utility>

#include "app/session/compare/compare.h"
#include "app/session/kernel_bench/attempt.h"
#include "app/session/kernel_bench/other_memory.h"
#include "app/session/kernel_bench/other_size.h"
#include "app/session/kernel_bench/script_checks.h"
#include "compiler/ir/each_node.h"

namespace hidet::session {

using Accesses = std::vector<compiler::ParameterAccess>;

namespace {

constexpr double other_size_seconds = 1;    // of the emulator, about
constexpr double little_seconds = 0.5;      // likewise
constexpr double emulated_per_second = 1e9; // operations, of a kernel that is not made for it

// It may wait for what only numbers become.
bool has_open_loop(const ir::ModuleRef& module) {
    return ir::any_of_nodes(module, [](const ir::WhileStmt&) { return true; });
}

} // namespace

double emulated_seconds(const Attempt& made, const BenchRow& row) {
    if (made.is_emulated && made.measured)
        return made.measured->times.median;
    return std::max(row.flops.value_or(row.bytes * 8), row.bytes) / emulated_per_second;
}

bool takes_little(const Attempt& made, const BenchRow& row) {
    return emulated_seconds(made, row) <= little_seconds;
}

// What is written again and again stays right, unless the function reads it too.
void Attempter::check_again(Attempt& out, const Callable& callable, const Accesses& accesses, const Arguments& after) {
    if (!may_be_wrong(out))
        return;
    Expected expected = m_expected;
    for (std::size_t i = 0; i < after.size(); ++i)
        if (accesses[i].read && accesses[i].written)
            expected.tensors[i] = nullptr;
    compare_later(out, callable, expected, after, {"after it had run again and again", DiagId::TryUnstable});
}

// A later call's results; where they are right, those of the first call stay what is shown.
void Attempter::compare_later(Attempt& out, const Callable& callable, const Expected& expected, const Arguments& after,
                              const Round& round) {
    Attempt later;
    compare_all(later, callable, expected, after, round);
    const Comparison* wrong = first_wrong(later.comparisons);
    if (!wrong)
        return;
    if (round.is_remark) {
        const std::string what = describe(*wrong, "different");
        out.remarks.push_back(cat("not the same ", round.when, ": ", what));
        return;
    }
    const std::string what = describe(*wrong);
    out.verdict = {VerdictKind::Wrong, cat("wrong ", round.when, ": ", what)};
    out.comparisons = std::move(later.comparisons);
    m_work.sink.report(round.id, callable.function->origin.span, callable.name, what);
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
        if (!held[i] || is_drawn(plan, i))
            continue;
        if (!stays_misplaced(*tensor_in(after[i]), *held[i], *m_expected.tensors[i], *expected.tensors[i]))
            return;
        Expected only{.ok = true, .tensors = std::vector<lang::TensorRef>(after.size())};
        only.tensors[i] = expected.tensors[i];
        expected = std::move(only);
        break;
    }
    compare_later(out, plan.callable, expected, after,
                  {"when its results have to be written anew", DiagId::TryOwnResults});
}

// The call's own plan with another seed. What the reference does not look at may be a table that the function relies on.
ArgumentPlan Attempter::drawn_anew(const ArgumentPlan& plan, Fill random) const {
    ArgumentPlan out = plan;
    ++out.seed;
    out.random = random;
    out.redrawn.resize(plan.accesses.size());
    for (std::size_t i = 0; i < plan.accesses.size(); ++i)
        out.redrawn[i] =
            plan.accesses[i].read && tensor_of_script(plan, i) && m_reference.takes(plan.callable, plan.accesses, i);
    return out;
}

// Special ones can be given in the place of floats alone.
bool Attempter::takes_special(const ArgumentPlan& drawn, const Arguments& args) {
    bool is_any = false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const lang::TensorRef tensor = tensor_in(args[i]);
        if (!tensor)
            continue;
        if (!ir::is_float(tensor->dtype) && drawn.accesses[i].written) // indices of equal numbers may be any
            return false;
        is_any |= ir::is_float(tensor->dtype) && is_drawn(drawn, i);
    }
    return is_any;
}

// The call that counts for those who keep results, or are right for the numbers that they were written with only.
void Attempter::check_other_inputs(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& after) {
    check_others(out, module, drawn_anew(plan, Fill::Random), after, {"with other inputs", DiagId::TryOtherInputs});
}

// Large numbers where nothing is kept in less than f32: sums and exponentials of them are as coarse as they are large, so that
// the tolerance is wider by the square of it.
void Attempter::check_special(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& after) {
    ArgumentPlan special = drawn_anew(plan, Fill::Special);
    if (!takes_special(special, after))
        return;
    bool is_coarse = m_row.uses_matrix_units || ir::info(sum_type(m_row, after)).bits < 32;
    for (const lang::CallArgument& arg : after)
        if (const lang::TensorRef tensor = tensor_in(arg); tensor && ir::is_float(tensor->dtype))
            is_coarse |= ir::info(tensor->dtype).bits < 32;
    special.seed += 1;
    special.largest_number = is_coarse ? 1 : largest_special;
    check_others(out, module, special, after,
                 {.when = "with rows of zeros, of negative, of small or of large numbers",
                  .id = DiagId::TrySpecialValues,
                  .widened = std::max(4.0, special.largest_number * special.largest_number),
                  .finite_only = true});
}

// NaN is right where the reference has NaN alone. But maximum instructions drop it, libraries differ in what they do with it, and
// fast kernels are written for numbers: whoever relies on it has to know, and nobody else calls that wrong.
void Attempter::check_not_finite(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& after) {
    ArgumentPlan drawn = drawn_anew(plan, Fill::NotFinite);
    if (!may_be_wrong(out) || !takes_special(drawn, after) || has_open_loop(plan.callable.module))
        return;
    drawn.seed += 2;
    check_others(out, module, drawn, after,
                 {.when = "with NaN and infinities among its inputs", .widened = 4, .is_remark = true});
}

void Attempter::check_others(Attempt& out, Executable& module, const ArgumentPlan& other, const Arguments& after,
                             const Round& round) {
    if (!may_be_wrong(out))
        return;
    m_work.enter(cat("checking '", other.callable.name, "' ", round.when));
    const int errors = m_work.sink.error_count();
    const std::optional<Arguments> fresh = make_arguments(m_work, other);
    if (fresh)
        refill(after, *fresh, other.accesses, other.seed);
    Expected expected = fresh ? m_reference.expect(other.callable, other.accesses, after) : Expected{};
    if (!expected.ok || !m_script.call(module, other.callable, after)) {
        out.verdict = failure_of(m_work, errors);
        return;
    }
    compare_later(out, other.callable, expected, after, round);
}

// The call that counts for those who know the size that is asked for. It is emulated wherever the function runs: memory that
// was worked out from numbers may be too little, and a GPU would be lost with it.
void Attempter::check_other_size(Attempt& out, Executable& module, const ArgumentPlan& plan, const Arguments& asked) {
    const ReferenceKind kind = m_request.reference.kind;
    if (!may_be_wrong(out) || kind == ReferenceKind::Emulator || kind == ReferenceKind::Automatic || module.generated)
        return;
    const double seconds = std::max(emulated_seconds(out, m_row), 1e-9);
    const std::vector<OtherSize> sizes = other_sizes(plan, asked, std::max(other_size_seconds / seconds, 2.0));
    const bool is_tried = std::ranges::any_of(
        sizes, [&](const OtherSize& size) { return try_size(out, plan, asked, size) || m_work.stopped(); });
    if (!is_tried)
        out.remarks.emplace_back("tried at this size alone");
}

// False: what fails there, also as it wants it otherwise, is not what was asked about.
bool Attempter::try_size(Attempt& out, const ArgumentPlan& plan, const Arguments& asked, const OtherSize& size) {
    std::vector<ArgumentSpec> specs;
    const ArgumentPlan other = plan_at(size, plan, asked, specs);
    const std::string where = cat("at ", size_text(size), out.is_emulated ? "" : ", emulated");
    m_work.enter(cat("checking '", plan.callable.name, "' ", where));
    DiagnosticSink kept = std::exchange(m_work.sink, {});
    const Status status = m_work.status;
    const std::optional<Arguments> before = make_arguments(m_work, other);
    std::optional<Arguments> after;
    Expected expected;
    if (before) {
        after = copy_of(*before);
        poison(*after, plan.accesses);
        expected = m_reference.expect_emulated(plan.callable, plan.accesses, *before);
    }
    KernelBenchScript& emulator = m_reference.emulator();
    Ref<Executable> module = expected.ok && !expected.is_itself ? emulator.build(plan.callable) : nullptr;
    const bool is_done = module && emulator.call(*module, plan.callable, *after);
    m_work.sink = std::move(kept), m_work.status = status;
    if (!is_done)
        return false;
    compare_later(out, plan.callable, expected, *after, {where, DiagId::TryOtherSize, 2});
    if (out.verdict.kind != VerdictKind::Correct)
        return true;
    out.other_size = cat(size_text(size), out.is_emulated ? "" : ", emulated");
    out.remarks.push_back("right " + where);
    return true;
}

} // namespace hidet::session
