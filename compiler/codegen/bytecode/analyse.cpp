// SPDX-License-Identifier: Apache-2.0
// Which values differ between the threads of a group: a fixed point over the function with its inlined calls.
#include <utility>

#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"

namespace hidet::compiler::bytecode {

class Analysis {
public:
    explicit Analysis(Generator& generator) : m_generator(generator), m_instance(&generator.m_root) {}

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
    struct LoopScope {
        const ir::Node* stmt;
        int depth; // inside of the loop
    };
    struct RegionScope {
        Instance* instance;
        int depth;
    };

    void set(bool& fact) {
        m_changed = m_changed || !fact;
        fact = true;
    }

    Variable& variable(const ir::Var& var) {
        Variable* v = &m_instance->variables[&var];
        while (v->alias)
            v = v->alias;
        return *v;
    }

    void assigned(Variable& v, bool varying) {
        if (varying || m_depth > v.depth)
            set(v.varying);
    }

    // The address of an element of a local array is the array's; that of an element behind a pointer is not the pointer's.
    void escape(const ir::ExprRef& e) {
        if (const auto* var = ir::as<ir::Var>(e)) {
            if (!ir::is_tensor_map(var->type)) // it is known by its address as it is
                set(variable(*var).escapes);
        } else if (const auto* element = ir::as<ir::TensorElement>(e)) {
            if (ir::is_array(element->base->type))
                escape(element->base);
        } else if (const auto* cast = ir::as<ir::Cast>(e)) {
            escape(cast->a);
        }
    }

    // The base of an element: an array used here does not escape.
    bool base(const ir::ExprRef& e) {
        if (const auto* var = ir::as<ir::Var>(e))
            if (ir::is_array(var->type)) {
                const Variable& v = variable(*var);
                return v.array == -2 || v.varying;
            }
        return walk(e);
    }

    // Walks an expression and says if it differs between threads. On the host there is one thread.
    bool walk(const ir::ExprRef& expr) { return expr && look(expr) && m_generator.m_is_kernel; }
    bool look(const ir::ExprRef& expr) {
        switch (ir::kind_of(*expr)) {
        case ir::ExprKind::Var: {
            const auto& var = static_cast<const ir::Var&>(*expr);
            Variable& v = variable(var);
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
            return varying || !both_evaluated(e.a, e.b);
        }
        case ir::ExprKind::Binary: {
            const auto& e = static_cast<const ir::Binary&>(*expr);
            bool a = walk(e.a);
            if (e.op != ir::BinOp::And && e.op != ir::BinOp::Or)
                return walk(e.b) || a;
            bool varying = guarded(a, [&] { return walk(e.b); }) || a;
            return varying || !both_evaluated(e.b, e.b);
        }
        case ir::ExprKind::Let: {
            const auto& e = static_cast<const ir::Let&>(*expr);
            declare(*e.var, e.value);
            return walk(e.body);
        }
        case ir::ExprKind::TensorElement: {
            const auto& e = static_cast<const ir::TensorElement&>(*expr);
            bool varying = base(e.base);
            for (const ir::ExprRef& index : e.indices)
                varying = walk(index) || varying;
            return varying || is_local(e.base);
        }
        case ir::ExprKind::Address: {
            const auto& e = static_cast<const ir::Address&>(*expr);
            escape(e.place);
            return address(e.place);
        }
        case ir::ExprKind::Deref: {
            const auto& e = static_cast<const ir::Deref&>(*expr);
            return walk(e.pointer) || points_to_local(e.pointer);
        }
        case ir::ExprKind::Call: return walk_call(static_cast<const ir::Call&>(*expr));
        case ir::ExprKind::Intrinsic: return walk_intrinsic(static_cast<const ir::Intrinsic&>(*expr));
        case ir::ExprKind::SymbolVar:
        case ir::ExprKind::Constant:
        case ir::ExprKind::Unary:
        case ir::ExprKind::TensorSlice:
        case ir::ExprKind::Cast: {
            bool varying = false;
            ir::for_each_child(*expr, [&](const ir::Node* child_node) {
                ir::NodeRef child(child_node);
                if (child && ir::is_expr(*child))
                    varying = walk(ir::cast<ir::Expr>(child)) || varying;
            });
            return varying;
        }
        }
        ir::no_such_kind(*expr);
    }

    // Where not all operands may be evaluated, the result is assigned on two ways, and such a register is one of each thread.
    bool both_evaluated(const ir::ExprRef& a, const ir::ExprRef& b) {
        Instance* outer = std::exchange(m_generator.m_instance, m_instance);
        bool safe = m_generator.is_safe(a) && m_generator.is_safe(b);
        m_generator.m_instance = outer;
        return safe;
    }

    // The operand of `~`: its indices, not its value.
    bool address(const ir::ExprRef& place) {
        if (const auto* element = ir::as<ir::TensorElement>(place)) {
            bool varying = base(element->base);
            for (const ir::ExprRef& index : element->indices)
                varying = walk(index) || varying;
            return varying;
        }
        if (const auto* deref = ir::as<ir::Deref>(place))
            return walk(deref->pointer);
        return false;
    }

