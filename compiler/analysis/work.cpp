// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/work.h"

#include <algorithm>
#include <array>

#include "compiler/ir/evaluate.h"
#include "compiler/ir/family.h"
#include "compiler/ir/mma.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/wgmma.h"
#include "compiler/ir/wmma.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::int64_t warp_size = 32;
constexpr std::int64_t most_trips =
    100'000; // of loops that are walked because something inside depends on their variable

// Of equally many sums the more exact ones come first.
constexpr std::array<DType, 4> sum_types = {DType::F64, DType::F32, DType::F16, DType::BF16};

struct Unknown {
    std::string why;
};

class Counter {
public:
    Counter(const Module& module, const KnownValues& known, const SymbolValues& symbols)
        : m_module(module), m_values(known), m_symbols(symbols) {}

    void run(const Function& function) {
        m_total = function.func_kind == FuncKind::CudaKernel ? thread(function) : statement(function.body);
    }
    WorkCount result() const {
        WorkCount out = m_facts;
        out.flops = m_total.flops;
        out.matrix_flops = m_total.matrix;
        auto most = std::max_element(m_total.sums.begin(), m_total.sums.end());
        if (*most > 0)
            out.sum_type = sum_types[static_cast<std::size_t>(most - m_total.sums.begin())];
        return out;
    }

private:
    struct Amount {
        double flops = 0;
        double matrix = 0;
        std::array<double, sum_types.size()> sums{}; // additions whose result is rounded to each type
        Amount& operator+=(const Amount& other) {
            flops += other.flops;
            matrix += other.matrix;
            for (std::size_t i = 0; i < sums.size(); ++i)
                sums[i] += other.sums[i];
            return *this;
        }
        Amount times(double n) const {
            Amount out{flops * n, matrix * n, sums};
            for (double& sum : out.sums)
                sum *= n;
            return out;
        }
        void add_sums(std::optional<DType> type, double count) {
            auto found = std::find(sum_types.begin(), sum_types.end(), type);
            if (found != sum_types.end())
                sums[static_cast<std::size_t>(found - sum_types.begin())] += count;
        }
    };

    std::optional<std::int64_t> value(const ExprRef& expr) const;
    std::optional<std::int64_t> symbol(const ExprRef& name) const;
    Amount statement(const StmtRef& stmt);
    Amount loop(const ForStmt& loop);
    Amount branch(const IfStmt& branch);
    Amount expression(const Node* node);
    Amount expressions_of(const Node& node);
    Amount intrinsic(const Intrinsic& call);
    Amount called(const std::string& name, const ExprVec& args);
    Amount launched(const LaunchStmt& launch);
    Amount thread(const Function& kernel);
    Amount mean_of_warps(const Function& kernel, std::int64_t warps);
    double threads_of(const LaunchStmt& launch) const;

    const Module& m_module;
    KnownValues m_values;
    const SymbolValues& m_symbols;
    WorkCount m_facts;
    Amount m_total;
    std::optional<std::int64_t> m_thread; // threadIdx.x
    std::int64_t m_trips = 0;
    int m_depth = 0;
};

double lanes_of(const TypeRef& type) {
    auto dtype = scalar_of(type);
    if (!dtype)
        return 0;
    if (info(*dtype).lanes > 1)
        return is_float(info(*dtype).lane) ? info(*dtype).lanes : 0;
    return is_float(*dtype) ? 1 : 0;
}

std::optional<DType> lane_type(const TypeRef& type) {
    auto dtype = scalar_of(type);
    return dtype && info(*dtype).lanes > 1 ? std::optional(info(*dtype).lane) : dtype;
}

std::optional<std::int64_t> Counter::symbol(const ExprRef& name) const {
    const auto* constant = as<Constant>(name);
    const auto* text = constant ? std::get_if<std::string>(&constant->value) : nullptr;
    for (const auto& [known, value] : m_symbols)
        if (text && *text == known)
            return value;
    return std::nullopt;
}

