// SPDX-License-Identifier: Apache-2.0
// Threads, or units of a loop, count the elements of a tensor row by row: from their number each index is a digit,
// `number / inner % extent`. When one digit can only have one value, the others count what is left: of a shorter number
// `rest`, those inside of it are the same digits, and those outside of it are digits with a smaller `inner`.
#include "compiler/graph/fuse/updated_slice.h"

#include <algorithm>

#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"

namespace hidet::graph {

using namespace ir;

namespace {

struct Digit { // number / inner % extent
    const Var* number = nullptr;
    std::int64_t inner = 1;
    std::int64_t extent = 0; // 0: the first, which is not reduced
};

std::optional<std::int64_t> divisor_in(const ExprRef& expr, BinOp exact, BinOp floor) {
    const auto* binary = as<Binary>(expr);
    const bool is_it = binary && (binary->op == exact || binary->op == floor);
    const auto by = is_it ? constant_int(binary->b) : std::nullopt;
    return by && *by > 0 ? by : std::nullopt;
}

std::optional<Digit> digit_in(const ExprRef& expr) {
    if (const auto* number = as<Var>(expr))
        return Digit{number};
    if (const auto extent = divisor_in(expr, BinOp::Mod, BinOp::FloorMod)) {
        const auto of = digit_in(as<Binary>(expr)->a);
        return of && of->extent == 0 ? std::optional(Digit{of->number, of->inner, *extent}) : std::nullopt;
    }
    const auto inner = divisor_in(expr, BinOp::Div, BinOp::FloorDiv);
    const auto* number = inner ? as<Var>(as<Binary>(expr)->a) : nullptr;
    return number ? std::optional(Digit{number, *inner}) : std::nullopt;
}

// What counts: a digit, also where it counts vectors and a loop their elements. The extent is then that of vectors.
struct Counted {
    ExprRef digit;
    std::int64_t elements = 1;
};

Counted counted_by(const ExprRef& index) {
    const auto* sum = as<Binary>(index);
    const auto* vectors = sum && sum->op == BinOp::Add ? as<Binary>(sum->a) : nullptr;
    const auto elements = vectors && vectors->op == BinOp::Mul ? constant_int(vectors->b) : std::nullopt;
    return elements && *elements > 0 ? Counted{vectors->a, *elements} : Counted{index, 1};
}

// How many elements, or vectors, the number counts when these indices are its digits in their order; others are not its.
std::optional<std::int64_t> count_of(const Var& number, const ExprVec& indices, const Shape& shape) {
    std::int64_t count = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        const auto extent = constant_int(shape[d]);
        const Counted counted = counted_by(indices[d]);
        const auto digit = digit_in(counted.digit);
        if (!extent)
            return std::nullopt;
        if (*extent == 1 || !digit || digit->number != &number)
            continue;
        const std::int64_t own = *extent / counted.elements;
        const bool is_next = digit->inner == count && (digit->extent == own || digit->extent == 0);
        if (!is_next || *extent % counted.elements != 0)
            return std::nullopt;
        count *= own;
        if (digit->extent == 0) // nothing is outside of it
            return std::ranges::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(d),
                                       [](const Dim& each) { return is_constant(each, 1); })
                       ? std::optional(count)
                       : std::nullopt;
    }
    return count;
}

const ExprRef& without_casts(const ExprRef& expr) {
    const auto* cast = as<Cast>(expr);
    return cast ? without_casts(cast->a) : expr;
}

// A store where the index of dimension `dim` is this.
struct SlicePlace {
    std::size_t dim = 0;
    ExprRef value;
    bool wraps = false; // negative ones count from the end
    ExprRef otherwise;  // what else the store asks for; null: nothing
};

class PlaceFinder {
public:
    PlaceFinder(const Function& kernel, const StoreStmt& store, const Shape& shape)
        : m_kernel(kernel), m_store(store), m_shape(shape) {}

