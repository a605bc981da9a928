// SPDX-License-Identifier: Apache-2.0
// What the text of a script says to a preview beside its Python: calls of kernel factories, and which files it imports.
#pragma once

#include <string>
#include <vector>

namespace hidet::lang {

// The text with a '# studio:' comment for each call behind its last line: there a preview finds those that it has itself.
std::string with_studio_calls(std::string text, const std::vector<std::string>& calls);

// The file that an import of a module beside the script means. What is in the sources of an evaluation under this name
// is not read again.
std::string path_of_import(const std::string& script_folder, std::string dotted);
std::string path_of_library(const std::string& dotted); // of GraphLanguage::module_text, likewise

} // namespace hidet::lang
