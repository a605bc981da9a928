// SPDX-License-Identifier: Apache-2.0
// A compiler that starts another program, as c++ starts cc1plus, and never ends.
#pragma once

#include <chrono>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "lang/base/text.h"
#include "tests/unit/toolchain/scratch.h"

namespace hidet::test {

// It is confined as a real one, and can write nowhere; so who runs is looked up.
class FakeCompiler {
public:
    // `habit`: shell, before it works.
    explicit FakeCompiler(const std::string& habit = "")
        : m_path(m_scratch.program("c++", "[ \"$1\" = --version ] && { echo 'g++ (fake) 12.2.0'; exit 0; }\n" + habit +
                                              "\nsleep 1000000 &\nwait\n")) {}
    const std::string& path() const { return m_path; }
    // The numbers of the two, once they run.
    std::vector<std::string> processes() const {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        for (;;) {
            REQUIRE_MESSAGE(std::chrono::steady_clock::now() < deadline, "the compiler was not started");
            for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator("/proc")) {
                const std::string number = entry.path().filename();
                if (text_of(number, "cmdline").find(m_path) == std::string::npos)
                    continue;
                const std::string started = text_of(number, cat("task/", number, "/children"));
                const std::string child = started.substr(0, started.find(' '));
                if (!child.empty() && text_of(child, "cmdline").starts_with("sleep"))
                    return {number, child};
            }
            std::this_thread::yield();
        }
    }

private:
    static std::string text_of(const std::string& number, const std::string& what) {
        std::ifstream file(cat("/proc/", number, "/", what));
        return {std::istreambuf_iterator<char>(file), {}};
    }

    Scratch m_scratch;
    std::string m_path;
};

} // namespace hidet::test
