// SPDX-License-Identifier: Apache-2.0
// A GPU that is none (tests/fake/cuda), as the tests of this folder use it.
#pragma once

#include <string>

#include "lang/base/text.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "tests/fake/cuda/control.h"
#include "tests/harness/unit.h"

namespace hidet::test {

inline const std::string fake_driver_path = HIDET_FAKE_CUDA_LIBRARY;

template <class T>
T must(Result<T> result) {
    if (!result)
        throw Failure{"unexpected error: [" + result.error().code + "] " + result.error().message};
    return std::move(result).value();
}
inline void must(const Result<void>& result) {
    if (!result)
        throw Failure{"unexpected error: [" + result.error().code + "] " + result.error().message};
}

// "[code] message", or that there is none.
template <class T>
std::string error_text(const Result<T>& result) {
    return result ? "no error" : "[" + result.error().code + "] " + result.error().message;
}

#define EXPECT_HOLDS(text, part) hidet::test::expect_holds((text), (part), __FILE__, __LINE__)
inline void expect_holds(const std::string& text, const std::string& part, const char* file, int line) {
    if (text.find(part) == std::string::npos)
        throw Failure{std::string(file) + ":" + std::to_string(line) + ": not in the text: " + part +
                      "\n    text: " + text};
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
