// SPDX-License-Identifier: Apache-2.0
// A GPU that is none (tests/fake/cuda), as the tests of this folder use it.
#pragma once

#include <doctest/doctest.h>
#include <string>

#include "lang/base/text.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "tests/fake/cuda/control.h"

namespace hidet::test {

inline const std::string fake_driver_path = HIDET_FAKE_CUDA_LIBRARY;

template <class T>
T must(Result<T> result) {
    if (!result)
        FAIL("unexpected error: [", result.error().code, "] ", result.error().message);
    return std::move(result).value();
}
inline void must(const Result<void>& result) {
    if (!result)
        FAIL("unexpected error: [", result.error().code, "] ", result.error().message);
}

// "[code] message", or that there is none.
template <class T>
std::string error_text(const Result<T>& result) {
    return result ? "no error" : "[" + result.error().code + "] " + result.error().message;
}

#define REQUIRE_HOLDS(text, part) REQUIRE(hidet::test::without(text, part) == "")
// The text that should hold the part, or nothing when it does.
inline std::string without(const std::string& text, const std::string& part) {
    return text.find(part) == std::string::npos ? "'" + part + "' is not in: " + text : "";
}

// A driver, a context and a stream, after `settings` (of tests/fake/cuda/control.h).
struct Rig {
    explicit Rig(const char* settings = "") {
        fake_cuda_reset();
        fake_cuda_set(settings);
        driver = must(cuda::Driver::load(fake_driver_path));
        context = must(cuda::Context::open(driver));
        stream = must(cuda::Stream::create(context));
    }
    std::shared_ptr<cuda::Module> module(const std::string& text) {
        return cuda::Module::create(context, {text, "sm_90", "NVRTC 13.0"});
    }
    std::shared_ptr<cuda::Kernel> kernel(const std::string& text, cuda::KernelSignature signature) {
        return must(module(text)->kernel(std::move(signature)));
    }

    std::shared_ptr<const cuda::Driver> driver;
    std::shared_ptr<cuda::Context> context;
    std::shared_ptr<cuda::Stream> stream;
};

} // namespace hidet::test