std::optional<std::int64_t> Counter::value(const ExprRef& expr) const {
    return evaluate_whole(expr, [this](const ExprRef& leaf) -> std::optional<std::int64_t> {
        if (auto found = m_values.find(leaf.get()); found != m_values.end())
            return found->second;
        if (const auto* builtin = as<BuiltinVar>(leaf); builtin && builtin->which == Builtin::ThreadIdxX)
            return m_thread;
        const auto* call = as<Intrinsic>(leaf);
        return call && call->id == IntrinsicId::GetSymbolValue ? symbol(call->args[0]) : std::nullopt;
    });
}

// What each of the lanes has of a matrix instruction that they share.
struct Products {
    double sums = 0; // multiply-adds
    DType in{}, out{};
};
std::optional<Products> products_of(const Intrinsic& call) {
    if (call.id == IntrinsicId::MmaSync) {
        const MmaShape& shape = info(attribute<Mma>(call.attr));
        return Products{1.0 * shape.m * shape.n * shape.k / warp_size, shape.in, shape.out};
    }
    if (call.id == IntrinsicId::WmmaMma) {
        const WmmaShape& shape = info(attribute<Wmma>(call.attr));
        return Products{1.0 * shape.m * shape.n * shape.k / warp_size, shape.in, shape.out};
    }
    if (call.id == IntrinsicId::Wgmma || call.id == IntrinsicId::WgmmaRegisters) {
        const WgmmaOperands& shape = info(attribute<WgmmaTypes>(call.attr));
        const int columns = columns_of(attribute<WgmmaN>(call.attr));
        return Products{1.0 * wgmma_rows * columns * shape.k() / (4 * warp_size), shape.in, shape.out};
    }
    return std::nullopt;
}

