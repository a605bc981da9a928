// SPDX-License-Identifier: Apache-2.0
// Software pipelining of the simplest kind: in an unrolled loop that loads vectors of read-only tensors, computes and stores, the
// loads of all trips come first, so that their latencies overlap. Compilers of GPUs do not move a load above a store that may
// write where it reads; the kernel's promise that its tensors are apart (Function::wide_access) is not theirs.
//
// The loop becomes two: one that loads into an array with a row for each trip, and one with all else; several such pairs, where
// what is loaded for all trips would take more registers than it may. Lets that indices are made of are computed in both, and so
// is the condition of a body that is guarded as a whole.
//
// Needs: vectors as vectorize-memory-access makes them, and loops that stand still.
// Guarantees: the same accesses, loads earlier than before but in their order.
// Why here: right behind the pass that makes vectors, before unused lets are dropped.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/analysis/kinds.h"
#include "compiler/analysis/underlying_object.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::int64_t most_hoisted = 8;
constexpr std::int64_t most_waiting = 128; // bytes of registers that wait for what is loaded

const Var* variable(const ExprRef& expr) {
    return as<Var>(expr);
}

// What a statement stores to, as an element or as a vector; null: no variable.
const Var* stored_variable(const StoreStmt& stmt) {
    const TensorElement* vector = element_behind_address(stmt.base);
    return variable(vector ? vector->base : stmt.base);
}

// `buffer[...]` as a vector = `tensor[...]` as one.
struct VectorLoad {
    const Var* buffer = nullptr;
    const Var* tensor = nullptr;
};
std::optional<VectorLoad> vector_load(const StmtRef& stmt) {
    const auto* store = as<StoreStmt>(stmt);
    const auto* value = store ? as<TensorElement>(store->value) : nullptr;
    const TensorElement* to = store ? element_behind_address(store->base) : nullptr;
    const TensorElement* from = value ? element_behind_address(value->base) : nullptr;
    if (!to || !from || !variable(to->base) || !variable(from->base))
        return std::nullopt;
    return VectorLoad{variable(to->base), variable(from->base)};
}

// Variables that a statement stores to, as elements or as vectors.
struct StoredVariables {
    explicit StoredVariables(const NodeRef& root) {
        each_node(
            root,
            [&](const StoreStmt& stmt) {
                if (const Var* var = stored_variable(stmt))
                    found.insert(var);
            },
            [&](const Intrinsic& expr) { is_plain = is_plain && info(expr.id).effect == IntrinsicEffect::Pure; });
        const KindSet kinds = kinds_in(*root);
        for (Kind other : {Kind::IfStmt, Kind::WhileStmt, Kind::BreakStmt, Kind::ContinueStmt, Kind::ReturnStmt,
                           Kind::AsmStmt, Kind::AssertStmt, Kind::AssignStmt, Kind::Call})
            is_plain = is_plain && !kinds.has(other);
    }
    std::unordered_set<const Var*> found;
    bool is_plain = true; // nothing but loads, stores and arithmetic
};

// Parameters that are only read, as elements or as vectors.
class ReadOnly : public Walker {
public:
    explicit ReadOnly(const Function& function) {
        for (const VarRef& param : function.params)
            found.insert(param.get());
        walk(NodeRef(function.body));
    }
    std::unordered_set<const Var*> found;

protected:
    using Walker::visit;
    void visit(const Var& var) override { found.erase(&var); }
    void visit(const TensorElement& expr) override {
        const TensorElement* vector = element_behind_address(expr.base);
        const TensorElement& element = vector ? *vector : expr;
        if (!variable(element.base))
            walk(*element.base);
        for (const ExprRef& index : element.indices)
            walk(*index);
        for (const ExprRef& index : expr.indices)
            walk(*index);
    }
    void visit(const StoreStmt& stmt) override {
        if (const Var* var = stored_variable(stmt))
            found.erase(var);
        walk_children(stmt);
    }
    void visit(const Address& expr) override {
        const auto* element = as<TensorElement>(expr.place);
        if (const Var* var = element ? variable(element->base) : nullptr)
            found.erase(var);
        walk_children(expr);
    }
};

