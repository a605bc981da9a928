// SPDX-License-Identifier: Apache-2.0
// A thread for each element: neighbours along the last axis are neighbours in a warp, so what is contiguous is read and
// written together. Blocks are no larger than the tensor.
#include <algorithm>

#include "compiler/ir/ops.h"
#include "compiler/schedule/kernel.h"

namespace hidet::graph {

using namespace ir;

namespace {

constexpr std::int64_t enough_threads =
    256; // several blocks share a multiprocessor, so that one can start when one ends

// Whole warps.
std::int64_t threads_for(const Dim& count, const artifact::TargetSpec& target) {
    const std::int64_t most = std::min<std::int64_t>(enough_threads, target.threads_per_block);
    const std::int64_t warp = target.warp_threads;
    const auto constant = constant_of(count);
    if (!constant || *constant >= most)
        return most;
    return std::max((*constant + warp - 1) / warp * warp, warp);
}

} // namespace

ScheduledKernel cuda_kernel(const KernelFrame& frame, const artifact::TargetSpec& target, const std::string& name) {
    const Dim count = element_count(frame.shape());
    const std::int64_t threads = threads_for(count, target);
    VarRef element = index_var("element");
    const ExprRef block = cast_to(make_builtin(Builtin::BlockIdxX), DType::I64);
    const ExprRef thread = cast_to(make_builtin(Builtin::ThreadIdxX), DType::I64);
    const auto constant = constant_of(count);
    StmtRef body = constant == 0 ? make_seq({}) : element_in_order(frame, unflatten(element, frame.shape()));
    if (!constant || *constant % threads != 0)
        body = make_if(less(element, count), body);

    Function function;
    function.name = name;
    function.func_kind = FuncKind::CudaKernel;
    function.body = make_seq({make_let_stmt(element, add(mul(block, i64(threads)), thread)), body});
    function.grid_dim = {cast_to(ceil_div(count, threads), DType::I32), int_constant(1), int_constant(1)};
    function.block_dim = {int_constant(threads), int_constant(1), int_constant(1)};
    return frame.finish(std::move(function));
}

} // namespace hidet::graph