    // Every thread has its own copy of what stands in a local array, also behind pointers to one.
    bool is_local(const ir::ExprRef& e) {
        if (!m_generator.m_is_kernel)
            return false;
        if (const auto* var = ir::as<ir::Var>(e); var && ir::is_array(var->type))
            return variable(*var).array == -2;
        return points_to_local(e);
    }
    bool points_to_local(const ir::ExprRef& e) {
        if (!e || !m_generator.m_is_kernel)
            return false;
        if (const auto* var = ir::as<ir::Var>(e)) {
            const Variable& v = variable(*var);
            return v.array == -2 || v.shared == -2;
        }
        if (const auto* address = ir::as<ir::Address>(e)) {
            if (ir::as<ir::Var>(address->place))
                return true;
            if (const auto* element = ir::as<ir::TensorElement>(address->place))
                return is_local(element->base);
            return false;
        }
        if (const auto* cast = ir::as<ir::Cast>(e))
            return points_to_local(cast->a);
        if (const auto* binary = ir::as<ir::Binary>(e))
            return points_to_local(binary->a) || points_to_local(binary->b);
        if (const auto* select = ir::as<ir::Select>(e))
            return points_to_local(select->a) || points_to_local(select->b);
        return false;
    }

    template <class F>
    bool guarded(bool varying, F&& f) {
        m_depth += varying;
        bool result = f();
        m_depth -= varying;
        return result;
    }

    void declare(const ir::Var& var, const ir::ExprRef& init) {
        Variable& v = variable(var);
        v.depth = m_depth;
        if (init) {
            if (walk(init))
                set(v.varying);
            if (points_to_local(init) && !ir::is_array(var.type))
                v.shared = -2; // marks a pointer to a local array
        }
    }

    bool walk_call(const ir::Call& e) {
        const ir::Function* callee = ir::find_function(m_generator.m_module, e.callee);
        bool any = false;
        if (!callee || !callee->body) {
            for (const ir::ExprRef& arg : e.args)
                any = walk(arg) || any;
            return any;
        }
        std::unique_ptr<Instance>& child = m_instance->calls[&e];
        if (!child) {
            if (++m_generator.m_inline_depth > 100'000)
                unsupported(e, "a call that is inlined so often");
            child = std::make_unique<Instance>();
            child->function = callee;
            child->parent = m_instance;
        }
        Instance* caller = m_instance;
        for (std::size_t i = 0; i < callee->params.size() && i < e.args.size(); ++i) {
            const ir::VarRef& param = callee->params[i];
            Variable& p = child->variables[param.get()];
            if (ir::as<ir::ReferenceType>(param->type)) {
                if (const auto* var = ir::as<ir::Var>(e.args[i])) {
                    variable(*var).assigned = true;
                    p.alias = &variable(*var);
                } else {
                    address(e.args[i]);
                    set(p.varying);
                }
                continue;
            }
            bool varying = walk(e.args[i]);
            bool local = points_to_local(e.args[i]) || (ir::as<ir::Var>(e.args[i]) && is_local(e.args[i]));
            m_instance = child.get();
            p.depth = m_depth + child->leaves_apart;
            if (varying)
                set(p.varying);
            if (local)
                p.shared = -2;
            m_instance = caller;
        }
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
        bool varying = false;
        for (const ir::ExprRef& arg : e.args)
            varying = walk(arg) || varying;
        const ir::IntrinsicInfo& row = ir::info(e.id);
        bool is_turn = row.does == ir::Does::Observes && row.writes; // each thread sees what the one before it left
        if (row.does == ir::Does::Exchanges || row.does == ir::Does::Awaits || is_turn)
            return true;
        if (row.does == ir::Does::JoinsBlock)
            return false;
        for (std::size_t i = 0; i < e.args.size(); ++i)
            if (ir::parameter_of(row, i, e.args.size()).access.reads)
                varying = varying || points_to_local(e.args[i]);
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
                variable(*stmt.var).array = -2; // marks a local array
            declare(*stmt.var, stmt.init);
            return;
        }
        case ir::StmtKind::AssignStmt: {
            const auto& stmt = static_cast<const ir::AssignStmt&>(*node);
            Variable& v = variable(*stmt.var);
            set(v.assigned);
            bool varying = walk(stmt.value);
            assigned(v, varying);
            if (points_to_local(stmt.value) || (ir::as<ir::Var>(stmt.value) && is_local(stmt.value)))
                v.shared = -2;
            return;
        }
        case ir::StmtKind::StoreStmt: {
            const auto& stmt = static_cast<const ir::StoreStmt&>(*node);
            base(stmt.base);
            for (const ir::ExprRef& index : stmt.indices)
                walk(index);
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
        case ir::StmtKind::LaunchStmt:
            ir::for_each_child(*node, [&](const ir::Node* child) {
                if (child && ir::is_expr(*child))
                    walk(ir::ExprRef(static_cast<const ir::Expr*>(child)));
            });
        }
    }

    Generator& m_generator;
    Instance* m_instance;
    bool m_changed = false;
    int m_depth = 0;
    std::vector<RegionScope> m_regions;
    std::vector<LoopScope> m_loops;
};

void analyse(Generator& generator, const ir::Function& function) {
    Analysis(generator).run(function);
}

} // namespace hidet::compiler::bytecode
