// SPDX-License-Identifier: Apache-2.0
// What a verb takes on the command line. The library that reads it (CLI11) takes seconds to compile, and stays behind this in
// command_line.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace hidet::cli {

// What can be said of an argument beside its name, its type and what it is for.
class Argument {
public:
    explicit Argument(CLI::Option& option) : m_option(&option) {}
    Argument& required();
    Argument& hidden();
    Argument& between(double least, double most);
    Argument& one_of(const std::vector<std::string>& values);
    Argument& takes(int count);
    Argument& excludes(const Argument& other);
    Argument& needs(const Argument& other); // beside which alone it says something

private:
    CLI::Option* m_option;
};

// A verb, or the program, which has verbs.
class Verb {
public:
    explicit Verb(CLI::App& app) : m_app(&app) {}

    Verb add_verb(const char* name, const std::string& what);
    void require_verb();
    void when_chosen(std::function<void()> then);

    // Each is read into a variable that lives as long as the command line is read. `type` is a word for what is expected.
    Argument file(const char* name, std::string& into, const std::string& what);               // required, by its place
    Argument files(const char* name, std::vector<std::string>& into, const std::string& what); // one at least
    Argument flag(const char* name, bool& into, const std::string& what);
    Argument text(const char* name, std::string& into, const char* type, const std::string& what);
    Argument texts(const char* name, std::vector<std::string>& into, const char* type, const std::string& what);
    Argument number(const char* name, int& into, const char* type, const std::string& what);
    Argument number(const char* name, std::uint64_t& into, const char* type, const std::string& what);
    Argument number(const char* name, double& into, const char* type, const std::string& what);
    // One of some words; what is said of each names them all: "where kernels run: auto, cuda or cpu".
    Argument choice(const char* name, std::vector<std::string> words, std::function<void(std::size_t)> chosen,
                    const char* type, const std::string& what);

private:
    CLI::App* m_app;
};

} // namespace hidet::cli
