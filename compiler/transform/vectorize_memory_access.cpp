// SPDX-License-Identifier: Apache-2.0
// Elements that neighbour each other in memory are read and written together: 16, 8 or 4 bytes at a time. Schedules and what
// is fused with them speak of elements; this is where `for e in grid(8, attrs='u'): c[row, column + e] = ...` of halves becomes
// one store of 16 bytes, and each load of a residual, a bias or a scale beside it one load.
//
// A loop that is to be unrolled is divided into pieces of as many trips as a vector has elements. A piece loads its vectors
// into arrays of its own, runs its trips on them, element by element, and stores its vectors: the order of loads and stores
// changes, so it is done only where the kernel promises that its tensors are apart (Function::wide_access). The same promise
// says that they begin at multiples of 16 bytes; that an element does is proven of its index.
//
// Only straight bodies: lets and stores. A load that a condition guards stays where it is, unless the condition is the same
// for all elements of a piece: halves of a row that were joined, or change places, are then read as vectors behind it.
//
// Needs: no slices, no mappings, no protected access.
// Guarantees: the same elements are stored, with the same values, and no others are read.
// Why here: lets and unrolled copies have shown what indices are made of; the emulator counts what the GPU will do.
#include <algorithm>
#include <unordered_set>

#include "compiler/analysis/same.h"
#include "compiler/analysis/strided.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"
#include "compiler/transform/slots.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::int64_t vector_bytes = 16;
constexpr std::int64_t most_trips = 64;

struct Access {
    ExprRef base; // the kernel's tensor
    ExprVec indices;
    ExprRef guard = {}; // of a load, for a whole piece; null: always
    DType element{};
    std::int64_t width = 0; // elements of a vector
    VarRef buffer = {};     // the elements of a piece
};

// What a body is made of; nothing when it is not straight.
struct Body {
    StmtVec lets;
    std::vector<const StoreStmt*> stores;
    StmtVec stmts; // in order
};

std::optional<Body> straight(const StmtRef& stmt) {
    Body body;
    body.stmts = statements_of(stmt);
    for (const StmtRef& each : body.stmts) {
        const auto* let = as<DeclareStmt>(each);
        if (let && let->is_let)
            body.lets.push_back(each);
        else if (const auto* store = as<StoreStmt>(each); store && !store->is_protected)
            body.stores.push_back(store);
        else
            return std::nullopt;
    }
    return body.stores.empty() ? std::nullopt : std::optional(std::move(body));
}

struct Guard {
    ExprRef condition;
    bool holds = true;
};

struct Load {
    const TensorElement* element = nullptr;
    std::vector<Guard> guards;
    bool is_movable = true; // nothing but the guards decides whether it is done
};

class Loads : public Walker {
public:
    explicit Loads(const Body& body) {
        for (const StmtRef& stmt : body.stmts)
            walk(NodeRef(stmt));
    }
    std::vector<Load> found;

protected:
    using Walker::visit;
    void visit(const TensorElement& expr) override {
        found.push_back({&expr, m_guards, m_fixed == 0 && !expr.is_protected});
        walk_children(expr);
    }
    void visit(const Select& expr) override {
        walk(NodeRef(expr.condition));
        walk_behind({expr.condition, true}, expr.a);
        walk_behind({expr.condition, false}, expr.b);
    }
    void visit(const Binary& expr) override {
        walk(NodeRef(expr.a));
        const bool is_conditional = expr.op == BinOp::And || expr.op == BinOp::Or;
        m_fixed += is_conditional ? 1 : 0;
        walk(NodeRef(expr.b));
        m_fixed -= is_conditional ? 1 : 0;
    }
    void visit(const Address& expr) override {
        ++m_fixed;
        walk_children(expr);
        --m_fixed;
    }

private:
    void walk_behind(Guard guard, const ExprRef& expr) {
        m_guards.push_back(std::move(guard));
        walk(NodeRef(expr));
        m_guards.pop_back();
    }
    std::vector<Guard> m_guards;
    int m_fixed = 0; // how many conditions that are no guards, or addresses, the walk is behind
};

// What may change its place among the other accesses. A tensor that is read and written keeps the order of its accesses, and so
// does one that is written twice.
struct Movable {
    std::vector<const StoreStmt*> stores;
    std::vector<Load> loads; // those without guards first
};

