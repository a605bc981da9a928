// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "compiler/analysis/uniform.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/evaluate.h"
#include "compiler/ir/family.h"
#include "compiler/ir/structure.h"
#include "compiler/perf/launch_shape.h"
#include "compiler/perf/operation_costs.h"
#include "lang/base/text.h"

namespace hidet::perf {

using namespace ir;
using namespace compiler;

namespace {

constexpr std::int64_t most_blocks = 160; // of a kernel that are followed
constexpr int most_depth = 32;            // of calls
constexpr std::int64_t most_trips =
    100'000; // of loops that are walked because something inside depends on their variable

// Of equally many sums the more exact ones come first.
constexpr std::array<DType, 4> sum_types = {DType::F64, DType::F32, DType::F16, DType::BF16};

struct Amount {
    double flops = 0;
    double matrix = 0;
    double instructions = 0, doubles = 0, special = 0, barriers = 0;
    std::array<double, sum_types.size()> sums{}; // additions whose result is rounded to each type

    static constexpr double Amount::*counts[] = {&Amount::flops,   &Amount::matrix,  &Amount::instructions,
                                                 &Amount::doubles, &Amount::special, &Amount::barriers};
    Amount& operator+=(const Amount& other) {
        for (const auto count : counts)
            this->*count += other.*count;
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += other.sums[i];
        return *this;
    }
    Amount times(double n) const {
        Amount out = *this;
        for (const auto count : counts)
            out.*count *= n;
        for (double& sum : out.sums)
            sum *= n;
        return out;
    }
    double arithmetic() const { return flops + matrix; }
    void add_sums(std::optional<DType> type, double count) {
        auto found = std::find(sum_types.begin(), sum_types.end(), type);
        if (found != sum_types.end())
            sums[static_cast<std::size_t>(found - sum_types.begin())] += count;
    }
};

class Counter {
public:
    Counter(const Module& module, const KnownValues& known, const SymbolValues& symbols)
        : m_module(module), m_state{known, {}, {}}, m_symbols(symbols) {}

    void run(const Function& function) {
        m_total = function.func_kind == FuncKind::CudaKernel ? kernel(function) : statement(function.body);
    }
    WorkCount result() const {
        WorkCount out = m_state.facts;
        out.flops = m_total.flops, out.matrix_flops = m_total.matrix;
        out.instructions = m_total.instructions, out.doubles = m_total.doubles;
        out.special = m_total.special, out.barriers = m_total.barriers;
        auto most = std::max_element(m_total.sums.begin(), m_total.sums.end());
        if (*most > 0)
            out.sum_type = sum_types[static_cast<std::size_t>(most - m_total.sums.begin())];
        return out;
    }

private:
    enum class Exit : std::uint8_t { None, Break, Continue, Return };
    struct State {
        KnownValues values;    // of what is set once
        KnownValues variables; // that are assigned, as far as the walk follows them
        WorkCount facts;       // but for the sums
    };
    // The kernel that is walked, of which one thread is followed.
    struct Kernel {
        const Function* function = nullptr;
        std::shared_ptr<const Uniformity> uniformity;
        std::optional<std::int64_t> thread, block; // threadIdx.x, blockIdx.x
    };

    std::optional<std::int64_t> value(const ExprRef& expr) const;
    KnownValue known() const;
    std::optional<std::int64_t> builtin(Builtin which) const;
    void note(std::string what, const Node& at);
    void assign(const Var& var, std::optional<std::int64_t> value);
    void forget_assigned(const StmtRef& body);
    Amount statement(const StmtRef& stmt);
    Amount once(const StmtRef& body);
    Amount loop(const ForStmt& loop);
    Amount loop(const WhileStmt& loop);
    std::optional<Amount> followed(const WhileStmt& loop);
    Amount branch(const IfStmt& branch);
    Amount expression(const Node* node);
    Amount binary(const Binary& binary);
    Amount expressions_of(const Node& node);
    Amount intrinsic(const Intrinsic& call);
    Amount called(const std::string& name, const ExprVec& args, const Node& at);
    Amount launched(const LaunchStmt& launch);
    Amount kernel(const Function& kernel);
    Amount thread(const Function& kernel);
    Amount mean_of_warps(std::int64_t warps, const std::vector<std::optional<std::int64_t>>& blocks);

