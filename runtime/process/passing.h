// SPDX-License-Identifier: Apache-2.0
// Open files handed from one process to another: who may open nothing may still read what it is given.
#pragma once

#include "runtime/process/descriptor.h"

namespace hidet::process {

struct SocketPair {
    Descriptor ours;
    Descriptor theirs;
    bool open(); // false: errno says why
};

bool pass(int socket, int file);    // false: nobody takes it
Descriptor take_passed(int socket); // waits for it; none: the other side is gone, or gave none

} // namespace hidet::process
