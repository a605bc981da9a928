// SPDX-License-Identifier: Apache-2.0
// Operators that exchange elements with other processes: their groups are the program's that runs the plan. One that runs
// alone has none.
#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

bool has_no_group(Call& call) {
    return call.refuse("it exchanges tensors with other processes, and this one is in no group");
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
    return has_no_group(call);
}

bool AllReduce(Call& call) {
    return has_no_group(call);
}

bool AllToAll(Call& call) {
    return has_no_group(call);
}

bool BroadcastFrom(Call& call) {
    return has_no_group(call);
}

bool ReduceScatter(Call& call) {
    return has_no_group(call);
}

} // namespace host_operator

} // namespace hidet::operators