Counter::Amount Counter::intrinsic(const Intrinsic& call) {
    Amount amount = expressions_of(call);
    if (const auto products = products_of(call)) {
        m_facts.matrix_type = info(products->in).short_name;
        amount.matrix += 2 * products->sums;
        amount.add_sums(products->out, products->sums);
        return amount;
    }
    if (call.id == IntrinsicId::Fma) {
        amount.flops += 2 * lanes_of(call.type);
        amount.add_sums(lane_type(call.type), lanes_of(call.type));
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
    return threads ? std::optional((*threads + warp_size - 1) / warp_size) : std::nullopt;
}

// What a thread does on the average. Where it depends on the thread, the first and the last lane of each warp are followed:
// warps may have different parts.
Counter::Amount Counter::thread(const Function& kernel) {
    const WorkCount before = m_facts;
    m_facts.is_upper_bound = false;
    const Amount most = statement(kernel.body);
    const bool depends = m_facts.is_upper_bound;
    m_facts.is_upper_bound |= before.is_upper_bound;
    const WorkCount after = m_facts;
    const auto warps = warps_of(kernel);
    if (!depends || !warps)
        return most;
    try {
        m_facts = before;
        return mean_of_warps(kernel, *warps);
    } catch (const Unknown&) {
        m_thread.reset();
        m_facts = after;
        return most;
    }
}

Counter::Amount Counter::mean_of_warps(const Function& kernel, std::int64_t warps) {
    Amount sum;
    for (std::int64_t warp = 0; warp < warps; ++warp) {
        m_thread = warp * warp_size;
        const Amount first = statement(kernel.body);
        m_thread = *m_thread + warp_size - 1;
        const Amount last = statement(kernel.body);
        m_facts.is_upper_bound |= first.flops != last.flops || first.matrix != last.matrix;
        const Amount& more = first.flops + first.matrix >= last.flops + last.matrix ? first : last;
        sum += more.times(1.0 / static_cast<double>(warps));
    }
    m_thread.reset();
    return sum;
}

Counter::Amount Counter::called(const std::string& name, const ExprVec& args) {
    const Function* callee = find_function(m_module, name);
    if (!callee)
        throw Unknown{cat("the function '", name, "', which is not part of the module")};
    if (++m_depth > 32)
        throw Unknown{cat("the recursion of '", name, "'")};
    for (std::size_t i = 0; i < callee->params.size() && i < args.size(); ++i)
        if (auto known = value(args[i]))
            m_values[callee->params[i].get()] = *known;
        else
            m_values.erase(callee->params[i].get());
    Amount amount = callee->func_kind == FuncKind::CudaKernel ? thread(*callee) : statement(callee->body);
    --m_depth;
    return amount;
}

double Counter::threads_of(const LaunchStmt& launch) const {
    double threads = 1;
    for (const ExprVec* extents : {&launch.grid, &launch.block})
        for (const ExprRef& extent : *extents) {
            auto known = value(extent);
            if (!known)
                throw Unknown{cat("the grid of '", launch.kernel, "'")};
            threads *= static_cast<double>(*known);
        }
    return threads;
}

Counter::Amount Counter::launched(const LaunchStmt& launch) {
    double threads = threads_of(launch);
    return called(launch.kernel, launch.args).times(threads);
}

Counter::Amount Counter::expressions_of(const Node& node) {
    Amount amount;
    for_each_child(node, [&](const Node* child) { amount += expression(child); });
    return amount;
}

Counter::Amount Counter::expression(const Node* node) {
    if (!node || !is_expr(*node))
        return {};
    switch (kind_of(static_cast<const Expr&>(*node))) {
    case ExprKind::Var:
    case HIDET_LEAF_EXPRS: return {};
    case ExprKind::Intrinsic: return intrinsic(static_cast<const Intrinsic&>(*node));
    case ExprKind::Call: {
        const auto& call = static_cast<const Call&>(*node);
        Amount amount = expressions_of(call);
        amount += called(call.callee, call.args);
        return amount;
    }
    case ExprKind::Binary: {
        const auto& binary = static_cast<const Binary&>(*node);
        Amount amount = expressions_of(binary);
        bool counts =
            binary.op == BinOp::Add || binary.op == BinOp::Sub || binary.op == BinOp::Mul || binary.op == BinOp::Div;
        amount.flops += counts ? lanes_of(binary.type) : 0;
        if (binary.op == BinOp::Add || binary.op == BinOp::Sub)
            amount.add_sums(lane_type(binary.type), lanes_of(binary.type));
        return amount;
    }
    case HIDET_MEMORY_EXPRS:
    case HIDET_SHORTHAND_EXPRS:
    case ExprKind::Unary:
    case ExprKind::Cast:
    case ExprKind::Select:
    case ExprKind::Address: return expressions_of(*node);
    }
    no_such_kind(*node);
}

// What does not depend on the variable is counted once; else every trip is, as long as they are not too many.
Counter::Amount Counter::loop(const ForStmt& loop) {
    auto extent = value(loop.extent);
    if (!extent)
        throw Unknown{"a loop whose length depends on data or on the thread"};
    if (*extent <= 0)
        return {};
    m_values.erase(loop.var.get());
    WorkCount before = m_facts;
    try {
        return statement(loop.body).times(static_cast<double>(*extent));
    } catch (const Unknown&) {
        m_facts = before;
        if ((m_trips += *extent) > most_trips)
            throw;
    }
    Amount amount;
    for (std::int64_t trip = 0; trip < *extent; ++trip) {
        m_values[loop.var.get()] = trip;
        amount += statement(loop.body);
    }
    m_values.erase(loop.var.get());
    return amount;
}

Counter::Amount Counter::branch(const IfStmt& branch) {
    Amount amount = expression(branch.condition.get());
    if (auto condition = value(branch.condition)) {
        amount += statement(*condition ? branch.then_body : branch.else_body);
        return amount;
    }
    Amount taken = statement(branch.then_body), other = statement(branch.else_body);
    m_facts.is_upper_bound |= taken.flops + taken.matrix + other.flops + other.matrix > 0;
    amount += taken.flops + taken.matrix >= other.flops + other.matrix ? taken : other;
    return amount;
}

Counter::Amount Counter::statement(const StmtRef& stmt) {
    if (!stmt)
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
    case StmtKind::WhileStmt: throw Unknown{"a while loop"};
    case StmtKind::ForMappingStmt: throw Unknown{"a loop over a task mapping"};
    case StmtKind::DeclareStmt: {
        const auto& declare = static_cast<const DeclareStmt&>(*stmt);
        if (auto known = declare.is_let && declare.init ? value(declare.init) : std::nullopt)
            m_values[declare.var.get()] = *known;
        else
            m_values.erase(declare.var.get());
        return expression(declare.init.get());
    }
    case StmtKind::AsmStmt: throw Unknown{"inline assembly"};
    case StmtKind::LaunchStmt: return launched(static_cast<const LaunchStmt&>(*stmt));
    case StmtKind::EvaluateStmt:
    case StmtKind::StoreStmt:
    case StmtKind::AssignStmt:
    case HIDET_EXIT_STMTS:
    case StmtKind::AssertStmt:
    case StmtKind::CommentStmt: return expressions_of(*stmt);
    }
    no_such_kind(*stmt);
}

