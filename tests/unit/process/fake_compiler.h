// SPDX-License-Identifier: Apache-2.0
// A compiler that starts another program, as c++ starts cc1plus, tells the numbers of both, and never ends.
#pragma once

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/process/descriptor.h"
#include "tests/unit/toolchain/scratch.h"

namespace hidet::test {

class FakeCompiler {
public:
    // `habit`: shell, before it works.
    explicit FakeCompiler(const std::string& habit = "") {
        std::string pipe = m_scratch.path("numbers");
        REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
        m_numbers.reset(open(pipe.c_str(), O_RDWR | O_CLOEXEC));
        m_path = m_scratch.program("c++", "[ \"$1\" = --version ] && { echo 'g++ (fake) 12.2.0'; exit 0; }\n" + habit +
                                              "\nsleep 1000000 &\necho $$ $! >" + pipe + "\nwait\n");
    }
    const std::string& path() const { return m_path; }
    // The numbers of the two, once they run.
    std::vector<std::string> processes() {
        std::string line;
        for (char byte = 0; byte != '\n';) {
            pollfd readable{m_numbers.get(), POLLIN, 0};
            REQUIRE_MESSAGE(poll(&readable, 1, 60'000) == 1, "the compiler was not started");
            REQUIRE(read(m_numbers.get(), &byte, 1) == 1);
            line += byte;
        }
        line.pop_back();
        return split(line, ' ');
    }

private:
    Scratch m_scratch;
    process::Descriptor m_numbers;
    std::string m_path;
};

} // namespace hidet::test
