// SPDX-License-Identifier: Apache-2.0
// Which values differ between the threads of a group: a fixed point over the function with its inlined calls.
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"

namespace hidet::compiler::bytecode {

namespace {

struct LoopScope {
    const ir::Node* stmt;
    int depth; // inside of the loop
};
struct RegionScope {
    Instance* instance;
    int depth;
};

// The variable whose address the address of a place is: that of an element of a local array is the array's, that of an
// element behind a pointer is not the pointer's. Null: none's.
const ir::Var* variable_at(const ir::ExprRef& place) {
    if (const auto* var = ir::as<ir::Var>(place))
        return ir::is_tensor_map(var->type) ? nullptr : var; // it is known by its address as it is
    if (const auto* element = ir::as<ir::TensorElement>(place))
        return ir::is_array(element->base->type) ? variable_at(element->base) : nullptr;
    const auto* cast = ir::as<ir::Cast>(place);
    return cast ? variable_at(cast->a) : nullptr;
}

bool points_to_local(Instance& instance, const ir::ExprRef& e);

// Every thread has its own copy of what stands in a local array, also behind pointers to one.
bool is_local(Instance& instance, const ir::ExprRef& e) {
    const auto* var = ir::as<ir::Var>(e);
    return var && ir::is_array(var->type) ? variable_in(instance, *var).array == -2 : points_to_local(instance, e);
}

bool points_to_local(Instance& instance, const ir::ExprRef& e) {
    const auto also = [&](const ir::ExprRef& part) { return points_to_local(instance, part); };
    if (const auto* var = ir::as<ir::Var>(e)) {
        const Variable& v = variable_in(instance, *var);
        return v.array == -2 || v.shared == -2;
    }
    if (const auto* address = ir::as<ir::Address>(e)) {
        const auto* element = ir::as<ir::TensorElement>(address->place);
        return ir::as<ir::Var>(address->place) || (element && is_local(instance, element->base));
    }
    if (const auto* cast = ir::as<ir::Cast>(e))
        return also(cast->a);
    if (const auto* binary = ir::as<ir::Binary>(e))
        return also(binary->a) || also(binary->b);
    const auto* select = ir::as<ir::Select>(e);
    return select && (also(select->a) || also(select->b));
}

} // namespace

class Analysis {
public:
    explicit Analysis(ExprGenerator& generator) : m_generator(generator), m_instance(generator.m_instance) {}

    void run(const ir::Function& function) {
        do {
            m_changed = false;
            m_depth = 0;
            m_regions.assign(1, {m_instance, 0});
            m_loops.clear();
            walk(function.body);
        } while (m_changed);
    }

private:
    void set(bool& fact) {
        m_changed = m_changed || !fact;
        fact = true;
    }

    // An array used as the base does not escape.
    bool element(const ir::ExprRef& base, const ir::ExprVec& indices) {
        const auto* var = ir::as<ir::Var>(base);
        const Variable* array = var && ir::is_array(var->type) ? &variable_in(*m_instance, *var) : nullptr;
        bool varying = array ? array->array == -2 || array->varying : walk(base);
        return walk(indices) || varying;
    }

