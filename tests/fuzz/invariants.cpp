// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "lang/base/text.h"
#include "tests/fuzz/targets.h"

namespace hidet::fuzz {

void require(bool holds, std::string_view message) {
    if (holds)
        return;
    std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(message.size()), message.data());
    std::abort();
}

bool is_readable(std::string_view input) {
    return input.find('\0') == std::string_view::npos && first_invalid_utf8(input) == std::string_view::npos;
}

} // namespace hidet::fuzz
