// SPDX-License-Identifier: Apache-2.0
// Parts that several JSON documents share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/session/bench/bench.h"

namespace hidet::cli {

using Json = nlohmann::ordered_json;

void put_place(Json& out, const session::Place& place);
Json json_part(const std::vector<session::DiagnosticView>& diagnostics);
Json json_part(const std::vector<session::StageTime>& stages);
Json json_part(const session::KernelFacts& kernel);
Json json_part(const session::TimesView& times);
Json json_part(const session::BenchRow& row);
Json json_part(const session::ModuleSnapshot& module);
std::string text_of(const Json& document);

} // namespace hidet::cli