// ---- accesses -----------------------------------------------------------------------------------------------------

using Roots = std::unordered_map<const Node*, std::vector<std::size_t>>; // pointers -> parameters they may come from

class AccessFinder {
public:
    AccessFinder(const Function& function, const Module& module, int depth)
        : m_module(module), m_depth(depth), m_result(function.params.size()) {
        for (std::size_t i = 0; i < function.params.size(); ++i)
            m_roots[function.params[i].get()] = {i};
        visit(function.body.get());
    }
    const std::vector<ParameterAccess>& result() const { return m_result; }

private:
    std::vector<std::size_t> roots_of(const Node* node) const {
        if (!node)
            return {};
        if (auto found = m_roots.find(node); found != m_roots.end())
            return found->second;
        if (!is_expr(*node))
            return {};
        switch (kind_of(static_cast<const Expr&>(*node))) {
        case ExprKind::Cast: return roots_of(static_cast<const Cast*>(node)->a.get());
        case ExprKind::Address: return base_roots(static_cast<const Address*>(node)->place.get());
        case ExprKind::Select: {
            std::vector<std::size_t> both = roots_of(static_cast<const Select*>(node)->a.get());
            for (std::size_t root : roots_of(static_cast<const Select*>(node)->b.get()))
                both.push_back(root);
            return both;
        }
        case ExprKind::Binary: {
            const auto* binary = static_cast<const Binary*>(node);
            return is_pointer(binary->type) ? roots_of((is_pointer(binary->a->type) ? binary->a : binary->b).get())
                                            : std::vector<std::size_t>{};
        }
        case ExprKind::Var: // those that are known have been found
        case HIDET_LEAF_EXPRS:
        case ExprKind::Unary:
        case HIDET_MEMORY_EXPRS:
        case HIDET_SHORTHAND_EXPRS:
        case HIDET_CALL_EXPRS: return {};
        }
        no_such_kind(*node);
    }
    std::vector<std::size_t> base_roots(const Node* place) const {
        if (!place)
            return {};
        if (place->kind == Kind::TensorElement)
            return roots_of(static_cast<const TensorElement*>(place)->base.get());
        if (place->kind == Kind::Deref)
            return roots_of(static_cast<const Deref*>(place)->pointer.get());
        return {};
    }
    void touch(const std::vector<std::size_t>& roots, ParameterAccess access) {
        for (std::size_t root : roots) {
            m_result[root].read |= access.read;
            m_result[root].written |= access.written;
        }
    }
    void visit(const Node* node);
    void visit_intrinsic(const Intrinsic& call);
    void visit_expr(const Expr& expr);
    void visit_stmt(const Stmt& stmt);
    void visit_children(const Node& node);
    void pass_on_children(const Node& node);
    void pass_on(const std::string& name, const ExprVec& args);

    const Module& m_module;
    int m_depth; // of calls
    Roots m_roots;
    std::vector<ParameterAccess> m_result;
};

// What the callee does to its parameters is done to the arguments.
void AccessFinder::pass_on(const std::string& name, const ExprVec& args) {
    const Function* callee = m_depth < 16 ? find_function(m_module, name) : nullptr;
    std::vector<ParameterAccess> accesses(args.size(), {.read = true, .written = true});
    if (callee && callee->params.size() == args.size())
        accesses = AccessFinder(*callee, m_module, m_depth + 1).result();
    for (std::size_t i = 0; i < args.size(); ++i)
        touch(roots_of(args[i].get()), accesses[i]);
}

