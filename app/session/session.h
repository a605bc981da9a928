// SPDX-License-Identifier: Apache-2.0
// The service that front ends talk to: a request in, snapshots out. It joins the parser, the evaluator, the compiler and
// the emulator, catches internal errors once, and knows nothing of a terminal or of widgets.
//
// preview() and run() return whatever happened: they throw nothing, and stop soon after the request's token says so. What
// else can be asked has a header of its own, in its room: bench/bench.h, kernel_bench/kernel_bench.h, model/model.h, tools/doctor.h.
#pragma once

#include "app/session/kernel_bench/run.h"
#include "app/session/preview/preview.h"
#include "app/session/request/request.h"