// The variables of an expression, and whether no memory is read for it.
struct Reads {
    explicit Reads(const NodeRef& root) {
        each_node(
            root, [&](const Var& var) { variables.push_back(&var); }, [&](const TensorElement&) { is_memory = true; },
            [&](const Deref&) { is_memory = true; });
    }
    std::vector<const Var*> variables;
    bool is_memory = false;
};

// Each buffer is a row of a larger one.
class RowsOf : public Rewriter {
public:
    RowsOf(PassId pass, const std::unordered_map<const Var*, VarRef>& rows, ExprRef row)
        : Rewriter(pass, Definitions::Copy), m_rows(rows), m_row(std::move(row)) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const TensorElement& expr) override {
        const Var* base = variable(expr.base);
        const auto found = base ? m_rows.find(base) : m_rows.end();
        if (found == m_rows.end())
            return rebuild(expr);
        ExprVec indices = {m_row};
        for (const ExprRef& index : expr.indices)
            indices.push_back(rewrite(index));
        return make_element(found->second, std::move(indices));
    }

private:
    const std::unordered_map<const Var*, VarRef>& m_rows;
    const ExprRef m_row;
};

class LoadHoister : public Rewriter {
public:
    LoadHoister(PassId pass, const Function& function)
        : Rewriter(pass), m_read_only(ReadOnly(function).found), m_params(function.params) {}

protected:
    using Rewriter::visit;
    StmtRef visit(const ForStmt& stmt) override {
        const StmtRef inner = rebuild(stmt);
        const auto* loop = as<ForStmt>(inner);
        const auto trips = constant_int(loop->extent);
        if (loop->attr.what != LoopAttr::What::Unroll || !trips || *trips < 2 || *trips > most_hoisted)
            return inner;
        const Body body = body_of(loop->body);
        const StoredVariables stored(make_seq(body.stmts));
        const auto is_written = [&](const VarRef& param) { return stored.found.contains(param.get()); };
        if (!stored.is_plain || std::ranges::none_of(m_params, is_written))
            return inner;
        const StmtRef hoisted = split(*loop, body, *trips);
        return hoisted ? hoisted : inner;
    }

private:
    // Statements, of which those from `guarded` on stand behind the condition.
    struct Body {
        StmtVec stmts;
        std::size_t guarded = 0;
        ExprRef condition; // null: there is none
    };
    static Body body_of(const StmtRef& stmt) {
        Body body{statements_of(stmt), 0, nullptr};
        const auto* guard = body.stmts.empty() ? nullptr : as<IfStmt>(body.stmts.back());
        if (!guard || guard->else_body)
            return body;
        const StmtVec inner = statements_of(guard->then_body);
        body.condition = guard->condition;
        body.stmts.pop_back();
        body.guarded = body.stmts.size();
        body.stmts.insert(body.stmts.end(), inner.begin(), inner.end());
        return body;
    }
    static StmtRef guarded(const Body& body, StmtVec outside, StmtVec inside) {
        if (body.condition && !inside.empty())
            inside = {make_if(body.condition, make_seq(std::move(inside)))};
        outside.insert(outside.end(), inside.begin(), inside.end());
        return make_seq(std::move(outside));
    }

