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
#define HIDET_FORM(name, text, maker, summary) name,
#include "app/session/snapshot/forms.def"
};

inline constexpr std::size_t form_count = 0
#define HIDET_FORM(name, text, maker, summary) +1
#include "app/session/snapshot/forms.def"
    ;

struct FormInfo {
    Form form;
    const char* name;
    const char* summary;
};
const std::vector<FormInfo>& all_forms(); // in table order
const char* form_name(Form form);
std::optional<Form> find_form(std::string_view name);

} // namespace hidet::session