void AccessFinder::visit(const Node* node) {
    if (!node || !runs(*node))
        return;
    if (is_expr(*node))
        return visit_expr(static_cast<const Expr&>(*node));
    if (is_stmt(*node))
        visit_stmt(static_cast<const Stmt&>(*node));
}

void AccessFinder::visit_children(const Node& node) {
    for_each_child(node, [&](const Node* child) { visit(child); });
}

// Anything may be done to what pointers among them lead to.
void AccessFinder::pass_on_children(const Node& node) {
    for_each_child(node, [&](const Node* child) { touch(roots_of(child), {.read = true, .written = true}); });
}

void AccessFinder::visit_intrinsic(const Intrinsic& call) {
    for (std::size_t i = 0; i < call.args.size(); ++i) {
        MemoryAccess access = parameter_of(info(call.id), i, call.args.size()).access;
        bool is_known = access.any(); // else the pointer itself is the value
        touch(roots_of(call.args[i].get()), {.read = access.reads || !is_known, .written = access.writes || !is_known});
    }
}

void AccessFinder::visit_expr(const Expr& expr) {
    switch (kind_of(expr)) {
    case HIDET_MEMORY_EXPRS: touch(base_roots(&expr), {.read = true}); break;
    case ExprKind::Call: pass_on(static_cast<const Call&>(expr).callee, static_cast<const Call&>(expr).args); break;
    case ExprKind::Intrinsic: visit_intrinsic(static_cast<const Intrinsic&>(expr)); break;
    case ExprKind::Address: // no access: only where the address goes counts
        for_each_child(expr, [&](const Node* place) {
            if (place)
                visit_children(*place);
        });
        return;
    case ExprKind::Var:
    case HIDET_LEAF_EXPRS:
    case HIDET_OPERATOR_EXPRS:
    case HIDET_SHORTHAND_EXPRS: break;
    }
    visit_children(expr);
}

void AccessFinder::visit_stmt(const Stmt& stmt) {
    switch (kind_of(stmt)) {
    case StmtKind::DeclareStmt: {
        const auto& declare = static_cast<const DeclareStmt&>(stmt);
        if (declare.init && is_pointer(declare.var->type))
            m_roots[declare.var.get()] = roots_of(declare.init.get());
        break;
    }
    case StmtKind::AssignStmt: {
        const auto& assign = static_cast<const AssignStmt&>(stmt);
        if (is_pointer(assign.var->type))
            for (std::size_t root : roots_of(assign.value.get()))
                m_roots[assign.var.get()].push_back(root);
        break;
    }
    case StmtKind::StoreStmt: {
        const auto& store = static_cast<const StoreStmt&>(stmt);
        touch(roots_of(store.base.get()), {.written = true});
        touch(roots_of(store.value.get()), {.read = true, .written = true}); // the pointer itself goes into memory
        break;
    }
    case StmtKind::LaunchStmt:
        pass_on(static_cast<const LaunchStmt&>(stmt).kernel, static_cast<const LaunchStmt&>(stmt).args);
        break;
    case StmtKind::AsmStmt:
    case StmtKind::ReturnStmt: pass_on_children(stmt); break;
    case StmtKind::EvaluateStmt:
    case HIDET_LOOP_STMTS:
    case StmtKind::BreakStmt:
    case StmtKind::ContinueStmt:
    case StmtKind::IfStmt:
    case StmtKind::AssertStmt:
    case StmtKind::CommentStmt:
    case StmtKind::SeqStmt: break;
    }
    visit_children(stmt);
}

} // namespace

WorkCount count_work(const Function& function, const Module& module, const KnownValues& known,
                     const SymbolValues& symbols) {
    Counter counter(module, known, symbols);
    try {
        counter.run(function);
    } catch (const Unknown& unknown) {
        WorkCount nothing;
        nothing.unknown = unknown.why;
        return nothing;
    }
    return counter.result();
}

std::vector<ParameterAccess> parameter_accesses(const Function& function, const Module& module) {
    return AccessFinder(function, module, 0).result();
}

} // namespace hidet::compiler