    const Module& m_module;
    State m_state;
    const SymbolValues& m_symbols;
    Amount m_total;
    Kernel m_kernel;
    Exit m_exit = Exit::None; // how the walk leaves what it walks
    bool m_may_leave = false; // data decides whether the loop around goes on
    std::int64_t m_trips = 0;
    int m_depth = 0;
};

std::optional<std::int64_t> Counter::builtin(Builtin which) const {
    const Function* kernel = m_kernel.function;
    if (!kernel)
        return std::nullopt;
    const auto extent = [&](const ExprVec& extents, std::size_t d) {
        return d < extents.size() ? value(extents[d]) : std::optional<std::int64_t>(1);
    };
    switch (which) {
    case Builtin::ThreadIdxX: return m_kernel.thread;
    case Builtin::BlockIdxX: return m_kernel.block;
    case Builtin::BlockDimX: return extent(kernel->block_dim, 0);
    case Builtin::BlockDimY: return extent(kernel->block_dim, 1);
    case Builtin::BlockDimZ: return extent(kernel->block_dim, 2);
    case Builtin::GridDimX: return extent(kernel->grid_dim, 0);
    case Builtin::GridDimY: return extent(kernel->grid_dim, 1);
    case Builtin::GridDimZ: return extent(kernel->grid_dim, 2);
    case Builtin::ThreadIdxY:
    case Builtin::ThreadIdxZ:
    case Builtin::BlockIdxY:
    case Builtin::BlockIdxZ:
    case Builtin::ClusterThreadRank:
    case Builtin::ClusterBlockRank:
    case Builtin::ClusterDimThreads:
    case Builtin::ClusterDimBlocks: return std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::int64_t> Counter::value(const ExprRef& expr) const {
    return evaluate_whole(expr, known());
}

KnownValue Counter::known() const {
    return [this](const ExprRef& leaf) -> std::optional<std::int64_t> {
        if (const auto found = m_state.values.find(leaf.get()); found != m_state.values.end())
            return found->second;
        const auto* of = as<BuiltinVar>(leaf);
        return of ? builtin(of->which) : known_leaf(leaf, m_state.variables, m_symbols);
    };
}

void Counter::note(std::string what, const Node& at) {
    const UnknownWork found{std::move(what), at.origin.span};
    const auto is_same = [&](const UnknownWork& known) {
        return known.what == found.what && known.span.begin == found.span.begin && known.span.file == found.span.file;
    };
    if (std::ranges::none_of(m_state.facts.unknown, is_same))
        m_state.facts.unknown.push_back(found);
}

void Counter::assign(const Var& var, std::optional<std::int64_t> value) {
    if (value)
        m_state.variables[&var] = *value;
    else
        m_state.variables.erase(&var);
}

// What its loop does not follow has any value then.
void Counter::forget_assigned(const StmtRef& body) {
    KnownValues& known = m_state.variables;
    if (!known.empty())
        each_node(
            body,
            [&](const AssignStmt& stmt) {
                known.erase(stmt.var.get());
                return false;
            },
            [&](const AsmStmt&) { known.clear(); }, [&](const Address& expr) { known.erase(expr.place.get()); });
}

Amount Counter::intrinsic(const Intrinsic& call) {
    Amount amount = expressions_of(call);
    if (const auto products = products_of(call)) {
        m_state.facts.matrix_type = info(products->in).short_name;
        amount.matrix += 2 * products->sums;
        amount.add_sums(products->out, products->sums);
        return amount;
    }
    if (info(call.id).does == Does::JoinsBlock)
        amount.barriers += 1;
    if (call.id == IntrinsicId::Fma) {
        amount.flops += 2 * lanes_of(call.type);
        amount.add_sums(lane_type(call.type), lanes_of(call.type));
    }
    if (info(call.id).category == IntrinsicCategory::Math && !call.args.empty()) {
        const FunctionCost cost = function_cost(call.id);
        const double count = instructions_of(call.args[0]->type);
        (lane_type(call.args[0]->type) == DType::F64 ? amount.doubles : amount.instructions) +=
            count * cost.instructions;
        amount.special += count * cost.special;
    }
    return amount;
}

// Nothing where the threads of a block have more than one dimension, or their number is not known.
std::optional<std::int64_t> warps_of(const Function& kernel) {
    if (kernel.block_dim.empty())
        return std::nullopt;
    for (std::size_t d = 1; d < kernel.block_dim.size(); ++d)
        if (constant_int(kernel.block_dim[d]) != 1)
            return std::nullopt;
    const std::optional<std::int64_t> threads = constant_int(kernel.block_dim[0]);
    return threads ? std::optional((*threads + warp_threads - 1) / warp_threads) : std::nullopt;
}

Amount Counter::kernel(const Function& kernel) {
    const Kernel outer = std::exchange(m_kernel, {});
    m_kernel.function = &kernel;
    std::array<std::optional<std::int64_t>, 3> block;
    for (std::size_t d = 0; d < std::min<std::size_t>(kernel.block_dim.size(), 3); ++d)
        block[d] = value(kernel.block_dim[d]);
    const Uses uses = uses_in(kernel, &m_module);
    m_kernel.uniformity = std::make_shared<Uniformity>(kernel, uses, block);
    const Amount amount = thread(kernel);
    m_kernel = outer;
    return amount;
}

// The first and the last, and others as far apart as each other.
std::vector<std::optional<std::int64_t>> blocks_of(std::int64_t count, bool& are_some) {
    std::vector<std::optional<std::int64_t>> out;
    const std::int64_t shown = std::min(count, most_blocks);
    are_some = shown < count;
    for (std::int64_t i = 0; i < shown; ++i)
        out.push_back(shown > 1 ? i * (count - 1) / (shown - 1) : 0);
    return out;
}

// What a thread does on the average. Where it depends on the thread, the first and the last lane of each warp are followed:
// warps may have different parts. Where that does not tell all, it may depend on the block: all are, or some of many.
Amount Counter::thread(const Function& kernel) {
    const State before = m_state;
    m_state.facts.is_upper_bound = false;
    Amount best = once(kernel.body);
    const bool depends = m_state.facts.is_upper_bound;
    State after = m_state;
    std::vector<std::optional<std::int64_t>> blocks{std::nullopt};
    const auto grid = kernel.grid_dim.empty() ? std::nullopt : value(kernel.grid_dim[0]);
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (attempt == 0 ? !depends && after.facts.unknown.empty() : after.facts.unknown.empty() || !grid)
            continue;
        bool is_sampled = false;
        if (attempt == 1)
            blocks = blocks_of(*grid, is_sampled);
        m_state = before;
        m_state.facts.is_sampled |= is_sampled;
        const Amount mean = mean_of_warps(warps_of(kernel).value_or(0), blocks);
        if (m_state.facts.unknown.size() < after.facts.unknown.size() || (attempt == 0 && after.facts.unknown.empty()))
            best = mean, after = m_state;
    }
    m_state = after;
    m_state.facts.is_upper_bound |= before.facts.is_upper_bound;
    return best;
}

Amount Counter::mean_of_warps(std::int64_t warps, const std::vector<std::optional<std::int64_t>>& blocks) {
    Amount sum;
    const State before = m_state;
    const auto walk = [&](std::optional<std::int64_t> thread, std::optional<std::int64_t> block) {
        m_state.values = before.values, m_state.variables = before.variables;
        m_kernel.thread = thread, m_kernel.block = block;
        return once(m_kernel.function->body);
    };
    const double parts = static_cast<double>(std::max<std::int64_t>(warps, 1)) * static_cast<double>(blocks.size());
    for (const std::optional<std::int64_t>& block : blocks)
        for (std::int64_t warp = 0; warp < std::max<std::int64_t>(warps, 1); ++warp) {
            const Amount first = walk(warps > 0 ? std::optional(warp * warp_threads) : std::nullopt, block);
            const Amount last = warps > 0 ? walk(std::optional(warp * warp_threads + warp_threads - 1), block) : first;
            m_state.facts.is_upper_bound |= first.flops != last.flops || first.matrix != last.matrix;
            sum += (first.arithmetic() >= last.arithmetic() ? first : last).times(1 / parts);
        }
    m_kernel.thread.reset(), m_kernel.block.reset();
    return sum;
}

Amount Counter::called(const std::string& name, const ExprVec& args, const Node& at) {
    const Function* callee = find_function(m_module, name);
    if (!callee || m_depth >= most_depth) {
        note(callee ? cat("the recursion of '", name, "'")
                    : cat("the function '", name, "', which is not part of the module"),
             at);
        return {};
    }
    ++m_depth;
    for (std::size_t i = 0; i < callee->params.size() && i < args.size(); ++i)
        if (auto known = value(args[i]))
            m_state.values[callee->params[i].get()] = *known;
        else
            m_state.values.erase(callee->params[i].get());
    Amount amount = callee->func_kind == FuncKind::CudaKernel ? kernel(*callee) : once(callee->body);
    --m_depth;
    return amount;
}

Amount Counter::launched(const LaunchStmt& launch) {
    const std::optional<double> threads = resolve(launch, known()).threads();
    if (!threads)
        note(cat("the grid of '", launch.kernel, "'"), launch);
    return called(launch.kernel, launch.args, launch).times(threads.value_or(1));
}

Amount Counter::expressions_of(const Node& node) {
    Amount amount;
    for_each_child(node, [&](const Node* child) { amount += expression(child); });
    return amount;
}

Amount Counter::expression(const Node* node) {
    if (!node || !is_expr(*node))
        return {};
    switch (kind_of(static_cast<const Expr&>(*node))) {
    case ExprKind::Var:
    case HIDET_LEAF_EXPRS: return {};
    case ExprKind::Intrinsic: return intrinsic(static_cast<const Intrinsic&>(*node));
    case ExprKind::Call: {
        const auto& call = static_cast<const Call&>(*node);
        Amount amount = expressions_of(call);
        amount += called(call.callee, call.args, call);
        return amount;
    }
    case ExprKind::Binary: return binary(static_cast<const Binary&>(*node));
    case HIDET_MEMORY_EXPRS:
    case HIDET_SHORTHAND_EXPRS:
    case ExprKind::Unary:
    case ExprKind::Cast:
    case ExprKind::Select: return expressions_of(*node);
    case ExprKind::Address:
        m_state.variables.erase(static_cast<const Address*>(node)->place.get());
        return expressions_of(*node);
    }
    no_such_kind(*node);
}

bool is_product(const ExprRef& expr) {
    const auto* product = as<Binary>(expr);
    return product && product->op == BinOp::Mul;
}

Amount Counter::binary(const Binary& binary) {
    Amount amount = expressions_of(binary);
    const bool is_sum = binary.op == BinOp::Add || binary.op == BinOp::Sub;
    const bool is_quotient = binary.op == BinOp::Div;
    if (is_sum || is_quotient || binary.op == BinOp::Mul)
        amount.flops += lanes_of(binary.type);
    else if (binary.op != BinOp::Mod)
        return amount;
    const bool is_fused =
        is_sum && (is_product(binary.a) || is_product(binary.b)); // the product's instruction adds, too
    double& instructions = lane_type(binary.type) == DType::F64 ? amount.doubles : amount.instructions;
    const double count = instructions_of(binary.type);
    instructions += is_fused ? 0 : count * (is_quotient ? quotient_cost.instructions : 1);
    amount.special += is_quotient ? count * quotient_cost.special : 0;
    if (is_sum)
        amount.add_sums(lane_type(binary.type), lanes_of(binary.type));
    return amount;
}

// What is walked as a whole: nothing that it leaves goes on behind it.
Amount Counter::once(const StmtRef& body) {
    const Amount amount = statement(body);
    m_exit = Exit::None;
    return amount;
}

// What does not depend on the variable is counted once; else every trip is, as long as they are not too many.
Amount Counter::loop(const ForStmt& loop) {
    const auto extent = value(loop.extent);
    if (extent && *extent <= 0)
        return {};
    if (!extent)
        note("a loop whose length depends on data or on the thread", loop);
    const bool may_leave = std::exchange(m_may_leave, false);
    m_state.values.erase(loop.var.get());
    const State before = m_state;
    forget_assigned(loop.body);
    Amount amount = once(loop.body).times(static_cast<double>(extent.value_or(1)));
    forget_assigned(loop.body);
    if (extent && m_state.facts.unknown.size() > before.facts.unknown.size() && (m_trips += *extent) <= most_trips) {
        const State after = std::exchange(m_state, before);
        Amount walked;
        for (std::int64_t trip = 0; trip < *extent && m_exit != Exit::Break && m_exit != Exit::Return; ++trip) {
            m_exit = Exit::None;
            m_state.values[loop.var.get()] = trip;
            walked += statement(loop.body);
        }
        m_exit = m_exit == Exit::Return ? m_exit : Exit::None;
        amount = walked;
    }
    m_state.values.erase(loop.var.get());
    m_state.facts.is_upper_bound |= m_may_leave && amount.arithmetic() > 0;
    m_may_leave = may_leave;
    return amount;
}

std::optional<Amount> Counter::followed(const WhileStmt& loop) {
    Amount amount;
    while (++m_trips <= most_trips) {
        amount += expression(loop.condition.get());
        const auto condition = value(loop.condition);
        if (!condition)
            return std::nullopt;
        if (!*condition)
            return amount;
        amount += statement(loop.body);
        const Exit exit = std::exchange(m_exit, Exit::None);
        if (m_may_leave)
            return std::nullopt;
        if (exit == Exit::Return)
            m_exit = exit;
        if (exit == Exit::Return || exit == Exit::Break)
            return amount;
    }
    return std::nullopt;
}

Amount Counter::loop(const WhileStmt& loop) {
    const bool may_leave = std::exchange(m_may_leave, false);
    const State before = m_state;
    std::optional<Amount> amount = followed(loop);
    if (!amount) {
        m_state = before;
        note("a while loop", loop);
        forget_assigned(loop.body);
        amount = expression(loop.condition.get());
        *amount += once(loop.body);
        forget_assigned(loop.body);
    }
    m_may_leave = may_leave;
    return *amount;
}

Amount Counter::branch(const IfStmt& branch) {
    Amount amount = expression(branch.condition.get());
    const bool diverges = branch.then_body && branch.else_body && m_kernel.uniformity &&
                          m_kernel.uniformity->of(branch.condition) == Varies::BetweenThreads;
    const auto both = [&](const Amount& done, const Amount& passed) { // a warp goes both ways, one after the other
        amount += done;
        amount.instructions += diverges ? passed.instructions : 0;
        amount.doubles += diverges ? passed.doubles : 0;
        amount.special += diverges ? passed.special : 0;
        return amount;
    };
    if (const auto condition = value(branch.condition)) {
        const State before = m_state;
        const Amount passed = diverges ? once(*condition ? branch.else_body : branch.then_body) : Amount();
        m_state = before;
        return both(statement(*condition ? branch.then_body : branch.else_body), passed);
    }
    const KnownValues variables = m_state.variables;
    const auto side = [&](const StmtRef& body) {
        m_state.variables = variables;
        const Amount out = statement(body);
        const Exit exit = std::exchange(m_exit, Exit::None);
        m_may_leave = m_may_leave || exit == Exit::Break || exit == Exit::Continue;
        return out;
    };
    const Amount taken = side(branch.then_body);
    const KnownValues after = m_state.variables;
    const Amount other = side(branch.else_body);
    std::erase_if(m_state.variables, [&](const auto& known) {
        const auto there = after.find(known.first);
        return there == after.end() || there->second != known.second;
    });
    m_state.facts.is_upper_bound |= taken.arithmetic() + other.arithmetic() > 0;
    return taken.arithmetic() >= other.arithmetic() ? both(taken, other) : both(other, taken);
}

Amount Counter::statement(const StmtRef& stmt) {
    if (!stmt || m_exit != Exit::None)
        return {};
    switch (kind_of(*stmt)) {
    case StmtKind::SeqStmt: {
        Amount amount;
        for (const StmtRef& inner : static_cast<const SeqStmt&>(*stmt).stmts)
            amount += statement(inner);
        return amount;
    }
    case StmtKind::ForStmt: return loop(static_cast<const ForStmt&>(*stmt));
    case StmtKind::IfStmt: return branch(static_cast<const IfStmt&>(*stmt));
    case StmtKind::WhileStmt: return loop(static_cast<const WhileStmt&>(*stmt));
    case StmtKind::ForMappingStmt:
        note("a loop over a task mapping", *stmt);
        return once(static_cast<const ForMappingStmt&>(*stmt).body);
    case StmtKind::DeclareStmt: {
        const auto& declare = static_cast<const DeclareStmt&>(*stmt);
        const Amount amount = expression(declare.init.get());
        const auto known = declare.init ? value(declare.init) : std::nullopt;
        assign(*declare.var, known);
        return amount;
    }
    case StmtKind::AssignStmt: {
        const auto& assignment = static_cast<const AssignStmt&>(*stmt);
        const Amount amount = expressions_of(assignment);
        assign(*assignment.var, value(assignment.value));
        return amount;
    }
    case StmtKind::AsmStmt:
        m_state.variables.clear();
        note("inline assembly", *stmt);
        return {};
    case StmtKind::LaunchStmt: return launched(static_cast<const LaunchStmt&>(*stmt));
    case StmtKind::BreakStmt: m_exit = Exit::Break; return {};
    case StmtKind::ContinueStmt: m_exit = Exit::Continue; return {};
    case StmtKind::ReturnStmt: {
        const Amount amount = expressions_of(*stmt);
        m_exit = Exit::Return;
        return amount;
    }
    case StmtKind::EvaluateStmt:
    case StmtKind::StoreStmt:
    case StmtKind::AssertStmt:
    case StmtKind::CommentStmt: return expressions_of(*stmt);
    }
    no_such_kind(*stmt);
}

} // namespace

WorkCount count_work(const Function& function, const Module& module, const KnownValues& known,
                     const SymbolValues& symbols) {
    Counter counter(module, known, symbols);
    counter.run(function);
    return counter.result();
}

} // namespace hidet::perf
