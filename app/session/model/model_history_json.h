// SPDX-License-Identifier: Apache-2.0
// The lines of a history of models.
#pragma once

#include "app/session/model/model_history.h"

namespace hidet::session {

std::string model_line_of(const ModelRecord& record); // with its line feed
std::string model_name_line(const std::string& when, int number, const std::string& name);

// Does to the runs what the line says; false: it cannot be read, and nothing was done.
bool apply_model_line(std::string_view line, std::vector<ModelRecord>& runs);

} // namespace hidet::session
