// SPDX-License-Identifier: Apache-2.0
// Files as a cache and a compiler need them: temporary, or told apart by what they hold.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lang/base/result.h"

namespace hidet::toolchain {

// Names the only folder that a confined process may write to; it comes before TMPDIR.
inline constexpr const char* scratch_variable = "HIDET_SCRATCH";

// A folder of its own below TMPDIR, removed with all that is in it. What a process leaves behind that is killed the next
// one removes that makes a folder: the owner holds a lock on each of its folders, which ends with it, whoever it was.
class TemporaryFolder {
public:
    static Result<std::unique_ptr<TemporaryFolder>> make(); // "disk-full", "file-not-written"
    static void remove_abandoned();                         // those of owners that are gone
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return m_path; }

private:
    TemporaryFolder(std::string path, int lock) : m_path(std::move(path)), m_lock(lock) {}
    std::string m_path;
    int m_lock; // of the folder itself
};

// Names a build of a program or library: the identity its linker gave it, else size and time of the file.
std::string file_identity(const std::string& path);

} // namespace hidet::toolchain
