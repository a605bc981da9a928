// SPDX-License-Identifier: Apache-2.0
// An exported file as people look at it before it is written: a text as it is, anything else by its first bytes.
#pragma once

#include <cstddef>
#include <string>

#include "app/session/exporting/export.h"

namespace hidet::session {

struct FileView {
    bool is_text = false;
    std::string text; // of bytes that are no text: "00000000  7f 45 4c 46 ...  .ELF"
    std::size_t shown = 0;
    std::size_t size = 0;
    bool is_whole() const { return shown == size; }
};
// A text ends with the last line that lies within `most` bytes; of other files the first `most_bytes` are shown.
FileView view_of(const ExportedFile& file, std::size_t most = std::size_t{64} << 10, std::size_t most_bytes = 1024);

} // namespace hidet::session
