// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/join_launches.h"

#include <algorithm>

#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"

namespace hidet::graph {

using namespace ir;

namespace {

struct LaunchPart { // of the joined kernel
    const LaunchStmt* launch = nullptr;
    const Function* kernel = nullptr;
    std::int64_t blocks = 0, threads = 0;
};

// The extent in the first dimension; nothing where it is not known, or there are others.
std::optional<std::int64_t> only_extent(const ExprVec& extents) {
    const auto is_one = [](const ExprRef& extent) { return is_constant(extent, 1); };
    return std::all_of(extents.begin() + 1, extents.end(), is_one) ? constant_int(extents[0]) : std::nullopt;
}

std::optional<LaunchPart> launch_part(const Module& module, const StmtRef& stmt) {
    const auto* launch = as<LaunchStmt>(stmt);
    const Function* kernel = launch ? find_function(module, launch->kernel) : nullptr;
    if (!kernel || !kernel->cluster_dim.empty() || !is_constant(launch->dynamic_smem_bytes, 0))
        return std::nullopt;
    const auto blocks = only_extent(launch->grid), threads = only_extent(launch->block);
    return blocks && threads ? std::optional(LaunchPart{launch, kernel, *blocks, *threads}) : std::nullopt;
}

// Two at least, and nothing else; or none.
std::vector<LaunchPart> launch_parts(const Module& module) {
    const auto* body = as<SeqStmt>(module.functions.back()->body);
    std::vector<LaunchPart> parts;
    for (const StmtRef& stmt : body ? body->stmts : StmtVec()) {
        const auto part = launch_part(module, stmt);
        if (!part)
            return {};
        parts.push_back(*part);
    }
    return parts.size() == module.functions.size() - 1 ? parts : std::vector<LaunchPart>();
}

class LaterBlocks : public Rewriter {
public:
    explicit LaterBlocks(std::int64_t first) : m_first(first) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const BuiltinVar& builtin) override {
        const ExprRef same = rebuild(builtin);
        return builtin.which == Builtin::BlockIdxX ? sub(same, int_constant(m_first)) : same;
    }

private:
    std::int64_t m_first;
};

class Joining {
public:
    explicit Joining(const std::vector<LaunchPart>& parts) : m_parts(parts) {
        for (const LaunchPart& part : parts) {
            m_threads = std::max(m_threads, part.threads);
            m_blocks += part.blocks;
        }
    }

    FunctionRef kernel(const std::string& name) const {
        Function out;
        out.name = name;
        out.func_kind = FuncKind::CudaKernel;
        out.ret = void_type();
        out.wide_access = std::ranges::all_of(m_parts, [](const LaunchPart& part) { return part.kernel->wide_access; });
        for (const LaunchPart& part : m_parts)
            out.params.insert(out.params.end(), part.kernel->params.begin(), part.kernel->params.end());
        out.body = body(0, 0);
        out.grid_dim = extents(m_blocks);
        out.block_dim = extents(m_threads);
        return make<Function>(std::move(out));
    }
    StmtRef launch(const std::string& name) const {
        LaunchStmt out = *m_parts[0].launch;
        out.kernel = name;
        out.args.clear();
        for (const LaunchPart& part : m_parts)
            out.args.insert(out.args.end(), part.launch->args.begin(), part.launch->args.end());
        out.grid = extents(m_blocks);
        out.block = extents(m_threads);
        return make<LaunchStmt>(std::move(out));
    }

private:
    static ExprVec extents(std::int64_t first) { return {int_constant(first), int_constant(1), int_constant(1)}; }

    // Of the parts from this one on, in whose blocks this is.
    StmtRef body(std::size_t number, std::int64_t first) const {
        const LaunchPart& part = m_parts[number];
        StmtRef own = first > 0 ? LaterBlocks(first).rewrite(part.kernel->body) : part.kernel->body;
        if (part.threads < m_threads)
            own = make_if(less(make_builtin(Builtin::ThreadIdxX), int_constant(part.threads)), std::move(own));
        if (number + 1 == m_parts.size())
            return own;
        const std::int64_t end = first + part.blocks;
        return make_if(less(make_builtin(Builtin::BlockIdxX), int_constant(end)), std::move(own),
                       body(number + 1, end));
    }

    const std::vector<LaunchPart>& m_parts;
    std::int64_t m_blocks = 0, m_threads = 0;
};

} // namespace

void join_launches(GroupProgram& program) {
    const std::vector<LaunchPart> parts = launch_parts(*program.module);
    if (parts.empty())
        return;
    const Joining joining(parts);
    const std::string name = program.module->name; // the module goes
    Function host = *program.module->functions.back();
    host.body = joining.launch(name);
    Module module = *program.module;
    module.functions = {joining.kernel(name), make<Function>(std::move(host))};
    program.module = make<Module>(std::move(module));

    GroupProgram::Kernel kernel{.name = name, .nodes = {}};
    for (const GroupProgram::Kernel& each : program.kernels)
        kernel.nodes.insert(kernel.nodes.end(), each.nodes.begin(), each.nodes.end());
    program.kernels = {std::move(kernel)};
}

} // namespace hidet::graph
