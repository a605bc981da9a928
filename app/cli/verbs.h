// SPDX-License-Identifier: Apache-2.0
// One function per verb. Each returns the exit code.
#pragma once

#include <atomic>

#include "app/cli/options.h"

namespace hidet::cli {

int run_script(const Options& options, const std::atomic<bool>& cancelled); // run, emulate
int cache(const Options& options, const std::atomic<bool>& cancelled);
int check(const Options& options, const std::atomic<bool>& cancelled);
int lower(const Options& options, const std::atomic<bool>& cancelled);
int bench(const Options& options, const std::atomic<bool>& cancelled);
int doctor(const Options& options, const std::atomic<bool>& cancelled);
int emit(const Options& options, const std::atomic<bool>& cancelled);
int model(const Options& options, const std::atomic<bool>& cancelled);
int worker(const Options& options, const std::atomic<bool>& cancelled);

} // namespace hidet::cli
