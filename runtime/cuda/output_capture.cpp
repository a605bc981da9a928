// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/output_capture.h"

#include <cstdio>

#include <sys/mman.h>
#include <unistd.h>

namespace hidet::cuda {

OutputCapture::OutputCapture() {
    std::fflush(stdout);
    m_file = memfd_create("device-output", MFD_CLOEXEC);
    if (m_file < 0)
        return;
    m_saved = dup(STDOUT_FILENO);
    if (m_saved < 0 || dup2(m_file, STDOUT_FILENO) < 0) {
        close(m_file);
        m_file = -1;
    }
}

std::string OutputCapture::finish() {
    std::string text;
    if (m_file < 0)
        return text;
    std::fflush(stdout);
    dup2(m_saved, STDOUT_FILENO);
    off_t size = lseek(m_file, 0, SEEK_END);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    std::size_t done = 0;
    while (done < text.size()) {
        ssize_t got = pread(m_file, text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (got <= 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    close(m_file);
    m_file = -1;
    return text;
}

OutputCapture::~OutputCapture() {
    finish();
    if (m_saved >= 0)
        close(m_saved);
}

} // namespace hidet::cuda