    // Walks an expression and says if it differs between threads. On the host there is one thread.
    bool walk(const ir::ExprRef& expr) { return expr && look(expr) && m_generator.m_is_kernel; }
    bool walk(const ir::ExprVec& exprs) {
        bool varying = false;
        for (const ir::ExprRef& expr : exprs)
            varying = walk(expr) || varying;
        return varying;
    }
    bool walk_parts(const ir::Node& node) {
        bool varying = false;
        ir::for_each_child(node, [&](const ir::Node* child) {
            if (child && ir::is_expr(*child))
                varying = walk(ir::ExprRef(static_cast<const ir::Expr*>(child))) || varying;
        });
        return varying;
    }
    bool look(const ir::ExprRef& expr) {
        switch (ir::kind_of(*expr)) {
        case ir::ExprKind::Var: {
            const auto& var = static_cast<const ir::Var&>(*expr);
            Variable& v = variable_in(*m_instance, var);
            if (ir::is_array(var.type)) {
                set(v.escapes);
                return false; // its address is the same text in all threads
            }
            return v.varying || v.escapes;
        }
        case ir::ExprKind::BuiltinVar: {
            auto which = static_cast<const ir::BuiltinVar&>(*expr).which;
            return which <= ir::Builtin::ThreadIdxZ || which == ir::Builtin::ClusterThreadRank;
        }
        case ir::ExprKind::Select: {
            const auto& e = static_cast<const ir::Select&>(*expr);
            bool condition = walk(e.condition);
            bool varying = guarded(condition, [&] { return walk(e.a) | walk(e.b); }) || condition;
            // Otherwise the result is assigned on two ways, and such a register is one of each thread.
            return varying || !(m_generator.is_safe(e.a) && m_generator.is_safe(e.b));
        }
        case ir::ExprKind::Binary: {
            const auto& e = static_cast<const ir::Binary&>(*expr);
            bool a = walk(e.a);
            if (e.op != ir::BinOp::And && e.op != ir::BinOp::Or)
                return walk(e.b) || a;
            bool varying = guarded(a, [&] { return walk(e.b); }) || a;
            return varying || !m_generator.is_safe(e.b);
        }
        case ir::ExprKind::Let: {
            const auto& e = static_cast<const ir::Let&>(*expr);
            declare(*e.var, e.value);
            return walk(e.body);
        }
        case ir::ExprKind::TensorElement: {
            const auto& e = static_cast<const ir::TensorElement&>(*expr);
            return element(e.base, e.indices) || is_local(*m_instance, e.base);
        }
        case ir::ExprKind::Address: {
            const auto& e = static_cast<const ir::Address&>(*expr);
            if (const ir::Var* var = variable_at(e.place))
                set(variable_in(*m_instance, *var).escapes);
            return address(e.place);
        }
        case ir::ExprKind::Deref: {
            const auto& e = static_cast<const ir::Deref&>(*expr);
            return walk(e.pointer) || points_to_local(*m_instance, e.pointer);
        }
        case ir::ExprKind::Call: return walk_call(static_cast<const ir::Call&>(*expr));
        case ir::ExprKind::Intrinsic: return walk_intrinsic(static_cast<const ir::Intrinsic&>(*expr));
        case ir::ExprKind::SymbolVar:
        case ir::ExprKind::Constant:
        case ir::ExprKind::Unary:
        case ir::ExprKind::TensorSlice:
        case ir::ExprKind::Cast: return walk_parts(*expr);
        }
        ir::no_such_kind(*expr);
    }

    // The operand of `~`: its indices, not its value.
    bool address(const ir::ExprRef& place) {
        if (const auto* of = ir::as<ir::TensorElement>(place))
            return element(of->base, of->indices);
        const auto* deref = ir::as<ir::Deref>(place);
        return deref && walk(deref->pointer);
    }

    template <class F>
    bool guarded(bool varying, F&& f) {
        m_depth += varying;
        bool result = f();
        m_depth -= varying;
        return result;
    }

    void declare(const ir::Var& var, const ir::ExprRef& init) {
        Variable& v = variable_in(*m_instance, var);
        v.depth = m_depth;
        if (walk(init))
            set(v.varying);
        if (points_to_local(*m_instance, init) && !ir::is_array(var.type))
            v.shared = -2; // marks a pointer to a local array
    }