    std::optional<SlicePlace> find(const ExprRef& condition) const {
        const auto* both = as<Binary>(condition);
        if (!both || both->op != BinOp::And)
            return place_in(condition);
        for (const bool is_left : {true, false}) {
            auto place = find(is_left ? both->a : both->b);
            if (!place)
                continue;
            const ExprRef& other = is_left ? both->b : both->a;
            place->otherwise = place->otherwise ? logical_and(place->otherwise, other) : other;
            return place;
        }
        return std::nullopt;
    }

private:
    std::optional<SlicePlace> place_in(const ExprRef& condition) const {
        const auto* either = as<Binary>(condition);
        if (!either || either->op != BinOp::Or)
            return equality_in(condition);
        auto place = equality_in(either->a);
        const auto from_end = equality_in(either->b);
        const auto* sum = place && from_end && place->dim == from_end->dim ? as<Binary>(from_end->value) : nullptr;
        const bool wraps = sum && sum->op == BinOp::Add && structural_equal(sum->a, place->value) &&
                           constant_int(sum->b) == constant_int(m_shape[place->dim]);
        if (!wraps)
            return std::nullopt;
        place->wraps = true;
        return place;
    }
    std::optional<SlicePlace> equality_in(const ExprRef& condition) const {
        const auto* equal = as<Binary>(condition);
        if (!equal || equal->op != BinOp::Eq)
            return std::nullopt;
        for (const bool is_left : {true, false}) {
            const ExprRef& value = is_left ? equal->a : equal->b;
            const ExprRef& index = without_casts(is_left ? equal->b : equal->a);
            for (std::size_t d = 0; d < m_shape.size(); ++d)
                if (is_same_digit(index, m_store.indices[d]) && is_same_everywhere(value))
                    return SlicePlace{d, value, false, nullptr};
        }
        return std::nullopt;
    }
    static bool is_same_digit(const ExprRef& a, const ExprRef& b) {
        const auto first = digit_in(a), second = digit_in(b);
        return first && second && first->number == second->number && first->inner == second->inner &&
               first->extent == second->extent;
    }
    // All threads read it, and nobody writes it.
    bool is_same_everywhere(const ExprRef& value) const {
        bool is_same = true;
        each_node(
            value, [&](const BuiltinVar&) { is_same = false; }, [&](const Call&) { is_same = false; },
            [&](const Var& use) {
                is_same &= &use != m_store.base.get() &&
                           std::ranges::any_of(m_kernel.params, [&](const VarRef& each) { return each.get() == &use; });
            });
        return is_same;
    }

    const Function& m_kernel;
    const StoreStmt& m_store;
    const Shape& m_shape;
};

// Who counts, and how far.
struct Counter {
    const DeclareStmt* thread = nullptr; // blockIdx.x * threads + threadIdx.x
    const ForStmt* loop = nullptr;
    std::int64_t threads = 1; // of a block
};

std::optional<Counter> counter_of(const Function& kernel, const Var& number, std::int64_t count) {
    Counter found;
    each_node(
        kernel.body, [&](const DeclareStmt& each) { found.thread = each.var.get() == &number ? &each : found.thread; },
        [&](const ForStmt& each) { found.loop = each.var.get() == &number ? &each : found.loop; });
    if (found.loop)
        return constant_int(found.loop->extent) == count ? std::optional(found) : std::nullopt;
    const bool has_one_dimension = kernel.block_dim.size() == 3 && kernel.cluster_dim.empty() &&
                                   is_constant(kernel.block_dim[1], 1) && is_constant(kernel.block_dim[2], 1) &&
                                   is_constant(kernel.grid_dim[1], 1) && is_constant(kernel.grid_dim[2], 1);
    const auto threads = has_one_dimension ? constant_int(kernel.block_dim[0]) : std::nullopt;
    const auto blocks = has_one_dimension ? constant_int(kernel.grid_dim[0]) : std::nullopt;
    if (!found.thread || !threads || !blocks || *blocks * *threads < count)
        return std::nullopt;
    found.threads = *threads;
    const auto in = [&](DType dtype) {
        return add(mul(cast_to(make_builtin(Builtin::BlockIdxX), dtype), int_constant(*threads, dtype)),
                   cast_to(make_builtin(Builtin::ThreadIdxX), dtype));
    };
    const bool is_thread =
        structural_equal(found.thread->init, in(DType::I32)) || structural_equal(found.thread->init, in(DType::I64));
    return is_thread ? std::optional(found) : std::nullopt;
}

// The kernel's body, counting what is left when one digit is `place`.
class Shorter : public Rewriter {
public:
    struct Wanted {
        Digit digit;
        std::int64_t extent = 0, count = 0; // of the digit; of the number
        const IfStmt* guard = nullptr;      // of the store
        ExprRef otherwise;
        VarRef place;
        std::int64_t threads = 1; // that count together, so that some may count too far
    };
    Shorter(Wanted wanted, const TypeRef& type)
        : m_wanted(std::move(wanted)), m_rest(make_var("rest", type)), m_place(cast_to(m_wanted.place, type)) {
        const ExprRef inner = in_type(m_wanted.digit.inner);
        const ExprRef outside = mul(mul(div(m_rest, inner), in_type(m_wanted.extent)), inner);
        replace(*m_wanted.digit.number, add(add(outside, mul(m_place, inner)), truncating_mod(m_rest, inner)));
    }

