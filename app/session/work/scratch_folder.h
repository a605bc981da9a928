// SPDX-License-Identifier: Apache-2.0
// A folder for files that nobody needs afterwards.
#pragma once

#include <memory>
#include <string>

#include "lang/base/result.h"

namespace hidet::session {

class ScratchFolder {
public:
    static Result<std::unique_ptr<ScratchFolder>> make(); // "disk-full", "file-not-written"
    virtual ~ScratchFolder() = default;                   // removes it
    virtual const std::string& path() const = 0;
};

} // namespace hidet::session
