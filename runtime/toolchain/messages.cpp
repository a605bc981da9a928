// SPDX-License-Identifier: Apache-2.0
// Forms that are understood:
//     /hidet/kernel.cu(5): error: identifier "x" is undefined            NVRTC; "warning #177-D: ..." likewise
//     /hidet/functions.cpp:1:18: error: 'x' was not declared             g++, clang++
//     ptxas error   : Entry function 'k' uses too much shared data       ptxas, of a kernel
//     ptxas application ptx input, line 29; error   : Not a name ...     ptxas, of a line of PTX
#include "runtime/toolchain/messages.h"

#include "lang/base/text.h"
#include "runtime/toolchain/listing.h"
#include "runtime/toolchain/nvrtc.h"
#include "runtime/toolchain/words.h"

namespace hidet::toolchain {

namespace {

using Severity = CompilerMessage::Severity;

constexpr std::string_view inlined_at = "inlined at line";
constexpr std::string_view ptx_place = "ptxas application ptx input, line";

// "error: text", "fatal error: text", "warning #177-D: text", "error   : text".
bool take_severity(std::string_view& words, Severity& severity) {
    if (take(words, "fatal error") || take(words, "catastrophic error") || take(words, "internal error") ||
        take(words, "error") || take(words, "fatal"))
        severity = Severity::Error;
    else if (take(words, "warning"))
        severity = Severity::Warning;
    else
        return false;
    std::size_t colon = words.find(':');
    if (colon == std::string_view::npos || words.substr(0, colon).find_first_of(" (") < colon - (colon > 0))
        return false;
    words = trimmed(words.substr(colon + 1));
    return true;
}

// "/hidet/kernel.cu(5)" or "/hidet/functions.cpp:1:18"; leaves what follows the colon behind it.
bool take_place(std::string_view& words, int& line) {
    if (!take(words, "/hidet/"))
        return false;
    std::size_t name = words.find_first_of("(:");
    if (name == std::string_view::npos)
        return false;
    bool in_parentheses = words[name] == '(';
    words.remove_prefix(name + 1);
    line = take_number(words);
    if (line < 0)
        return false;
    if (in_parentheses)
        return take(words, "):");
    if (take(words, ":"))
        take_number(words);
    return take(words, ":");
}

bool read_line(std::string_view line, CompilerMessage& message) {
    std::string_view words = trimmed(line);
    if (take_place(words, message.line)) {
        if (!take_severity(words, message.severity))
            return false;
    } else if (take(words, ptx_place)) {
        if (take_number(words) < 0 || !take(words, ";") || !take_severity(words, message.severity))
            return false;
    } else if (take(words, "ptxas")) {
        if (!take_severity(words, message.severity) || words == "Ptx assembly aborted due to errors")
            return false;
        if (std::size_t open = words.find("unction '"); open != std::string_view::npos) {
            std::string_view name = words.substr(open + 9);
            message.symbol = name.substr(0, name.find('\''));
        }
    } else {
        return false;
    }
    message.text = words;
    return true;
}

} // namespace

std::vector<CompilerMessage> read_messages(std::string_view log) {
    std::vector<CompilerMessage> messages;
    for (const std::string& line : split(log, '\n')) {
        CompilerMessage message;
        std::string_view words = trimmed(line);
        if (read_line(line, message))
            messages.push_back(std::move(message));
        else if (!messages.empty() && take(words, inlined_at))
            messages.back().callers.push_back(take_number(words));
    }
    return messages;
}

std::string lead_back(std::string_view log, std::string_view ptx) {
    std::string rewritten;
    for (std::string_view rest = log; !rest.empty();) {
        std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        std::string_view words = line;
        CompilerMessage message;
        std::vector<int> chain;
        if (take(words, ptx_place))
            chain = lines_behind_ptx(ptx, take_number(words));
        if (!chain.empty() && take(words, ";") && take_severity(words, message.severity)) {
            bool is_error = message.severity == Severity::Error;
            rewritten += cat(program_name, "(", chain[0], "): ", is_error ? "error" : "warning", ": ", words, "\n");
            for (std::size_t i = 1; i < chain.size(); ++i)
                rewritten += cat("          ", inlined_at, " ", chain[i], "\n");
        } else {
            rewritten.append(line).push_back('\n');
        }
    }
    return rewritten;
}

} // namespace hidet::toolchain
