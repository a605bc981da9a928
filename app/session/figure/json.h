// SPDX-License-Identifier: Apache-2.0
// Tables and scenes as JSON, for other programs. Members that have nothing to say are not there.
//
//   table  {"columns": [{"name", "unit"}], "rows": [{"cells": [{"text", "number", "tone"}], "file", "line"}]}
//   scene  {"title", "width", "height", "marks": [{"mark": "rect", "x", "y", "width", "height", "style", "tip"} | …]}
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/session/figure/scene.h"
#include "app/session/figure/table.h"

namespace hidet::session {

nlohmann::json json_of(const Table& table);
nlohmann::json json_of(const Scene& scene);

} // namespace hidet::session
