// SPDX-License-Identifier: Apache-2.0
// Memory that could not be had: thrown where much is asked for at once, and told its place by who runs the script.
#pragma once

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "lang/base/diagnostic.h"
#include "lang/base/text.h"

namespace hidet {

struct OutOfMemory : std::bad_alloc {
    explicit OutOfMemory(std::string wanted, Span place = {}) : wanted(std::move(wanted)), place(place) {}
    const char* what() const noexcept override { return wanted.c_str(); }
    Diagnostic diagnostic(std::string_view doing) const {
        return Diagnostic::make(DiagId::OutOfMemory, place,
                                wanted.empty() ? std::string(doing) : cat(doing, ": ", wanted, " were asked for"));
    }
    std::string wanted; // "4.00 TB for the input 'x'"; empty: unknown
    Span place;         // of the statement
};

} // namespace hidet
