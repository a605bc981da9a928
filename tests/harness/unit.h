// SPDX-License-Identifier: Apache-2.0
// All that a C++ test needs. A program makes a Suite, runs cases named as sentences about behaviour, and returns
// suite.result(). Prefer a golden file (tests/harness/README.md) wherever text goes in and text comes out.
#pragma once

#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>

namespace hidet::test {

struct Failure {
    std::string text;
};

class Suite {
public:
    // `only` (argv[1]) runs the cases whose name holds it.
    explicit Suite(int argc = 0, char** argv = nullptr) : m_only(argc > 1 ? argv[1] : "") {}

    template <class Body>
    void run(std::string_view name, Body&& body) {
        if (name.find(m_only) == std::string_view::npos)
            return;
        ++m_ran;
        try {
            body();
            return;
        } catch (const Failure& failure) {
            say(name, failure.text);
        } catch (const std::exception& error) {
            say(name, std::string("threw ") + error.what());
        }
        ++m_failed;
    }
    int result() const {
        std::printf("%d cases, %d failed\n", m_ran, m_failed);
        return m_failed == 0 && m_ran > 0 ? 0 : 1;
    }

private:
    static void say(std::string_view name, const std::string& text) {
        std::printf("FAILED: %.*s\n  %s\n", static_cast<int>(name.size()), name.data(), text.c_str());
    }
    std::string_view m_only;
    int m_ran = 0;
    int m_failed = 0;
};

// clang-format off
template <class T>
concept Printable = requires(std::ostream& out, const T& value) { out << value; };
// clang-format on

template <class T>
std::string shown(const T& value) {
    if constexpr (Printable<T>) {
        std::ostringstream out;
        out << std::boolalpha << value;
        return out.str();
    } else {
        return "(a value without a text form)";
    }
}

template <class A, class B>
void expect_equal(const A& actual, const B& expected, const char* file, int line, const char* what) {
    if (actual == expected)
        return;
    throw Failure{std::string(file) + ":" + std::to_string(line) + ": " + what + "\n    is       " + shown(actual) +
                  "\n    expected " + shown(expected)};
}

} // namespace hidet::test

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            throw hidet::test::Failure{std::string(__FILE__) + ":" + std::to_string(__LINE__) + ": " + #condition};    \
    } while (false)
#define EXPECT_EQUAL(actual, expected) hidet::test::expect_equal((actual), (expected), __FILE__, __LINE__, #actual)
