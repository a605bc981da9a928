// SPDX-License-Identifier: Apache-2.0
// Operators that exchange a tensor with the other processes of a group. All of them run the same ones in the same order, so
// each reads what the one before it makes (`after`): no order of execution that keeps to the edges of the graph lets two of
// them change places, nor leaves one out that another one follows. Attributes: group (its number, 0 is that of all
// processes), size (of it).
#include <algorithm>

#include "compiler/graph/ops/host/run_on_host.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

std::int64_t size_of_group(const OpCall& call) {
    const auto size = call.attributes.get<std::int64_t>("size");
    if (size < 1 || call.attributes.get<std::int64_t>("group") < 0)
        throw OpError(call.op->name, " wants a group of one process or more, not of ", size);
    return size;
}

void check_reduction(const OpCall& call) {
    constexpr std::string_view reductions[] = {"sum", "prod", "max", "min", "avg"};
    const auto& name = call.attributes.get<std::string>("reduction");
    if (std::ranges::find(reductions, name) == std::end(reductions))
        throw OpError("there is no reduction '", name, "'; there are sum, prod, max, min, avg");
}

// With the first dimension as `of` makes it.
std::vector<TensorSpec> along_first(const OpCall& call, Dim (*of)(const OpCall& call, const Dim& extent)) {
    TensorSpec result = call.inputs[0];
    if (result.shape.empty())
        throw OpError(call.op->name, " wants a tensor of one dimension or more");
    result.shape[0] = of(call, result.shape[0]);
    return {result};
}

Dim part_of(const OpCall& call, const Dim& extent) {
    const std::int64_t size = size_of_group(call);
    if (const auto known = constant_of(extent); known && *known % size != 0)
        throw OpError(call.op->name, " wants a first dimension of equal parts for ", size, " processes, not of ",
                      *known);
    return simplified(ir::floor_div(extent, dim(size)));
}

std::vector<TensorSpec> infer_all_reduce(const OpCall& call, FreshSymbols&) {
    size_of_group(call);
    check_reduction(call);
    return {call.inputs[0]};
}

std::vector<TensorSpec> infer_all_gather(const OpCall& call, FreshSymbols&) {
    return along_first(
        call, [](const OpCall& of, const Dim& extent) { return simplified(ir::mul(extent, dim(size_of_group(of)))); });
}

std::vector<TensorSpec> infer_reduce_scatter(const OpCall& call, FreshSymbols&) {
    check_reduction(call);
    return along_first(call, part_of);
}

std::vector<TensorSpec> infer_all_to_all(const OpCall& call, FreshSymbols&) {
    along_first(call, part_of);
    return {call.inputs[0]};
}

std::vector<TensorSpec> infer_broadcast_from(const OpCall& call, FreshSymbols&) {
    const std::int64_t size = size_of_group(call);
    if (const auto src = call.attributes.get<std::int64_t>("src"); src < 0 || src >= size)
        throw OpError("there is no process ", src, " in a group of ", size);
    return {call.inputs[0]};
}

OpInfo collective(OpId id, const char* python, const char* parameters, const char* summary, const char* example,
                  std::vector<TensorSpec> (*infer)(const OpCall& call, FreshSymbols& symbols)) {
    OpInfo info = host_op(id, python, parameters, summary, example, infer);
    info.is_random = true; // what it makes is not known from what it reads here
    info.exchanges = true;
    return info;
}

} // namespace

std::span<const OpInfo> op_tables::collectives() {
    static const OpInfo table[] = {
        collective(OpId::AllGather, "", "x, after: tensor = None, group: int = 0, size: int = 1",
                   "the tensors of all processes, joined along the first dimension", "", infer_all_gather),
        collective(OpId::AllReduce, "",
                   "x, after: tensor = None, reduction: str = 'sum', group: int = 0, size: int = 1",
                   "the tensors of all processes as one, element by element", "", infer_all_reduce),
        collective(OpId::AllToAll, "", "x, after: tensor = None, group: int = 0, size: int = 1",
                   "the parts, along the first dimension, that each process has for this one", "", infer_all_to_all),
        collective(OpId::BroadcastFrom, "", "x, after: tensor = None, src: int = 0, group: int = 0, size: int = 1",
                   "the tensor of one process", "", infer_broadcast_from),
        collective(OpId::ReduceScatter, "",
                   "x, after: tensor = None, reduction: str = 'sum', group: int = 0, size: int = 1",
                   "this process's part, along the first dimension, of the tensors of all processes as one", "",
                   infer_reduce_scatter),
    };
    return table;
}

} // namespace hidet::graph
