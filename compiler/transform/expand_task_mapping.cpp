// SPDX-License-Identifier: Apache-2.0
// A loop over the tasks of a worker becomes loops and index arithmetic (Ding et al., ASPLOS 2023).
//
// A mapping is a chain of spatial and repeat parts, outermost first. Each part takes its share of the worker (`worker / inner
// workers` for the outer side, `worker rem inner workers` for the inner one); a spatial part turns its share into one index
// per dim, a repeat part into a loop per dim, slowest dim first. A dim's index is the digits of all parts, combined with
// the shapes of the parts to their right. Column order is only another order of digits and loops.
//
// `break` ends all the tasks of the worker and `continue` goes to the next task, whatever was generated: no loop at all (the
// body gets a loop of one trip), one (they mean it), or several (`break` sets a flag that the outer loops look at).
//
// Needs: 0 <= worker < number of workers, and evaluating the worker has no effects (check-workers).
// Guarantees: no ForMapping; loops of repeats have the attributes of the mapping, and a comment before them its text.
// Why here: from here on every pass knows For and While only.
#include "compiler/analysis/kinds.h"
#include "compiler/ir/family.h"
#include "compiler/ir/mapping.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/print.h"
#include "compiler/transform/exits.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

struct Loop {
    VarRef var;
    ExprRef extent;
    LoopAttr attr;
};
// The index of dim d is fixed[d] + varying[d]: the worker's share, which is the same for all its tasks, and the loops'.
struct Expansion {
    std::vector<Loop> loops; // outermost first
    ExprVec fixed;
    ExprVec varying;

    explicit Expansion(std::size_t rank) : fixed(rank, int_constant(0)), varying(rank, int_constant(0)) {}
};

class Expander {
public:
    explicit Expander(const VarVec& vars) : m_vars(vars) {}

    Expansion expand(const Mapping& mapping, const ExprRef& worker) {
        switch (kind_of(mapping)) {
        case MappingKind::SpatialMapping: return spatial(static_cast<const SpatialMapping&>(mapping), worker);
        case MappingKind::RepeatMapping: return repeat(static_cast<const RepeatMapping&>(mapping));
        case MappingKind::ComposedMapping: return composed(static_cast<const ComposedMapping&>(mapping), worker);
        case MappingKind::ProjectedMapping: return projected(static_cast<const ProjectedMapping&>(mapping), worker);
        }
        no_such_kind(mapping);
    }

private:
    static Expansion spatial(const SpatialMapping& mapping, const ExprRef& worker) {
        Expansion result(mapping.shape.size());
        std::vector<std::size_t> dims = dims_in_order(mapping.ranks);
        ExprRef rest = worker; // the slowest digits that are left
        for (std::size_t r = dims.size(); r-- > 0;) {
            const ExprRef& extent = mapping.shape[dims[r]];
            if (is_constant(extent, 1))
                continue;
            // The slowest digit needs no remainder: the worker is in range.
            bool is_slowest = true;
            for (std::size_t slower = 0; slower < r; ++slower)
                is_slowest = is_slowest && is_constant(mapping.shape[dims[slower]], 1);
            result.fixed[dims[r]] = is_slowest ? rest : truncating_mod(rest, extent);
            if (!is_slowest)
                rest = div(rest, extent);
        }
        return result;
    }

    Expansion repeat(const RepeatMapping& mapping) {
        Expansion result(mapping.shape.size());
        for (std::size_t d : dims_in_order(mapping.ranks)) {
            if (is_constant(mapping.shape[d], 1))
                continue;
            VarRef var = make_var(d < m_vars.size() ? m_vars[d]->name : "i", mapping.shape[d]->type);
            result.loops.push_back({var, mapping.shape[d], mapping.attrs[d]});
            result.varying[d] = var;
        }
        return result;
    }

