// SPDX-License-Identifier: Apache-2.0
#include "app/session/figure/table.h"

namespace hidet::session {

const char* tone_name(Tone tone) {
    static constexpr const char* names[] = {"", "faint", "good", "bad"};
    return names[static_cast<std::size_t>(tone)];
}

} // namespace hidet::session
