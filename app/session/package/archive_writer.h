// SPDX-License-Identifier: Apache-2.0
// Writes the archive that a package is (runtime/package/FORMAT.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/base/result.h"

namespace hidet::session {

struct ArchiveFile {
    std::string name;
    std::string_view bytes; // of somebody who outlives the writing
};

// In this order, stored, each at a multiple of the alignment, with nothing of the time or the machine: the same files give the
// same bytes. The file is there as a whole or not at all. Error codes: those of FileReplacement, "not-written".
Result<void> write_archive(const std::string& path, const std::vector<ArchiveFile>& files);

} // namespace hidet::session
