// SPDX-License-Identifier: Apache-2.0
// Verbs of the command line as tools of the protocol: their options are the tool's arguments, so that a verb that is added is
// a tool. A call is a process of its own: it can be stopped, and what goes wrong in it ends nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace hidet::mcp {

using Json = nlohmann::ordered_json;

struct OptionShape {
    std::string name; // "no-compile"; of what is given by its place "FILE"
    std::string type; // "SECONDS"
    std::string what;
    bool is_positional = false;
    bool is_flag = false;
    bool is_list = false;
    bool is_required = false;
};

struct VerbShape {
    std::vector<std::string> words; // "model", "show"
    std::string what;
    std::vector<OptionShape> options;
};

// Where kernels may run besides the emulator.
struct Devices {
    bool cpu = false;
    bool cuda = false;
};

struct Call {
    std::vector<std::string> words; // of the command line, without the program
    std::string input;              // the text of a script
    std::string other;              // of another one, whose path is to be the last word; empty: none is given
    double seconds = 0;             // then it is stopped
    std::size_t characters = 0;     // of the answer, at most
};

// A wrong argument: the sentence says which, and what would be right.
struct WrongArgument {
    std::string why;
};

std::string tool_name(const VerbShape& verb); // "model_show"
Json tool_of(const VerbShape& verb);          // with the JSON schema of its arguments
// Throws WrongArgument.
Call call_of(const VerbShape& verb, const Json& arguments, const Devices& devices);

// What any tool takes as well: throws WrongArgument.
std::size_t characters_of(const Json& arguments);
Json common_arguments(); // their schemas, by name
inline constexpr double characters_per_token = 3.5;

} // namespace hidet::mcp
