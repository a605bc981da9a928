// SPDX-License-Identifier: Apache-2.0
// Operators that exchange elements with other processes: how, the program knows that runs the plan.
#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

constexpr std::int64_t most_ranks = 1 << 20;

// In a plan the number of a group says how far the ranks of its processes are apart; 0 is that of all.
bool exchange(Call& call, const Extents& shape) {
    const std::int64_t group = call.integer("group"), size = call.integer("size");
    if (!call.others)
        return call.refuse("it exchanges tensors with other processes, and this one is in no group");
    if (group < 0 || size < 1 || group > most_ranks || size > most_ranks)
        return call.refuse("there are no ", size, " processes whose ranks are ", group, " apart");
    const Tensor& given = call.inputs[0];
    unsigned char* into = call.result(0, given.element, shape);
    if (!into)
        return false;
    const Tensor made{given.element, shape.items, shape.rank, into};
    return call.others->exchange(
        call.others->self,
        {call.op(), given, made, into, call.word("reduction"), call.integer("src"), size, group == 0 ? 1 : group},
        call.problem());
}

// The second operand is there for the order alone.
bool exchange_alike(Call& call) {
    return call.takes(1, 2, 1) && exchange(call, extents_of(call.inputs[0]));
}

// The first dimension becomes so many times as large, or as small.
bool exchange_parts(Call& call, std::int64_t times, std::int64_t parts) {
    if (!call.takes(1, 2, 1))
        return false;
    Extents shape = extents_of(call.inputs[0]);
    if (shape.rank == 0 || times < 1 || parts < 1 || shape[0] % parts != 0)
        return call.refuse("a tensor ", words_of(shape), " has no equal parts for ", parts, " processes");
    shape[0] = shape[0] / parts * times;
    return exchange(call, shape);
}

} // namespace

bool exchanges(HostOperator op) {
    switch (op) {
    case HostOperator::AllGather:
    case HostOperator::AllReduce:
    case HostOperator::AllToAll:
    case HostOperator::BroadcastFrom:
    case HostOperator::ReduceScatter: return true;
    default: return false;
    }
}

namespace host_operator {

bool AllGather(Call& call) {
    return exchange_parts(call, call.integer("size"), 1);
}

bool AllReduce(Call& call) {
    return exchange_alike(call);
}

bool AllToAll(Call& call) {
    return exchange_alike(call);
}

bool BroadcastFrom(Call& call) {
    return exchange_alike(call);
}

bool ReduceScatter(Call& call) {
    return exchange_parts(call, 1, call.integer("size"));
}

} // namespace host_operator

} // namespace hidet::operators
