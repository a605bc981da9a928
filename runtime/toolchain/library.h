// SPDX-License-Identifier: Apache-2.0
// A shared library that is loaded while the program runs. It stays loaded: CUDA's libraries keep threads and handlers.
#pragma once

#include <string>

#include "lang/base/result.h"

namespace hidet::toolchain {

class Library {
public:
    static Result<Library> open(const std::string& path); // "library-not-loaded"
    void* symbol(const char* name) const;                 // null: there is none
    template <class Function>
    bool bind(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(symbol(name));
        return function != nullptr;
    }

private:
    void* m_handle = nullptr;
};

} // namespace hidet::toolchain
