// SPDX-License-Identifier: Apache-2.0
// C++, compiled and loaded.
#pragma once

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "lang/base/text.h"
#include "runtime/toolchain/compiler.h"

namespace hidet::test {

class Loaded {
public:
    // The case fails with what the compiler says.
    Loaded(toolchain::Compiler& compiler, std::string text, std::vector<std::string> options) {
        auto built = compiler.compile({.language = artifact::Language::Cxx,
                                       .text = std::move(text),
                                       .product = toolchain::Product::SharedObject,
                                       .arch = "x86-64-v2",
                                       .options = std::move(options)});
        if (!built)
            FAIL(built.error().message.substr(0, 4000));
        auto path = std::filesystem::temp_directory_path() / cat("hidet_unit_", getpid(), ".so");
        std::ofstream(path, std::ios::binary) << built.value().bytes;
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
