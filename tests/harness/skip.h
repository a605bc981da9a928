// SPDX-License-Identifier: Apache-2.0
// What a case of a C++ test says when this machine lacks what it needs: a GPU, a compiler.
#pragma once

#include <string_view>

namespace hidet::test {

// Prints the reason; the case returns after it. A program that did nothing but skip ends with exit code 77.
void skip(std::string_view reason);

} // namespace hidet::test
