// SPDX-License-Identifier: Apache-2.0
// A model as a package, for the formats that hold one.
#pragma once

#include <optional>
#include <string>

#include "app/session/exporting/exporter.h"

namespace hidet::session {

struct PackagedModel {
    std::string bytes;
    std::vector<std::string> lines; // what is in it, for people
};
std::optional<PackagedModel> packaged_model(ExportWork& out); // nothing: the reason is in the work's sink

} // namespace hidet::session
