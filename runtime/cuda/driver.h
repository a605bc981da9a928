// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver, found and loaded at run time: a table of its functions.
#pragma once

#include <memory>
#include <string>

#include "runtime/cuda/errors.h"

namespace hidet::cuda {

inline constexpr int oldest_driver = 12000; // the first that has all that we call

class Driver {
public:
    // An empty path: that of HIDET_LIBCUDA, else libcuda.so.1. Errors: driver-missing, driver-too-old, no-gpu.
    static Result<std::shared_ptr<const Driver>> load(const std::string& path = {});
    ~Driver();
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    int version() const { return m_version; } // of CUDA that it supports: 13000
    const std::string& path() const { return m_path; }
    const Api& api() const { return m_api; }

private:
    Driver() = default;
    std::string bind(); // the first required function that is not there, or nothing

    void* m_library = nullptr;
    std::string m_path;
    int m_version = 0;
    Api m_api;
};

} // namespace hidet::cuda
