// SPDX-License-Identifier: Apache-2.0
// Generated C++ or CUDA C++ (PTX is what a person made of it): the text, the origin of each token in it, and what can be called from outside. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/artifact/program.h"

namespace hidet::artifact {

enum class Language : std::uint8_t { CudaCxx, Cxx, Ptx };

// A kernel of a CUDA module, or a function of a C++ module that the host calls.
struct EntryPoint {
    std::string name;   // in the script
    std::string symbol; // in the object: unmangled
    std::vector<Parameter> params;
    bool returns_value = false;
    Scalar return_type{};
    std::int64_t static_shared_bytes = 0;
    friend bool operator==(const EntryPoint&, const EntryPoint&) = default;
};

// What generated C++ checks while it runs; it tells its host the number of the row.
struct RuntimeCheck {
    enum class Kind : std::uint8_t { Bounds, Division, Assertion };
    Kind kind = Kind::Bounds;
    Origin origin;
    std::string function; // that it stands in
    std::string tensor;   // Bounds
    bool is_store = false;
    friend bool operator==(const RuntimeCheck&, const RuntimeCheck&) = default;
};

struct Source {
    Language language = Language::CudaCxx;
    std::string text;
    std::vector<TokenOrigin>
        tokens; // in the order of the text, none over another; layout and the prelude have no origin
    std::vector<EntryPoint> entries;  // in the order of the script
    std::vector<RuntimeCheck> checks; // of C++
    friend bool operator==(const Source&, const Source&) = default;
};

// For each line of the text (0-based) the origin of its first token with a known one; unknown where there is none.
std::vector<Origin> line_origins(const Source& source);

} // namespace hidet::artifact
