// SPDX-License-Identifier: Apache-2.0
// Functions that make tensors, for hidet and for the torch-shaped module.
#pragma once

#include "lang/host/modules.h"

namespace hidet::lang {

void add_creators(HostModule& module, bool is_torch);
// assert_close and its like; `actual` and `expected` as in torch.testing.
Value assert_close(Evaluator& evaluator, Args& args, Span span);

} // namespace hidet::lang
