// SPDX-License-Identifier: Apache-2.0
// The functions of the operators.
#pragma once

#include "runtime/operators/call.h"

namespace hidet::operators::host_operator {

#define HIDET_HOST_OPERATOR(name, text) bool name(Call& call);
#include "runtime/package/host_operators.def"
#undef HIDET_HOST_OPERATOR

} // namespace hidet::operators::host_operator
