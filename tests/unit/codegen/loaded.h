// SPDX-License-Identifier: Apache-2.0
// A shared object that was just compiled, as a loaded library.
#pragma once

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::test {

class Loaded {
public:
    explicit Loaded(const std::string& bytes) {
        auto path = std::filesystem::temp_directory_path() / cat("hidet_unit_", getpid(), ".so");
        std::ofstream(path, std::ios::binary) << bytes;
        m_handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        std::filesystem::remove(path);
        if (!m_handle)
            FAIL(dlerror());
    }
    ~Loaded() { dlclose(m_handle); }
    Loaded(const Loaded&) = delete;
    template <class Function>
    Function find(const std::string& symbol) const {
        auto function = reinterpret_cast<Function>(dlsym(m_handle, symbol.c_str()));
        if (!function)
            FAIL("no symbol ", symbol);
        return function;
    }

private:
    void* m_handle = nullptr;
};

} // namespace hidet::test