    std::int64_t count() const { return m_wanted.count / m_wanted.extent; }

protected:
    using Rewriter::visit;
    StmtRef visit(const DeclareStmt& declare) override {
        return is_number(*declare.var) ? make_let_stmt(m_rest, declare.init) : rebuild(declare);
    }
    StmtRef visit(const ForStmt& loop) override {
        return is_number(*loop.var) ? make_for(m_rest, in_type(count()), loop.attr, rewrite(loop.body)) : rebuild(loop);
    }
    StmtRef visit(const IfStmt& branch) override {
        if (&branch == m_wanted.guard)
            return within_end(guarded(rewrite(branch.then_body), rewrite(m_wanted.otherwise)));
        const auto* below = as<Binary>(branch.condition);
        const bool is_end = below && below->op == BinOp::Lt && is_number(*below->a) &&
                            constant_int(below->b) == m_wanted.count && !branch.else_body;
        return is_end ? rewrite(branch.then_body) : rebuild(branch);
    }
    ExprRef visit(const Binary& binary) override {
        const auto digit = digit_in(self(binary));
        if (!digit || !is_number(*digit->number))
            return rebuild(binary);
        const Digit& fixed = m_wanted.digit;
        const std::int64_t outside = fixed.inner * m_wanted.extent;
        if (digit->inner == fixed.inner && (digit->extent == m_wanted.extent || outside == m_wanted.count))
            return m_place;
        if (digit->extent > 0 && fixed.inner % (digit->inner * digit->extent) == 0)
            return digit_of(digit->inner, digit->extent);
        if (digit->inner % outside == 0)
            return digit_of(digit->inner / m_wanted.extent, digit->extent);
        return rebuild(binary);
    }

private:
    bool is_number(const Expr& expr) const { return &expr == m_wanted.digit.number; }
    ExprRef in_type(std::int64_t value) const { return cast_to(int_constant(value), m_rest->type); }
    ExprRef digit_of(std::int64_t inner, std::int64_t extent) const {
        const ExprRef shifted = div(m_rest, in_type(inner));
        return extent > 0 ? truncating_mod(shifted, in_type(extent)) : shifted;
    }
    StmtRef within_end(StmtRef body) const {
        return guarded(std::move(body), count() % m_wanted.threads != 0 ? less(m_rest, in_type(count())) : nullptr);
    }
    static StmtRef guarded(StmtRef body, const ExprRef& condition) {
        return condition ? make_if(condition, std::move(body)) : body;
    }

    Wanted m_wanted;
    VarRef m_rest;
    ExprRef m_place; // in the type of the number
};

// The value, and whether it is a place at all, decide before anything is counted.
StmtRef at_place(const VarRef& place, const SlicePlace& wanted, std::int64_t extent, StmtRef body) {
    const ExprRef end = cast_to(int_constant(extent), place->type), zero = cast_to(int_constant(0), place->type);
    const ExprRef value = cast_to(wanted.value, place->type);
    const ExprRef is_inside = logical_and(less_equal(zero, place), less(place, end));
    const ExprRef from_start = wanted.wraps ? select(less(value, zero), add(value, end), value) : value;
    return make_seq({make_let_stmt(place, from_start), make_if(is_inside, std::move(body))});
}

class LaunchesOf : public Rewriter {
public:
    LaunchesOf(std::string kernel, ExprVec grid) : m_kernel(std::move(kernel)), m_grid(std::move(grid)) {}

protected:
    using Rewriter::visit;
    StmtRef visit(const LaunchStmt& launch) override {
        if (launch.kernel != m_kernel)
            return rebuild(launch);
        LaunchStmt changed = launch;
        changed.grid = m_grid;
        return make<LaunchStmt>(std::move(changed));
    }

private:
    std::string m_kernel;
    ExprVec m_grid;
};

// What decides about the store to y; null: nothing does, or the kernel does something else besides.
const IfStmt* guard_of_store(const Function& kernel, const Var& y) {
    const IfStmt* found = nullptr;
    std::size_t effects = 0;
    each_node(
        kernel.body, [&](const StoreStmt&) { ++effects; }, [&](const EvaluateStmt&) { ++effects; },
        [&](const AsmStmt&) { ++effects; },
        [&](const IfStmt& each) {
            const auto* store = as<StoreStmt>(each.then_body);
            if (store && store->base.get() == &y && !each.else_body)
                found = &each;
        });
    return effects == 1 ? found : nullptr;
}

} // namespace

void walk_over_updated_slice(Module& module, FunctionRef& of, const Var& y, const Shape& shape) {
    const Function& kernel = *of;
    const IfStmt* guard = guard_of_store(kernel, y);
    if (!guard)
        return;
    const auto& store = *as<StoreStmt>(guard->then_body);
    const auto place = PlaceFinder(kernel, store, shape).find(guard->condition);
    const auto extent = place ? constant_int(shape[place->dim]) : std::nullopt;
    if (!extent || *extent < 2)
        return;
    const Digit digit = *digit_in(store.indices[place->dim]);
    const auto count = count_of(*digit.number, store.indices, shape);
    const auto counter = count ? counter_of(kernel, *digit.number, *count) : std::nullopt;
    if (!counter || (digit.extent == 0 && digit.inner * *extent != *count))
        return;

    const VarRef at_which = make_var("place", data_type(DType::I64));
    Shorter shorter({digit, *extent, *count, guard, place->otherwise, at_which, counter->threads}, digit.number->type);
    Function changed = kernel;
    changed.body = at_place(at_which, *place, *extent, shorter.rewrite(kernel.body));
    if (counter->thread) {
        const std::int64_t blocks = (shorter.count() + counter->threads - 1) / counter->threads;
        changed.grid_dim[0] = int_constant(blocks);
        LaunchesOf launches(kernel.name, changed.grid_dim);
        module.functions.back() = launches.rewrite(module.functions.back());
    }
    of = make<Function>(std::move(changed));
}

} // namespace hidet::graph
