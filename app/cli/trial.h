// SPDX-License-Identifier: Apache-2.0
// The part of `hidetc bench` that calls one function with chosen arguments and checks what it computes.
#pragma once

#include <atomic>

#include "app/cli/options.h"
#include "app/session/trial/trial.h"

namespace hidet::cli {

bool asks_for_trial(const Options& options);
int run_trial(const Options& options, const std::atomic<bool>& cancelled);

std::string seconds_text(double seconds);                               // "12.34 us"
std::string rate_text(double amount, double seconds, const char* unit); // "1.23 GB/s"
std::string row_text(const session::BenchRow& row, const std::string& heading);
std::string json_of(const session::TrialResult& result, const std::string& output);

} // namespace hidet::cli
