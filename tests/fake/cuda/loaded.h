// SPDX-License-Identifier: Apache-2.0
// The driver of the tests, for who does not link it: what is tested loads it by its path.
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include "tests/fake/cuda/control.h"

namespace hidet {

// In its place as long as it lives.
class LoadedFakeCuda {
public:
    LoadedFakeCuda() : m_library(dlopen(FAKE_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
        REQUIRE(m_library);
        function<decltype(fake_cuda_reset)>("fake_cuda_reset")();
        for (const auto& [name, value] : variables)
            setenv(name, value, 1);
    }
    ~LoadedFakeCuda() {
        for (const auto& [name, value] : variables)
            unsetenv(name);
        dlclose(m_library);
    }
    LoadedFakeCuda(const LoadedFakeCuda&) = delete;
    LoadedFakeCuda& operator=(const LoadedFakeCuda&) = delete;

    int calls(const char* name) { return function<decltype(fake_cuda_calls)>("fake_cuda_calls")(name); }
    template <class Function>
    Function* function(const char* name) {
        return reinterpret_cast<Function*>(dlsym(m_library, name));
    }

private:
    static constexpr std::pair<const char*, const char*> variables[] = {{"HIDET_LIBCUDA", FAKE_CUDA_LIBRARY},
                                                                        {"HIDET_NVRTC", FAKE_NVRTC_LIBRARY},
                                                                        {"FAKE_NVRTC", "module"},
                                                                        {"HIDET_LIBNVML", "/nowhere"}};
    void* m_library = nullptr;
};

} // namespace hidet
