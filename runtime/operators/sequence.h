// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/operators/call.h"

namespace hidet::operators {

// start, start + step, ... before stop, which are the inputs: numbers of one type.
bool give_sequence(Call& call);

} // namespace hidet::operators
