// SPDX-License-Identifier: Apache-2.0
// On a CPU a kernel becomes a function that runs its threads one after the other: a parallel loop over the blocks of the grid,
// and in it, for each part of the kernel between two sync points of its threads (sync_points.h), a loop over the threads of the block. What
// has a sync point inside stays outside of those loops (regions.h); variables that live across one become arrays over threads
// (live_across_barriers.h). Shared memory is memory of the iteration of its block; a launch is a call.
//
// Needs: no slices, mappings and protected accesses; symbols are parameters.
// Guarantees: on a CPU no function runs on a GPU, and nothing asks for its thread or block; what only a GPU can do has been
// reported by name. On a GPU nothing.
// Why here: the emulator has taken the module, with its threads; indices are still those of tensors, so that they can be checked
// (flatten-tensor-index); and all that follows works on the loops over threads.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/analysis/calls.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"
#include "compiler/transform/thread_loops.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::size_t shape_size = 6; // grid and block

// What all launches of a kernel say alike, of grid, block and bytes of shared memory; null where they do not.
std::map<std::string, ExprVec> shapes_of_launches(const Module& module) {
    std::map<std::string, ExprVec> shapes;
    const auto add = [&](const LaunchStmt& s) {
        ExprVec all = s.grid;
        all.insert(all.end(), s.block.begin(), s.block.end());
        all.push_back(s.dynamic_smem_bytes ? s.dynamic_smem_bytes : int_constant(0));
        for (ExprRef& each : all)
            each = constant_int(each) ? cast_to(each, DType::I32) : nullptr;
        auto [known, is_new] = shapes.emplace(s.kernel, all);
        for (std::size_t i = 0; !is_new && i < all.size(); ++i)
            if (known->second[i] && (!all[i] || constant_int(all[i]) != constant_int(known->second[i])))
                known->second[i] = nullptr;
    };
    for (const FunctionRef& function : module.functions)
        if (!runs_on_gpu(function->func_kind))
            each_node(function->body, add);
    return shapes;
}

// Which numbers of a launch are parameters: those that are not the same in all launches.
class KernelBuilder {
public:
    KernelBuilder(const FunctionRef& kernel, const ModuleRef& module, ExprVec shape, PassContext& context)
        : m_kernel(kernel), m_module(module), m_shape(std::move(shape)), m_context(context) {
        m_shape.resize(shape_size + 1);
    }

    FunctionRef build() {
        Function function = *m_kernel;
        LaunchShape shape = launch_shape(function.params);
        FunctionRef own = with_own_parameters();
        Separated separated = with_sync_points_apart(own, *m_module, m_context.pass);
        WithoutReturns body = without_returns(separated.kernel->body, m_context.pass);
        FunctionRef straight = with_body(separated.kernel, body.body);
        const Uses uses = uses_in(*straight, m_module.get());
        const Uniformity uniformity(
            *straight, uses,
            {constant_int(shape.block[0]), constant_int(shape.block[1]), constant_int(shape.block[2])});
        Plan plan = regions_of(separated, body, uniformity, uses);
        if (plan.refusal) {
            refuse(*plan.refusal);
            return nullptr;
        }
        function.body = thread_loops(plan, shape, uses, m_context.pass);
        function.func_kind = FuncKind::CpuInternal;
        function.grid_dim = function.block_dim = function.cluster_dim = {};
        function.dynamic_smem_bytes = nullptr;
        function.min_blocks = 0;
        set_origin(function.body, {m_kernel->origin.span, m_context.pass});
        FunctionRef result = make<Function>(std::move(function));
        set_origin(result, m_kernel->origin);
        return result;
    }
    void refuse(const NeedsGpu& needs) {
        const Span span = needs.span.known() ? needs.span : m_kernel->origin.span;
        m_context.diagnostics.report(DiagId::KernelNeedsGpu, span, m_kernel->name, needs.why);
    }

private:
    LaunchShape launch_shape(VarVec& params) const {
        constexpr const char* names[shape_size] = {"grid_x",      "grid_y",      "grid_z",
                                                   "block_dim_x", "block_dim_y", "block_dim_z"};
        LaunchShape shape;
        for (std::size_t i = 0; i < shape_size; ++i) {
            ExprRef& extent = i < 3 ? shape.grid[i] : shape.block[i - 3];
            extent = m_shape[i];
            if (extent)
                continue;
            VarRef param = make_var(names[i], data_type(DType::I32));
            set_origin(param, m_kernel->origin);
            params.push_back(param);
            extent = param;
        }
        shape.dynamic_bytes =
            m_shape[shape_size] ? m_shape[shape_size] : ExprRef(make_var("bytes", data_type(DType::I32)));
        return shape;
    }
    // Each thread has its own copy of what it assigns.
    FunctionRef with_own_parameters() const {
        const Uses uses = uses_in(*m_kernel, m_module.get());
        Rewriter rewriter(m_context.pass);
        StmtVec stmts;
        for (const VarRef& param : m_kernel->params) {
            if (uses.is_immutable(*param))
                continue;
            VarRef copy = make_var(param->name, param->type);
            set_origin(copy, param->origin);
            stmts.push_back(make_declare(copy, param));
            set_origin(stmts.back(), param->origin);
            rewriter.replace(param, copy);
        }
        if (stmts.empty())
            return m_kernel;
        stmts.push_back(rewriter.rewrite(m_kernel->body));
        return with_body(m_kernel, make_seq(std::move(stmts)));
    }