    // Null: there is nothing to load early.
    StmtRef split(const ForStmt& loop, const Body& body, std::int64_t trips) {
        const std::vector<const Var*> buffers = buffers_of(body);
        std::int64_t bytes = 0;
        for (const Var* buffer : buffers)
            bytes += extent_of(*buffer) * bytes_of(element_of(*buffer));
        std::int64_t at_once = trips;
        while (at_once > 1 && (trips % at_once != 0 || at_once * bytes > most_waiting))
            --at_once;
        std::unordered_set<const Stmt*> early, moved;
        for (const StmtRef& stmt : body.stmts) {
            const auto load = vector_load(stmt);
            const auto* declare = as<DeclareStmt>(stmt);
            const Var* var = load ? load->buffer : declare ? declare->var.get() : nullptr;
            if (!var || std::ranges::find(buffers, var) == buffers.end())
                continue;
            moved.insert(stmt.get());
            if (load)
                early.insert(stmt.get());
        }
        if (at_once < 2 || early.empty() || !add_lets(body, early))
            return nullptr;

        StmtVec all;
        std::unordered_map<const Var*, VarRef> rows;
        for (const Var* buffer : buffers) {
            const ExprVec shape = {int_constant(at_once), int_constant(extent_of(*buffer))};
            rows[buffer] = make_var(buffer->name, tensor_type(data_type(element_of(*buffer)), shape));
            all.push_back(make_declare(rows[buffer]));
        }
        const DType index = *scalar_of(loop.var->type);
        const VarRef part = at_once < trips ? make_var(loop.var->name, loop.var->type) : nullptr;
        const auto add_loop = [&](const auto& is_wanted) {
            StmtVec outside, inside;
            for (std::size_t i = 0; i < body.stmts.size(); ++i)
                if (is_wanted(body.stmts[i].get()))
                    (i < body.guarded ? outside : inside).push_back(body.stmts[i]);
            const VarRef trip = make_var(loop.var->name, loop.var->type);
            RowsOf rewriter(pass(), rows, trip);
            rewriter.replace(loop.var, part ? add(mul(part, int_constant(at_once, index)), trip) : ExprRef(trip));
            const StmtRef stmts = guarded(body, std::move(outside), std::move(inside));
            all.push_back(make_for(trip, int_constant(at_once, index), loop.attr, rewriter.rewrite(stmts)));
        };
        add_loop([&](const Stmt* stmt) { return early.contains(stmt); });
        add_loop([&](const Stmt* stmt) { return !moved.contains(stmt); });
        const StmtRef pair = make_seq(std::move(all));
        return part ? make_for(part, int_constant(trips / at_once, index), loop.attr, pair) : pair;
    }

    static DType element_of(const Var& buffer) { return *scalar_of(tensor_of(buffer.type)->element); }
    static std::int64_t extent_of(const Var& buffer) { return *constant_int(tensor_of(buffer.type)->shape[0]); }

    // Arrays of the body that only vectors of read-only tensors are written to.
    std::vector<const Var*> buffers_of(const Body& body) const {
        std::vector<const Var*> buffers;
        std::unordered_set<const Var*> written, declared;
        for (const StmtRef& stmt : body.stmts) {
            if (const auto* declare = as<DeclareStmt>(stmt); declare && !declare->init)
                declared.insert(declare->var.get());
            const auto load = vector_load(stmt);
            if (!load || !m_read_only.contains(load->tensor)) {
                written.merge(StoredVariables(stmt).found);
                continue;
            }
            const TensorType* type = tensor_of(load->buffer->type);
            if (type && type->shape.size() == 1 && constant_int(type->shape[0]) && declared.contains(load->buffer) &&
                std::ranges::find(buffers, load->buffer) == buffers.end())
                buffers.push_back(load->buffer);
        }
        std::erase_if(buffers, [&](const Var* buffer) { return written.contains(buffer); });
        return buffers;
    }

    // The lets that early statements need; false: one of them reads memory.
    static bool add_lets(const Body& body, std::unordered_set<const Stmt*>& early) {
        std::unordered_set<const Var*> needed;
        const auto need = [&](const Reads& reads) {
            needed.insert(reads.variables.begin(), reads.variables.end());
            return !reads.is_memory;
        };
        if (body.condition && !need(Reads(NodeRef(body.condition))))
            return false;
        for (auto stmt = body.stmts.rbegin(); stmt != body.stmts.rend(); ++stmt) {
            const auto* let = as<DeclareStmt>(*stmt);
            const bool is_needed = let && needed.contains(let->var.get());
            if (is_needed && (!let->is_let || !let->init || Reads(NodeRef(let->init)).is_memory))
                return false;
            if (!is_needed && !early.contains(stmt->get()))
                continue;
            early.insert(stmt->get());
            if (!need(Reads(is_needed ? NodeRef(let->init) : indices_of(*stmt))))
                return false;
        }
        return true;
    }
    // Where a vector is loaded from, as one expression.
    static NodeRef indices_of(const StmtRef& load) {
        const auto* value = as<TensorElement>(as<StoreStmt>(load)->value);
        ExprRef sum = int_constant(0);
        for (const ExprRef& index : element_behind_address(value->base)->indices)
            sum = ir::add(sum, index);
        return sum;
    }

    const std::unordered_set<const Var*> m_read_only; // parameters
    const VarVec& m_params;
};

} // namespace

ModuleRef hoist_loads(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        if (!function->wide_access || function->func_kind != FuncKind::CudaKernel)
            return function;
        return with_body(function, LoadHoister(context.pass, *function).rewrite(function->body));
    });
}

} // namespace hidet::compiler
