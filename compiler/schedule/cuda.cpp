// SPDX-License-Identifier: Apache-2.0
// A thread for each element, or several where a reduction has too few elements (shared_reduction.h): neighbours along the last
// axis are neighbours in a warp, so what is contiguous is read and written together. Blocks are no larger than the tensor. Where
// that would be far more threads than the machine runs at a time, a thread computes as many neighbours as 16 bytes hold: fewer
// and wider accesses keep more bytes in flight.
#include <algorithm>

#include "compiler/ir/ops.h"
#include "compiler/schedule/kernel.h"
#include "compiler/schedule/shared_reduction.h"

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

constexpr std::int64_t vector_bytes = 16;

// Elements of a thread, all of one row.
std::int64_t neighbours_for(const KernelFrame& frame, const artifact::TargetSpec& target) {
    const Shape& shape = frame.shape();
    const auto count = constant_of(element_count(shape));
    const auto last = shape.empty() ? std::nullopt : constant_of(shape.back());
    const auto dtype = scalar_of(element_of(frame.stage().tensor->type));
    if (!count || !last || !dtype || info(*dtype).bits < 8 || frame.stage().reduction)
        return 1;
    const std::int64_t wanted = vector_bytes * 8 / info(*dtype).bits;
    const std::int64_t at_a_time = std::int64_t{target.multiprocessors} * target.warps * target.warp_threads / 2;
    return *last % wanted == 0 && *count / wanted >= at_a_time ? wanted : 1;
}

// The axes of a vector's first element; the last of them counts vectors.
StmtRef vector_in_order(const KernelFrame& frame, const ExprRef& vector, std::int64_t neighbours) {
    Shape vectors = frame.shape();
    vectors.back() = i64(*constant_of(vectors.back()) / neighbours);
    const ExprVec first = unflatten(vector, vectors);
    const auto element = [&](const ExprRef& neighbour) {
        ExprVec axes = first;
        axes.back() = add(mul(axes.back(), i64(neighbours)), neighbour);
        return element_in_order(frame, axes);
    };
    return loop("neighbour", i64(neighbours), element, {LoopAttr::What::Unroll, 0});
}

} // namespace

ScheduledKernel cuda_kernel(const KernelFrame& frame, const artifact::TargetSpec& target, const std::string& name) {
    const bool is_reduction = frame.stage().reduction.has_value();
    if (const TermSharing sharing = is_reduction ? sharing_of(frame.stage(), target) : TermSharing();
        sharing.lanes > 1) {
        Function shared = shared_reduction(frame, sharing);
        shared.name = name;
        return frame.finish(std::move(shared));
    }
    const std::int64_t neighbours = neighbours_for(frame, target);
    const Dim elements = element_count(frame.shape());
    const Dim count = neighbours > 1 ? i64(*constant_of(elements) / neighbours) : elements; // of what threads compute
    const std::int64_t threads = threads_for(count, target);
    VarRef element = index_var(neighbours > 1 ? "vector" : "element");
    const ExprRef block = cast_to(make_builtin(Builtin::BlockIdxX), DType::I64);
    const ExprRef thread = cast_to(make_builtin(Builtin::ThreadIdxX), DType::I64);
    const auto constant = constant_of(count);
    StmtRef body = make_seq({});
    if (neighbours > 1)
        body = vector_in_order(frame, element, neighbours);
    else if (constant != 0)
        body = element_in_order(frame, unflatten(element, frame.shape()));
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