Movable movable(const Body& body) {
    std::vector<Load> loads = Loads(body).found;
    std::unordered_set<const Expr*> loaded;
    std::unordered_map<const Expr*, int> stored;
    for (const Load& load : loads)
        loaded.insert(load.element->base.get());
    for (const StoreStmt* store : body.stores)
        ++stored[store->base.get()];
    Movable result;
    for (const StoreStmt* store : body.stores)
        if (!loaded.contains(store->base.get()) && stored[store->base.get()] == 1)
            result.stores.push_back(store);
    std::erase_if(loads,
                  [&](const Load& load) { return !load.is_movable || stored.contains(load.element->base.get()); });
    std::ranges::stable_partition(loads, [](const Load& load) { return load.guards.empty(); });
    result.loads = std::move(loads);
    return result;
}

// What the body's stores cannot change: a variable that changes elsewhere may be in it, as nothing in a straight body assigns.
bool is_kept(const ExprRef& expr, const Uses& uses) {
    return !any_of_nodes(
        expr, [&](const Var& var) { return var.type->kind == Kind::ReferenceType || uses.of(var).addressed; },
        [](const TensorElement&) { return true; }, [](const Deref&) { return true; }, [](const Call&) { return true; },
        [](const Intrinsic& call) {
            return info(call.id).effect != IntrinsicEffect::Pure || info(call.id).does == Does::Assumes;
        });
}

bool is_of(const Access& access, const ExprRef& base, const ExprVec& indices) {
    return access.base == base && std::ranges::equal(access.indices, indices, same_expr);
}

// The body of a piece: elements of its buffers in the place of those of tensors.
class PieceRewriter : public Rewriter {
public:
    PieceRewriter(PassId pass, const std::vector<Access>& loads, const std::vector<Access>& stores, ExprRef element)
        : Rewriter(pass, Definitions::Copy), m_loads(loads), m_stores(stores), m_element(std::move(element)) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const TensorElement& expr) override {
        const Access* access = find(m_loads, expr.base, expr.indices);
        return access ? make_element(access->buffer, {m_element}) : rebuild(expr);
    }
    StmtRef visit(const StoreStmt& stmt) override {
        const Access* access = find(m_stores, stmt.base, stmt.indices);
        return access ? make_store(access->buffer, {m_element}, rewrite(stmt.value)) : StmtRef(rebuild(stmt));
    }

private:
    static const Access* find(const std::vector<Access>& accesses, const ExprRef& base, const ExprVec& indices) {
        for (const Access& access : accesses)
            if (is_of(access, base, indices))
                return &access;
        return nullptr;
    }
    const std::vector<Access>& m_loads;
    const std::vector<Access>& m_stores;
    const ExprRef m_element;
};

TypeRef vector_type(std::int64_t bytes) {
    return data_type(bytes == 16 ? DType::F32x4 : bytes == 8 ? DType::F32x2 : DType::F32);
}

class Joiner : public SlotRewriter {
public:
    Joiner(PassId pass, const Uses& uses, const LaunchBounds* bounds, const Function& function)
        : SlotRewriter(pass, uses, bounds), m_form(ranges, [this](const Var& var) { return value_of(var); }) {
        for (const VarRef& param : function.params)
            if (tensor_of(param->type) && scalar_of(tensor_of(param->type)->element))
                m_tensors.insert(param.get());
    }

protected:
    using SlotRewriter::visit;

    StmtRef visit(const DeclareStmt& stmt) override {
        if (stmt.is_let && uses.is_immutable(*stmt.var))
            m_values[stmt.var.get()] = stmt.init;
        return SlotRewriter::visit(stmt);
    }
    StmtRef visit(const ForStmt& stmt) override {
        const auto trips = constant_int(stmt.extent);
        const bool is_unrolled = stmt.attr.what == LoopAttr::What::Unroll;
        if (!is_unrolled || !trips || *trips < 2 || *trips > most_trips)
            return SlotRewriter::visit(stmt);
        const auto body = straight(stmt.body);
        const StmtRef joined = body ? scoped([&] {
            learn_loop(*stmt.var, stmt.extent);
            return join(stmt, *body, *trips);
        })
                                    : nullptr;
        return joined ? joined : SlotRewriter::visit(stmt);
    }

private:
    ExprRef value_of(const Var& var) const {
        const auto found = m_values.find(&var);
        return found == m_values.end() ? nullptr : found->second;
    }

