// SPDX-License-Identifier: Apache-2.0
// C of functions that launch: what other formats are built on. The text is C11 and C++ at once.
#pragma once

#include <string>
#include <vector>

#include "app/session/exporting/functions.h"

namespace hidet::session {

std::string c_type_of(ir::DType dtype);                      // "float"; "void" for what C has no type for
std::string c_number_type(ir::DType dtype);                  // of one that is passed or returned
std::string c_parameter(const ExportedParameter& parameter); // "const float* x"
std::string c_parameters(const ExportedFunction& function);  // of all, and of the symbols behind them
std::string c_arguments(const ExportedFunction& function);   // their names
std::string c_expression(const ExportedFunction& function, artifact::Row row); // an int64_t, over names of parameters

std::string signature_comment(const ExportedFunction& function); // a line for each parameter, inside of a comment
bool is_own_name(const std::string& word);                       // of the texts of *.inc, behind the name of the export
std::string replaced(std::string text, const std::string& mark, const std::string& what); // everywhere
// @ in the texts of *.inc stands for the name of the export
std::string with_name(std::string text, const std::string& name);

std::string c_header(const ExportWork& out, const ExportedProgram& program); // NAME.h
std::string c_source(const ExportWork& out,
                     const ExportedProgram& program); // NAME.c, which includes the header; without functions of the CPU
std::string c_images(const ExportWork& out, const ExportedProgram& program);     // NAME_images.c
void add_launcher(ExportWork& out, const ExportedProgram& program);              // all three, and how they are compiled
std::string c_bytes(const std::string& name, const std::string& bytes);          // an array
std::string real_text(double value);                                             // INFINITY where it has to be
std::string image_symbol(const ExportWork& out, std::size_t module);             // "softmax_image_0"
std::string c_provenance(const ExportWork& out, const ExportedProgram& program); // a comment

std::string fat_binary(const std::vector<ExportedImage>& images);
// The machine code of a module as one file: the only cubin, or a fat binary of all.
std::string joined_image(const std::vector<ExportedImage>& images);

} // namespace hidet::session
