// SPDX-License-Identifier: Apache-2.0
// cuBLAS as the baseline of a benchmark, loaded at run time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/memory.h"

namespace hidet::cuda {

enum class GemmType : std::uint8_t { F32, F16, BF16 }; // of a, b and c; sums are f32, and f32 is never rounded to tf32

struct Gemm {
    GemmType type = GemmType::F32;
    int m = 0, n = 0, k = 0;
    DeviceAddress a = 0; // [m, k], row-major
    DeviceAddress b = 0; // [k, n]
    DeviceAddress c = 0; // [m, n]
};

class Cublas {
public:
    // Further folders to look in; HIDET_LIBCUBLAS names the library itself. Errors: cublas-missing, device-error.
    static Result<std::unique_ptr<Cublas>> load(std::shared_ptr<Stream> stream,
                                                const std::vector<std::string>& folders = {});
    ~Cublas();
    Cublas(const Cublas&) = delete;
    Cublas& operator=(const Cublas&) = delete;

    std::string version() const;             // "cuBLAS 13.0.2"
    Result<void> multiply(const Gemm& gemm); // c = a @ b, asynchronous in the stream

private:
    struct Functions;
    Cublas(std::shared_ptr<Stream> stream, std::unique_ptr<Functions> functions);

    std::shared_ptr<Stream> m_stream;
    std::unique_ptr<Functions> m_functions;
    DeviceBuffer m_workspace;
};

} // namespace hidet::cuda
