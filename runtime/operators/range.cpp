// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/sequence.h"
#include "runtime/operators/table.h"

namespace hidet::operators::host_operator {

bool Range(Call& call) {
    return call.takes(3, 3, 1) && give_sequence(call);
}

} // namespace hidet::operators::host_operator
