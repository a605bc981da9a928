// SPDX-License-Identifier: Apache-2.0
// A process group that ends when this process does, however that happens.
#pragma once

#include <memory>

#include <sys/types.h>

#include "lang/base/result.h"
#include "runtime/process/descriptor.h"

namespace hidet::process {

class Family {
public:
    static Result<std::unique_ptr<Family>> make(); // "process-not-started"
    ~Family();                                     // kills all who are in it
    Family(const Family&) = delete;
    Family& operator=(const Family&) = delete;

    pid_t group() const { return m_guard; }

private:
    Family() = default;

    pid_t m_guard = 0;
    Descriptor m_life; // open as long as we live
};

} // namespace hidet::process
