// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/model/code.h"

namespace hidet::cli {

// The JSON documents of 'hidetc model'.
std::string json_of(const session::ModelCompileResult& result);
std::string json_of(const session::ModelCodeResult& result);
std::string json_of(const session::ModelRunResult& result);
std::string json_of(const session::ModelBenchResult& result);

} // namespace hidet::cli