    Expansion composed(const ComposedMapping& mapping, const ExprRef& worker) {
        ExprRef outer_workers = workers_of(mapping.outer);
        ExprRef inner_workers = workers_of(mapping.inner);
        ExprRef outer_worker = is_constant(outer_workers, 1) ? int_constant(0) : div(worker, inner_workers);
        ExprRef inner_worker = is_constant(outer_workers, 1) ? worker : truncating_mod(worker, inner_workers);
        Expansion result = expand(*mapping.outer, outer_worker);
        Expansion inner = expand(*mapping.inner, inner_worker);
        ExprVec inner_shape = shape_of(mapping.inner);
        result.loops.insert(result.loops.end(), inner.loops.begin(), inner.loops.end());
        for (std::size_t d = 0; d < inner_shape.size(); ++d) {
            result.fixed[d] = add(mul(result.fixed[d], inner_shape[d]), inner.fixed[d]);
            result.varying[d] = add(mul(result.varying[d], inner_shape[d]), inner.varying[d]);
        }
        return result;
    }

    Expansion projected(const ProjectedMapping& mapping, const ExprRef& worker) {
        Expansion result = expand(*mapping.base, worker);
        for (std::int64_t dim : mapping.dims)
            result.fixed[static_cast<std::size_t>(dim)] = result.varying[static_cast<std::size_t>(dim)] =
                int_constant(0);
        return result;
    }

    const VarVec& m_vars;
};

class MappingExpander : public Rewriter {
public:
    using Rewriter::Rewriter;

protected:
    using Rewriter::visit;

    StmtRef visit(const ForMappingStmt& stmt) override {
        ExprRef worker = rewrite(stmt.worker);
        Expansion expansion = Expander(stmt.vars).expand(*stmt.mapping, worker);
        StmtVec before;
        StmtVec task;
        for (std::size_t d = 0; d < stmt.vars.size(); ++d) {
            const VarRef& var = stmt.vars[d];
            ExprRef fixed = expansion.fixed[d];
            if (!expansion.loops.empty() && fixed->kind == Kind::Binary) { // computed once, outside of the loops
                VarRef base = make_var(var->name + "_base", fixed->type);
                before.push_back(make_let_stmt(base, fixed));
                fixed = base;
            }
            StmtRef let = make_let_stmt(var, cast_to(add(fixed, expansion.varying[d]), var->type));
            set_origin(let, {var->origin.span, pass()});
            task.push_back(std::move(let));
        }
        StmtRef body = rewrite(stmt.body);
        LoopExits exits = exits_of(body);
        if (expansion.loops.empty())
            body = run_once(body);
        VarRef stop;
        if (expansion.loops.size() > 1 && exits.breaks) {
            stop = make_var("stop", data_type(DType::Bool));
            body = before_breaks(body, make_assign(stop, bool_constant(true)));
        }
        task.push_back(std::move(body));
        if (!expansion.loops.empty())
            before.insert(before.begin(), make_comment(heading(stmt)));
        before.push_back(nest(expansion.loops, make_seq(std::move(task)), stop));
        return make_seq(std::move(before));
    }

private:
    // "i, j in repeat(4, 1).spatial(8, 16) on threadIdx.x"
    static std::string heading(const ForMappingStmt& stmt) {
        std::string text;
        for (const VarRef& var : stmt.vars)
            text += (text.empty() ? "" : ", ") + var->name;
        text += " in " + to_string(NodeRef(stmt.mapping)) + " on " + to_string(NodeRef(stmt.worker));
        return text.size() <= 110 ? text : text.substr(0, 107) + "...";
    }
    static StmtRef nest(const std::vector<Loop>& loops, StmtRef body, const VarRef& stop) {
        for (std::size_t i = loops.size(); i-- > 0;) {
            body = make_for(loops[i].var, loops[i].extent, loops[i].attr, std::move(body));
            if (stop && i > 0)
                body = make_seq({std::move(body), make_if(stop, make_break())});
        }
        return stop ? make_seq({make_declare(stop, bool_constant(false)), std::move(body)}) : body;
    }
};

} // namespace

ModuleRef expand_task_mapping(const ModuleRef& module, PassContext& context) {
    return map_functions(module, [&](const FunctionRef& function) {
        if (!kinds_in(*function->body).has(Kind::ForMappingStmt))
            return function;
        MappingExpander expander(context.pass);
        return with_body(function, expander.rewrite(function->body));
    });
}

} // namespace hidet::compiler
