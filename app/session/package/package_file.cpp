// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/package_file.h"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>

#include "lang/base/files.h"
#include "lang/base/text.h"

namespace hidet::session {

PackageFile::~PackageFile() {
    hidet_close(m_package);
    if (m_mapping)
        ::munmap(m_mapping, m_bytes);
}

bool PackageFile::open(const std::string& path, hidet_error& error) {
    const auto refuse = [&error](hidet_status status, const std::string& message) {
        error = {status, {}};
        message.copy(error.message, sizeof error.message - 1);
        return false;
    };
    const Result<InputFile> file = InputFile::open(path);
    if (!file) { // who reports it names the file
        const auto& [code, message] = file.error();
        return refuse(HIDET_NO_FILE,
                      code == "file-not-found" ? std::strerror(ENOENT) : message.substr(message.rfind(": ") + 2));
    }
    m_bytes = static_cast<std::size_t>(file.value().bytes());
    void* mapped =
        m_bytes == 0 ? nullptr : ::mmap(nullptr, m_bytes, PROT_READ, MAP_PRIVATE, file.value().descriptor(), 0);
    if (mapped == MAP_FAILED)
        return refuse(HIDET_OUT_OF_MEMORY, cat("'", path, "' cannot be mapped: ", std::strerror(errno)));
    m_mapping = mapped;
    return hidet_open_memory(mapped ? mapped : "", m_bytes, nullptr, &m_package, &error) == HIDET_OK;
}

} // namespace hidet::session
