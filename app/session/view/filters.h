// SPDX-License-Identifier: Apache-2.0
// PTX and SASS without their noise: each filter is a row of filters.def. What is left keeps its links.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "app/session/snapshot/forms.h"
#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

enum class Filter : std::uint8_t {
#define HIDET_FILTER(name, id, form, apply, title, summary) name,
#include "app/session/view/filters.def"
};

struct FilterInfo {
    Filter filter;
    const char* id; // for settings: "ptx-directives"
    Form form;      // Ptx or Sass
    const char* title;
    const char* summary;
};
const std::vector<FilterInfo>& all_filters(); // in table order

// PTX and SASS have no tokens, so none are kept. Filters of other forms than `form` do nothing. The order of `filters` does not matter.
TextSnapshot filtered(const TextSnapshot& text, Form form, const std::vector<Filter>& filters);

} // namespace hidet::session
