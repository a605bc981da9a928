// SPDX-License-Identifier: Apache-2.0
// The functions that a script can call, of an evaluation that is there already.
#pragma once

#include "app/session/kernel_bench/kernel_bench.h"

namespace hidet::session {

struct PreviewedScript;

SignatureResult signatures(const PreviewedScript& script, const std::atomic<bool>* cancelled = nullptr);

} // namespace hidet::session
