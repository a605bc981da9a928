// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/verb.h"
#include "app/session/picture/pictures.h"

namespace hidet::cli {

void add_svg(Verb& verb, std::string& file);
// Writes them below each other; without a file nothing. False: it could not be, which is said.
bool write_pictures(const std::string& file, std::vector<session::Scene> pictures);

} // namespace hidet::cli
