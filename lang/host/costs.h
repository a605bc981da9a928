// SPDX-License-Identifier: Apache-2.0
// What work costs in steps that runs none, or too few, of its own. A step stands for at most 100 ns, so that the budget of
// a preview ends within seconds whatever a script does: work that takes longer charges for it before it begins.
#pragma once

#include <cstdint>

namespace hidet::lang::cost {

constexpr std::uint64_t call = 4;          // of any function: its arguments, its scope
constexpr std::uint64_t iteration = 2;     // an iterator, or an item that is made for it
constexpr std::uint64_t comprehension = 4; // its scope
constexpr std::uint64_t formatting = 8;    // of one value
constexpr std::uint64_t definition = 8;    // of a function
constexpr std::uint64_t class_definition = 60;
constexpr std::uint64_t import = 10;
constexpr std::uint64_t file = 400;        // that is looked for
constexpr std::uint64_t name = 2;          // that is bound or looked for among many
constexpr std::uint64_t suggestion = 5;    // for each name that might have been meant
constexpr std::uint64_t module = 50000;    // that is built, and goes through all stages afterwards
constexpr std::uint64_t module_node = 100; // of its functions
constexpr std::uint64_t script = 200;      // a script function, before its statements
constexpr std::uint64_t statement = 50;    // of a script function
constexpr std::uint64_t ir_object = 10;    // a layout or a mapping, of two that are composed
constexpr std::uint64_t graph_node = 150;
// C++ exceptions take microseconds and more for each frame that they leave.
constexpr std::uint64_t unknown = 60;    // a value that is found to depend on data
constexpr std::uint64_t frame = 100;     // a call that an exception leaves
constexpr std::uint64_t exception = 500; // what a script catches, with its message

} // namespace hidet::lang::cost
