// SPDX-License-Identifier: Apache-2.0
// OpenBLAS as the baseline of matrix products on the CPU, loaded at run time.
#pragma once

#include <memory>

#include "lang/base/result.h"

namespace hidet::bench {

class OpenBlas {
public:
    static Result<std::unique_ptr<OpenBlas>> load(int threads); // "openblas-missing"
    // c = a b, row-major f32: a is m x k, b is k x n.
    void multiply(int m, int n, int k, const float* a, const float* b, float* c) const;

private:
    using Gemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a,
                          int lda, const float* b, int ldb, float beta, float* c, int ldc);
    Gemm m_gemm = nullptr;
};

} // namespace hidet::bench