    // Null: nothing is gained.
    StmtRef join(const ForStmt& loop, const Body& body, std::int64_t trips) {
        m_inside.clear();
        for (const StmtRef& let : body.lets) {
            m_inside.insert(as<DeclareStmt>(let)->var.get());
            m_values[as<DeclareStmt>(let)->var.get()] = as<DeclareStmt>(let)->init;
        }
        const Movable accesses = movable(body);
        for (std::int64_t piece = std::min<std::int64_t>(trips & -trips, vector_bytes); piece > 1; piece /= 2) {
            std::vector<Access> stores, loads;
            for (const StoreStmt* store : accesses.stores)
                add(stores, {store->base, store->indices}, {loop, piece});
            add_loads(loads, accesses.loads, {loop, piece});
            const auto is_full = [&](const Access& access) {
                return access.width * bytes_of(access.element) == vector_bytes || access.width == piece;
            };
            const bool is_worth_it = std::ranges::any_of(loads, is_full) || std::ranges::any_of(stores, is_full);
            if (is_worth_it)
                return pieces(loop, trips, piece, loads, stores);
        }
        return nullptr;
    }

    struct Loop {
        const ForStmt& stmt;
        std::int64_t piece;
    };

    void add_loads(std::vector<Access>& accesses, const std::vector<Load>& loads, const Loop& loop) {
        std::vector<const TensorElement*> staying;
        for (const Load& load : loads) {
            const auto guard = load.is_movable ? guard_of(load, loop) : std::nullopt;
            if (guard)
                add(accesses, {load.element->base, load.element->indices, *guard}, loop);
            else
                staying.push_back(load.element);
        }
        // Whoever stays would find an element of a piece that its guard has not read.
        std::erase_if(accesses, [&](const Access& access) {
            const auto is_its = [&](const TensorElement* each) { return is_of(access, each->base, each->indices); };
            return access.guard && std::ranges::any_of(staying, is_its);
        });
    }

    // What decides about the load in every trip of a piece, said of the first; null: nothing does. Nothing: it differs.
    std::optional<ExprRef> guard_of(const Load& load, const Loop& loop) const {
        ExprRef all;
        for (const Guard& guard : load.guards) {
            if (!is_same_in_piece(guard.condition, loop))
                return std::nullopt;
            const ExprRef one = guard.holds ? guard.condition : logical_not(guard.condition);
            all = all ? logical_and(all, one) : one;
        }
        return all;
    }
    // A comparison with a constant: of a number that is the same in all trips, or counts them from a multiple of the piece.
    bool is_same_in_piece(const ExprRef& condition, const Loop& loop) const {
        const auto* binary = as<Binary>(condition);
        if (!binary)
            return false;
        if (binary->op == BinOp::And)
            return is_same_in_piece(binary->a, loop) && is_same_in_piece(binary->b, loop);
        const bool is_less = binary->op == BinOp::Lt, is_above = constant_int(binary->a).has_value();
        const auto bound = constant_int(is_above ? binary->a : binary->b);
        if (!bound || !(is_less || binary->op == BinOp::Le))
            return false;
        const auto line = line_of(is_above ? binary->b : binary->a, loop);
        const std::int64_t first_beyond = *bound + (is_less == is_above ? 1 : 0);
        const bool is_at_edge = first_beyond % loop.piece == 0;
        return line && (line->stride == 0 ||
                        (line->stride == 1 && is_at_edge && m_form.multiple_of(line->base) % loop.piece == 0));
    }
    std::optional<Strided> line_of(const ExprRef& expr, const Loop& loop) const {
        const auto is_inside = [&](const Var& var) { return m_inside.contains(&var); };
        auto line = m_form.of(expr, *loop.stmt.var, loop.piece, is_inside);
        return line && is_kept(line->base, uses) ? line : std::nullopt;
    }

    void add(std::vector<Access>& accesses, Access access, const Loop& loop) {
        const auto* tensor = as<Var>(access.base);
        if (!tensor || !m_tensors.contains(tensor))
            return;
        for (Access& known : accesses)
            if (is_of(known, access.base, access.indices)) {
                known.guard = known.guard && access.guard ? logical_or(known.guard, access.guard) : nullptr;
                return;
            }
        const TensorType& type = *tensor_of(tensor->type);
        const DType element = *scalar_of(type.element);
        const std::int64_t bytes = bytes_of(element);
        if (bytes == 0 || bytes >= vector_bytes || layout_of(type)->kind != Kind::StridesLayout)
            return;
        const auto line = line_of(slot_of(layout_of(type), access.indices), loop);
        if (!line || line->stride != 1)
            return;
        // The first element of a piece.
        const std::int64_t width = std::min({loop.piece, m_form.multiple_of(line->base), vector_bytes / bytes});
        if (width < 2 || width * bytes < 4)
            return;
        access.element = element;
        access.width = width;
        accesses.push_back(std::move(access));
    }

