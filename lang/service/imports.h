// SPDX-License-Identifier: Apache-2.0
// Imports that a text lacks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lang/service/catalog.h"
#include "lang/service/document.h"

namespace hidet::lang::service {

// Each name of the language's modules, and the modules that have it, the likeliest first; "" where it is a module itself.
using ImportIndex = std::map<std::string, std::vector<std::string>, std::less<>>;
const ImportIndex& import_index();

ImportFix import_of(const Document& document, const std::string& module, const std::string& name);
// Where the caret is at a name that the module before it does not have: the same name of another module.
std::vector<ImportFix> moved_name_fixes(const Document& document, std::uint32_t offset);

} // namespace hidet::lang::service
