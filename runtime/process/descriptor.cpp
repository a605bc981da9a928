// SPDX-License-Identifier: Apache-2.0
#include "runtime/process/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

namespace hidet::process {

void Descriptor::close() {
    if (m_number >= 0)
        ::close(m_number);
    m_number = -1;
}

Descriptor above_standard_streams(Descriptor file) {
    if (file.get() < 0 || file.get() > 2)
        return file;
    return Descriptor(fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
}

void stop_blocking(const Descriptor& file) {
    if (file.is_open())
        fcntl(file.get(), F_SETFL, fcntl(file.get(), F_GETFL) | O_NONBLOCK);
}

bool Pipe::open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    read_end = above_standard_streams(Descriptor(ends[0]));
    write_end = above_standard_streams(Descriptor(ends[1]));
    return read_end.is_open() && write_end.is_open();
}

} // namespace hidet::process