    const FunctionRef m_kernel;
    const ModuleRef m_module;
    ExprVec m_shape;
    PassContext& m_context;
};

// Launches become calls, and work on the memory of a GPU work on that of the CPU.
class HostRewriter : public Rewriter {
public:
    HostRewriter(PassId pass, const std::map<std::string, ExprVec>& shapes) : Rewriter(pass), m_shapes(shapes) {}

protected:
    using Rewriter::visit;
    StmtRef visit(const LaunchStmt& s) override {
        ExprVec args = s.args;
        const ExprVec& known = m_shapes.at(s.kernel);
        for (std::size_t i = 0; i < shape_size; ++i)
            if (!known[i])
                args.push_back(cast_to(i < 3 ? s.grid[i] : s.block[i - 3], DType::I32));
        return make_evaluate(make_call(s.kernel, std::move(args), void_type()));
    }
    ExprRef visit(const Intrinsic& e) override {
        ExprRef rebuilt = rebuild(e);
        const auto& call = *as<Intrinsic>(rebuilt);
        if (call.id == IntrinsicId::MemcpyAsync && attribute<CopyKind>(call.attr) != CopyKind::cpu_to_cpu)
            return make_intrinsic(with(call.attr, CopyKind::cpu_to_cpu), call.args, call.type);
        if (call.id == IntrinsicId::RequestWorkspace && attribute<MemoryDevice>(call.attr) != MemoryDevice::cpu)
            return make_intrinsic(with(call.attr, MemoryDevice::cpu), call.args, call.type);
        return rebuilt;
    }
    TypeRef visit(const TensorType& type) override { return self(type); }
    TypeRef visit(const TensorPointerType& type) override { return self(type); }

private:
    const std::map<std::string, ExprVec>& m_shapes;
};

FunctionRef of_cpu(const FunctionRef& function) {
    Function copy = *function;
    copy.func_kind = FuncKind::CpuInternal;
    FunctionRef result = make<Function>(std::move(copy));
    set_origin(result, function->origin);
    return result;
}

// The functions that run on the GPU and that kernels call, themselves or through others.
std::set<std::string> reached_from(const Function& kernel, const Module& module) {
    const CallGraph graph = call_graph(module);
    std::set<std::string> reached;
    std::vector<std::string> pending{kernel.name};
    while (!pending.empty()) {
        const auto callees = graph.find(pending.back());
        pending.pop_back();
        if (callees == graph.end())
            continue;
        for (const std::string& callee : callees->second)
            if (find_function(module, callee) && reached.insert(callee).second)
                pending.push_back(callee);
    }
    return reached;
}

} // namespace

ModuleRef loop_over_threads(const ModuleRef& module, PassContext& context) {
    const bool has_kernels = std::any_of(module->functions.begin(), module->functions.end(),
                                         [](const FunctionRef& each) { return runs_on_gpu(each->func_kind); });
    if (context.target.is_cuda() || !has_kernels)
        return module;
    std::map<std::string, ExprVec> shapes = shapes_of_launches(*module);
    bool has_failed = false;
    ModuleRef result = map_functions(module, [&](const FunctionRef& function) -> FunctionRef {
        if (function->func_kind == FuncKind::CudaInternal)
            return of_cpu(function);
        if (function->func_kind != FuncKind::CudaKernel)
            return with_body(function, HostRewriter(context.pass, shapes).rewrite(function->body));
        KernelBuilder builder(function, module, shapes[function->name], context);
        std::optional<NeedsGpu> needs = what_needs_gpu(*function, *module);
        for (const std::string& callee : reached_from(*function, *module))
            if (!needs)
                needs = what_needs_gpu(*find_function(*module, callee), *module);
        if (needs)
            builder.refuse(*needs);
        FunctionRef built = needs ? nullptr : builder.build();
        has_failed = has_failed || !built;
        return built;
    });
    return has_failed ? nullptr : result;
}

} // namespace hidet::compiler