    bool walk_call(const ir::Call& e) {
        const ir::Function* callee = ir::find_function(m_generator.m_module, e.callee);
        if (!callee || !callee->body)
            return walk(e.args);
        std::unique_ptr<Instance>& child = m_instance->calls[&e];
        if (!child) {
            if (++m_generator.m_inline_depth > 100'000)
                unsupported(e, "a call that is inlined so often");
            child = std::make_unique<Instance>();
            child->function = callee;
            child->parent = m_instance;
        }
        for (std::size_t i = 0; i < callee->params.size() && i < e.args.size(); ++i) {
            const ir::VarRef& param = callee->params[i];
            Variable& p = child->variables[param.get()];
            if (ir::as<ir::ReferenceType>(param->type)) {
                if (const auto* var = ir::as<ir::Var>(e.args[i])) {
                    variable_in(*m_instance, *var).assigned = true;
                    p.alias = &variable_in(*m_instance, *var);
                } else {
                    address(e.args[i]);
                    set(p.varying);
                }
                continue;
            }
            if (walk(e.args[i]))
                set(p.varying);
            if (points_to_local(*m_instance, e.args[i]))
                p.shared = -2;
            p.depth = m_depth + child->leaves_apart;
        }
        Instance* caller = m_instance;
        int outer = m_depth;
        std::vector<LoopScope> loops;
        loops.swap(m_loops);
        m_instance = child.get();
        m_depth += child->leaves_apart;
        m_regions.push_back({child.get(), m_depth});
        if (child->leaves_apart)
            set(child->result_varying);
        child->depth = outer;
        walk(callee->body);
        m_regions.pop_back();
        m_depth = outer;
        m_instance = caller;
        loops.swap(m_loops);
        return child->result_varying;
    }

    bool walk_intrinsic(const ir::Intrinsic& e) {
        bool varying = walk(e.args);
        const ir::IntrinsicInfo& row = ir::info(e.id);
        bool is_turn = row.does == ir::Does::Observes && row.writes; // each thread sees what the one before it left
        if (row.does == ir::Does::Exchanges || row.does == ir::Does::Awaits || is_turn)
            return true;
        if (row.does == ir::Does::JoinsBlock)
            return false;
        for (std::size_t i = 0; i < e.args.size(); ++i)
            if (ir::parameter_of(row, i, e.args.size()).access.reads)
                varying = varying || points_to_local(*m_instance, e.args[i]);
        return varying;
    }

    // Threads leave the loop or the function here. When only some do, the construct needs a frame.
    void leaves_loop() {
        if (!m_loops.empty() && m_depth > m_loops.back().depth - is_masked(m_loops.back().stmt))
            mask(m_loops.back().stmt);
    }
    bool is_masked(const ir::Node* loop) const { return m_instance->masked.contains(loop); }
    void mask(const ir::Node* loop) { m_changed = m_instance->masked.insert(loop).second || m_changed; }

    void walk_return(const ir::ReturnStmt& stmt) {
        bool varying = walk(stmt.value);
        RegionScope& region = m_regions.back();
        if (varying)
            set(region.instance->result_varying);
        if (m_regions.size() > 1 && m_depth > region.depth)
            set(region.instance->leaves_apart);
    }

    void walk_loop(const ir::Node& stmt, bool masked, const ir::StmtRef& body) {
        if (masked)
            mask(&stmt);
        bool framed = is_masked(&stmt);
        m_depth += framed;
        m_loops.push_back({&stmt, m_depth});
        walk(body);
        m_loops.pop_back();
        m_depth -= framed;
    }

    void walk(const ir::StmtRef& node) {
        if (!node)
            return;
        switch (ir::kind_of(*node)) {
        case ir::StmtKind::SeqStmt:
            for (const ir::StmtRef& stmt : static_cast<const ir::SeqStmt&>(*node).stmts)
                walk(stmt);
            return;
        case ir::StmtKind::DeclareStmt: {
            const auto& stmt = static_cast<const ir::DeclareStmt&>(*node);
            if (ir::is_array(stmt.var->type) && stmt.scope != ir::Scope::Shared && stmt.scope != ir::Scope::Global &&
                !ir::is_pointer(stmt.var->type))
                variable_in(*m_instance, *stmt.var).array = -2; // marks a local array
            declare(*stmt.var, stmt.init);
            return;
        }
        case ir::StmtKind::AssignStmt: {
            const auto& stmt = static_cast<const ir::AssignStmt&>(*node);
            Variable& v = variable_in(*m_instance, *stmt.var);
            set(v.assigned);
            if (walk(stmt.value) || m_depth > v.depth)
                set(v.varying);
            if (points_to_local(*m_instance, stmt.value))
                v.shared = -2;
            return;
        }
        case ir::StmtKind::StoreStmt: {
            const auto& stmt = static_cast<const ir::StoreStmt&>(*node);
            element(stmt.base, stmt.indices);
            walk(stmt.value);
            return;
        }
        case ir::StmtKind::ReturnStmt: walk_return(static_cast<const ir::ReturnStmt&>(*node)); return;
        case ir::StmtKind::BreakStmt:
        case ir::StmtKind::ContinueStmt: leaves_loop(); return;
        case ir::StmtKind::ForStmt: {
            const auto& stmt = static_cast<const ir::ForStmt&>(*node);
            bool varying = walk(stmt.extent);
            walk_loop(stmt, varying, stmt.body);
            return;
        }
        case ir::StmtKind::WhileStmt: {
            const auto& stmt = static_cast<const ir::WhileStmt&>(*node);
            m_depth += is_masked(&stmt);
            bool varying = walk(stmt.condition);
            m_depth -= is_masked(&stmt);
            walk_loop(stmt, varying, stmt.body);
            return;
        }
        case ir::StmtKind::IfStmt: {
            const auto& stmt = static_cast<const ir::IfStmt&>(*node);
            bool varying = walk(stmt.condition);
            m_depth += varying;
            walk(stmt.then_body);
            walk(stmt.else_body);
            m_depth -= varying;
            return;
        }
        case ir::StmtKind::EvaluateStmt:
        case ir::StmtKind::ForMappingStmt:
        case ir::StmtKind::AssertStmt:
        case ir::StmtKind::AsmStmt:
        case ir::StmtKind::CommentStmt:
        case ir::StmtKind::LaunchStmt: walk_parts(*node);
        }
    }

    ExprGenerator& m_generator;
    Instance*& m_instance; // the generator's, whose variables are asked about
    bool m_changed = false;
    int m_depth = 0;
    std::vector<RegionScope> m_regions;
    std::vector<LoopScope> m_loops;
};

void analyse(ExprGenerator& generator, const ir::Function& function) {
    Analysis(generator).run(function);
}

} // namespace hidet::compiler::bytecode
