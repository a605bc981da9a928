// SPDX-License-Identifier: Apache-2.0
// What compilers say of a text, as data: NVRTC's, ptxas's and the C++ compilers' logs read into messages with lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hidet::toolchain {

struct CompilerMessage {
    enum class Severity : std::uint8_t { Error, Warning };
    Severity severity = Severity::Error;
    int line = 0;             // of the text that was compiled, from 1; 0: the message is about no line
    std::vector<int> callers; // where the function with that line was inlined, outward
    std::string symbol;       // of the kernel that the message is about, where there is no line
    std::string text;         // one line: "identifier \"x\" is undefined"
    friend bool operator==(const CompilerMessage&, const CompilerMessage&) = default;
};

std::vector<CompilerMessage> read_messages(std::string_view log);

// ptxas tells lines of PTX. Rewrites what it says to lines of the text that the PTX was made of, as its `.loc` have them.
std::string lead_back(std::string_view log, std::string_view ptx);

} // namespace hidet::toolchain
