// SPDX-License-Identifier: Apache-2.0
#include "runtime/bench/openblas.h"

#include <dlfcn.h>

namespace hidet::bench {

Result<std::unique_ptr<OpenBlas>> OpenBlas::load(int threads) {
    void* library = nullptr;
    for (const char* name : {"libopenblas.so.0", "libopenblas.so"})
        if (!library)
            library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    auto gemm = library ? reinterpret_cast<Gemm>(dlsym(library, "cblas_sgemm")) : nullptr;
    if (!gemm)
        return Error{"openblas-missing", "OpenBLAS was not found; install the package libopenblas0-pthread"};
    if (auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads")))
        set_threads(threads);
    auto blas = std::make_unique<OpenBlas>();
    blas->m_gemm = gemm;
    return blas;
}

void OpenBlas::multiply(int m, int n, int k, const float* a, const float* b, float* c) const {
    constexpr int row_major = 101, as_it_is = 111; // of the interface of CBLAS
    m_gemm(row_major, as_it_is, as_it_is, m, n, k, 1.0f, a, k, b, n, 0.0f, c, n);
}

} // namespace hidet::bench
