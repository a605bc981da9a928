// SPDX-License-Identifier: Apache-2.0
// Shared objects of C++ that need the C library and nothing else.
#pragma once

namespace hidet::session {

// Behind the text of an object that brings the part of the C++ runtime that throws along. That part takes memory for exceptions
// that find none when it is loaded, and would leave it behind; and without a handler of its own for what nobody catches (the
// entry points catch all) it brings names of types back into words, which is half of its size.
inline constexpr const char* stand_alone_text = R"(
namespace __gnu_cxx {
[[gnu::weak]] void __freeres();
}
namespace __cxxabiv1 {
static void give_up() {
    __builtin_abort();
}
[[gnu::visibility("hidden")]] void (*__terminate_handler)() = give_up;
}
[[gnu::destructor]] static void hidet_give_back() {
    if (__gnu_cxx::__freeres)
        __gnu_cxx::__freeres();
}
)";

inline constexpr const char* stand_alone_options[] = {"-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL",
                                                      "-Wl,--gc-sections", "-s"};

} // namespace hidet::session
