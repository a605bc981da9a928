// SPDX-License-Identifier: Apache-2.0
// C and C++ of functions of the CPU: their code, and C functions around it that answer what the code asks of its host.
#pragma once

#include <string>
#include <vector>

#include "app/session/exporting/functions.h"

namespace hidet::session {

extern const char* const cpu_host_text; // what answers the code

// Of a module, to be compiled by itself; `level` is part of the names where code for several goes into one object: "v3".
std::string cpu_code(const ExportWork& out, const ExportedProgram& program, std::size_t module,
                     const std::string& level = "");
// The C functions, C++ behind common_text.inc. With levels, they take the best that the processor runs.
std::string cpu_functions(const ExportWork& out, const ExportedProgram& program,
                          const std::vector<std::string>& levels = {});
// Header and sources of all functions as one C++ text; without levels, for those who compile the kernels' sources themselves.
std::string joined_source(const ExportWork& out, const ExportedProgram& program,
                          const std::vector<std::string>& levels);
// Those sources: NAME_images.c and NAME_kernels.cpp. Their names.
std::vector<std::string> add_kernel_sources(ExportWork& out, const ExportedProgram& program, const std::string& folder);
std::string cpu_declarations(const ExportWork& out, const ExportedProgram& program); // of a header
std::vector<std::string> cpu_compile_options(); // that the code is right with, of GCC and Clang

} // namespace hidet::session
