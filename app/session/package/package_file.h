// SPDX-License-Identifier: Apache-2.0
// A package that is opened by whoever opens files for this process (lang/base/files.h).
#pragma once

#include <cstddef>
#include <string>

#include "runtime/capi/hidet_runtime.h"

namespace hidet::session {

class PackageFile {
public:
    PackageFile() = default;
    ~PackageFile();
    PackageFile(const PackageFile&) = delete;
    PackageFile& operator=(const PackageFile&) = delete;

    bool open(const std::string& path, hidet_error& error);
    hidet_package* get() const { return m_package; } // null: it is not open

private:
    void* m_mapping = nullptr;
    std::size_t m_bytes = 0;
    hidet_package* m_package = nullptr;
};

} // namespace hidet::session
