// SPDX-License-Identifier: Apache-2.0
// The forms that a module can be shown in, from IR to machine code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hidet::session {

enum class Form : std::uint8_t {
#define HIDET_FORM(name, ...) name,
#include "app/session/snapshot/forms.def"
};

inline constexpr std::size_t form_count = 0
#define HIDET_FORM(name, ...) +1
#include "app/session/snapshot/forms.def"
    ;

enum class Needs : std::uint8_t {
    Nothing,      // but this program
    Compiler,     // NVRTC
    Disassembler, // likewise, and then that
};
enum class Content : std::uint8_t { Text, Bytes };
enum class Shown : std::uint8_t { All, Kernels, Host }; // functions

struct FormInfo {
    Form form{};
    const char* name = "";    // "cuda": on the command line, in settings and in what is kept
    const char* label = "";   // "CUDA"
    const char* comment = ""; // what a comment begins with
    const char* ending = "";  // of a file: "cu"
    Needs needs = Needs::Nothing;
    Content content = Content::Text;
    Shown of = Shown::All;
    const char* summary = "";
};
const std::vector<FormInfo>& all_forms(); // in table order
const FormInfo& info(Form form);
std::optional<Form> find_form(std::string_view name);
bool is_ir_file(std::string_view path); // by its ending
// CUDA C++ or PTX, which a person may change and have compiled; by the ending of the file.
std::optional<Form> compiled_form(std::string_view path);

} // namespace hidet::session
