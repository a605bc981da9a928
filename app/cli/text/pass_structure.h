// SPDX-License-Identifier: Apache-2.0
// The structure of modules after a pass, as 'lower --structure' has it.
#pragma once

#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/session/view/structure.h"

namespace hidet::cli {

// Of the last text of each module, or of what the later of two passes made of that of the earlier; one function of them, or all.
std::vector<session::ModuleStructure> structures_of(const session::PreviewResult& result,
                                                    const std::vector<std::string>& passes,
                                                    const std::string& function);
// Modules without the function are left out; where none has it, that is reported, as for texts of functions.
void require_function(const std::string& file, const std::string& function, session::PreviewResult& result);

} // namespace hidet::cli
