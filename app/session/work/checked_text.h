// SPDX-License-Identifier: Apache-2.0
// What CUDA C++ and PTX of a person may not have, looked for before a compiler sees the text: other files than the toolkit's headers,
// and what takes a compiler minutes, gigabytes or its stack.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/session/snapshot/forms.h"

namespace hidet::session {

struct TextRefusal {
    int line = 0; // from 1
    std::string message;
};

// Nothing: a compiler may see it. Form::Cuda or Form::Ptx.
std::optional<TextRefusal> refusal_of(std::string_view text, Form form);
// Whether any header is included; of a text that is not refused.
bool has_includes(std::string_view cuda);

} // namespace hidet::session