    StmtRef pieces(const ForStmt& loop, std::int64_t trips, std::int64_t piece, std::vector<Access>& loads,
                   std::vector<Access>& stores) {
        const DType index = *scalar_of(loop.var->type);
        const VarRef part = trips > piece ? make_var(loop.var->name, loop.var->type) : nullptr;
        const ExprRef start = part ? mul(part, int_constant(piece, index)) : int_constant(0, index);
        const VarRef element = make_var(loop.var->name, loop.var->type);
        StmtVec stmts;
        for (std::vector<Access>* accesses : {&loads, &stores})
            for (Access& access : *accesses) {
                const auto* tensor = as<Var>(access.base);
                access.buffer =
                    make_var(tensor->name + "_piece", tensor_type(data_type(access.element), {int_constant(piece)}));
                stmts.push_back(make_declare(access.buffer));
            }
        for (const Access& access : loads)
            move(access, loop, start, piece, false, stmts);
        PieceRewriter rewriter(pass(), loads, stores, element);
        rewriter.replace(loop.var, add_index(start, element));
        stmts.push_back(make_for(element, int_constant(piece, index), loop.attr, rewriter.rewrite(loop.body)));
        for (const Access& access : stores)
            move(access, loop, start, piece, true, stmts);
        const StmtRef all = make_seq(std::move(stmts));
        return part ? make_for(part, int_constant(trips / piece, index), loop.attr, all) : all;
    }
    static ExprRef add_index(const ExprRef& start, const ExprRef& element) {
        return is_constant(start, 0) ? element : ir::add(start, element);
    }

    // Vectors between a buffer and the tensor.
    void move(const Access& access, const ForStmt& loop, const ExprRef& start, std::int64_t piece, bool is_store,
              StmtVec& stmts) {
        const TypeRef vector = vector_type(access.width * bytes_of(access.element));
        StmtVec moves;
        for (std::int64_t at = 0; at < piece; at += access.width) {
            Rewriter indices(pass());
            indices.replace(loop.var, ir::add(start, int_constant(at, *scalar_of(loop.var->type))));
            ExprVec place;
            for (const ExprRef& index : access.indices)
                place.push_back(indices.rewrite(seen_through(index)));
            const auto view = [&](const ExprRef& base, ExprVec where) {
                return make_cast(make_address(make_element(base, std::move(where))), pointer_type(vector));
            };
            const ExprRef memory = view(access.base, std::move(place));
            const ExprRef buffer = view(access.buffer, {int_constant(at)});
            const ExprRef& to = is_store ? memory : buffer;
            const ExprRef& from = is_store ? buffer : memory;
            moves.push_back(make_store(to, {int_constant(0)}, make_element(from, {int_constant(0)})));
        }
        if (!access.guard)
            return stmts.insert(stmts.end(), moves.begin(), moves.end()), void();
        Rewriter at_start(pass());
        at_start.replace(loop.var, start);
        stmts.push_back(make_if(at_start.rewrite(seen_through(access.guard)), make_seq(std::move(moves))));
    }
    // Lets of the body are not there outside of it.
    ExprRef seen_through(const ExprRef& index) const {
        class Expander : public Rewriter {
        public:
            explicit Expander(const Joiner& joiner) : m_joiner(joiner) {}

        protected:
            using Rewriter::visit;
            ExprRef visit(const Var& var) override {
                const ExprRef value = m_joiner.m_inside.contains(&var) ? m_joiner.value_of(var) : nullptr;
                return value ? rewrite(value) : self(var);
            }

        private:
            const Joiner& m_joiner;
        } expander(*this);
        return expander.rewrite(index);
    }

    std::unordered_set<const Var*> m_tensors; // parameters
    std::unordered_set<const Var*> m_inside;  // lets of the loop at hand
    std::unordered_map<const Var*, ExprRef> m_values;
    const StridedForm m_form;
};

} // namespace

ModuleRef vectorize_memory_access(const ModuleRef& module, PassContext& context) {
    const auto bounds = launch_bounds(*module);
    return map_functions(module, [&](const FunctionRef& function) {
        if (!function->wide_access || function->func_kind != FuncKind::CudaKernel)
            return function;
        const Uses uses = uses_in(*function, module.get());
        Joiner joiner(context.pass, uses, find_bounds(bounds, *function), *function);
        return with_body(function, joiner.rewrite(function->body));
    });
}

} // namespace hidet::compiler
