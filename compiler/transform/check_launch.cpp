// SPDX-License-Identifier: Apache-2.0
// Refuses what the device does not offer, as far as it is constant: dimensions out of range, blocks of too many threads,
// clusters of too many blocks or that do not divide the grid, more static shared memory than a block has. A device without
// clusters is left to the code generator, which says what has them.
//
// Needs: constant dimensions are constants.
// Guarantees: nothing changes.
// Why here: at the end, when shared tensors of inlined functions are where they count.
#include <array>
#include <optional>

#include "compiler/ir/each_node.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/ops.h"
#include "compiler/transform/functions.h"
#include "compiler/transform/passes.h"

namespace hidet::compiler {

using namespace ir;

namespace {

constexpr std::int64_t max_dim = 1 << 20; // of blocks worth multiplying

struct SharedMemory {
    explicit SharedMemory(const Function& kernel) {
        std::int64_t most = 0;
        each_node(kernel.body, [&](const DeclareStmt& stmt) {
            const std::int64_t size = stmt.scope == Scope::Shared ? size_in_bytes(stmt.var->type) : 0;
            bytes += std::max<std::int64_t>(size, 0);
            if (size > most) {
                most = size;
                largest = stmt.origin.span;
            }
        });
    }
    std::int64_t bytes = 0;
    Span largest;
};

class LaunchChecker {
public:
    LaunchChecker(const Function& kernel, const artifact::TargetSpec& target, DiagnosticSink& sink)
        : m_kernel(kernel), m_target(target), m_sink(sink) {}

    void run() {
        check_dims("grid_dim", m_kernel.grid_dim, m_target.grid_blocks);
        // A block of too many threads is reported by their number.
        check_dims("block_dim", m_kernel.block_dim, {max_dim, max_dim, m_target.block_threads[2]});
        check_dims("cluster_dim", m_kernel.cluster_dim, {max_dim, max_dim, max_dim});
        check_block();
        check_cluster();
        check_shared_memory();
    }

private:
    static Span span_of(const ExprRef& expr, const Function& kernel) {
        return expr->origin.known() ? expr->origin.span : kernel.origin.span;
    }
    void check_dims(const char* what, const ExprVec& dims, const std::array<std::int64_t, 3>& limits) {
        for (std::size_t i = 0; i < dims.size() && i < 3; ++i) {
            auto value = constant_int(dims[i]);
            if (!value || (*value >= 1 && *value <= limits[i]))
                continue;
            m_sink.report(DiagId::LowerLaunchDim, span_of(dims[i], m_kernel), what, m_kernel.name, limits[i],
                          axis_names[i], *value);
        }
    }
    void check_block() {
        std::int64_t dims[] = {1, 1, 1};
        std::int64_t threads = 1;
        for (std::size_t i = 0; i < m_kernel.block_dim.size() && i < 3; ++i) {
            auto value = constant_int(m_kernel.block_dim[i]);
            if (!value || *value < 1 || *value > max_dim)
                return;
            dims[i] = *value;
            threads = threads * dims[i];
        }
        if (threads <= m_target.threads_per_block)
            return;
        m_sink.report(DiagId::LowerBlockSize, span_of(m_kernel.block_dim[0], m_kernel), m_target.threads_per_block,
                      m_kernel.name, threads, dims[0], dims[1], dims[2]);
    }
    void check_cluster() {
        std::int64_t blocks = 1;
        for (std::size_t i = 0; i < m_kernel.cluster_dim.size() && i < 3; ++i) {
            auto cluster = constant_int(m_kernel.cluster_dim[i]);
            auto grid = constant_int(m_kernel.grid_dim[i]);
            if (!cluster || *cluster < 1 || *cluster > max_dim)
                return;
            blocks *= *cluster;
            if (grid && *grid % *cluster != 0)
                m_sink.report(DiagId::LowerClusterDivides, span_of(m_kernel.cluster_dim[i], m_kernel), m_kernel.name,
                              *grid, axis_names[i], *cluster);
        }
        if (m_target.cluster_blocks > 0 && blocks > m_target.cluster_blocks)
            m_sink.report(DiagId::LowerClusterSize, span_of(m_kernel.cluster_dim[0], m_kernel), m_target.cluster_blocks,
                          m_kernel.name, blocks);
    }
    void check_shared_memory() {
        const SharedMemory shared(m_kernel);
        if (shared.bytes > m_target.shared_per_block)
            m_sink.report(DiagId::LowerSharedMemory, shared.largest.known() ? shared.largest : m_kernel.origin.span,
                          m_kernel.name, shared.bytes, m_target.shared_per_block);
        const auto dynamic =
            m_kernel.dynamic_smem_bytes ? constant_int(m_kernel.dynamic_smem_bytes) : std::optional<std::int64_t>();
        if (dynamic && *dynamic > m_target.shared_per_block_optin - shared.bytes)
            m_sink.report(DiagId::LowerDynamicShared, span_of(m_kernel.dynamic_smem_bytes, m_kernel), m_kernel.name,
                          *dynamic, shared.bytes, m_target.shared_per_block_optin);
    }

    const Function& m_kernel;
    const artifact::TargetSpec& m_target;
    DiagnosticSink& m_sink;
};

} // namespace

ModuleRef check_launch(const ModuleRef& module, PassContext& context) {
    if (!context.target.is_cuda()) // whose modules have no kernels to launch
        return module;
    for (const FunctionRef& function : module->functions)
        if (function->func_kind == FuncKind::CudaKernel)
            LaunchChecker(*function, context.target, context.diagnostics).run();
    return module;
}

} // namespace hidet::compiler
