// SPDX-License-Identifier: Apache-2.0
// A libcublas for the fake GPU, whose memory is the host's: f32 products, columns first as the real one counts, in the order
// of the stream. They take the time of a kernel "gemm".
#include <cstddef>

#include "tests/fake/cuda/control.h"

static void* the_stream = nullptr;

#define ENTRY extern "C" __attribute__((visibility("default"))) int

ENTRY cublasCreate_v2(void** handle) {
    static int the_handle = 0;
    *handle = &the_handle;
    return 0;
}
ENTRY cublasDestroy_v2(void*) {
    return 0;
}
ENTRY cublasGetVersion_v2(void*, int* version) {
    *version = 130002;
    return 0;
}
ENTRY cublasSetStream_v2(void*, void* stream) {
    the_stream = stream;
    return 0;
}
ENTRY cublasSetWorkspace_v2(void*, void* workspace, std::size_t bytes) {
    return workspace && bytes == std::size_t{32} << 20 ? 0 : 7;
}
ENTRY cublasSetMathMode(void*, int mode) {
    return mode == 0 ? 0 : 7;
}
extern "C" __attribute__((visibility("default"))) const char* cublasGetStatusString(int status) {
    return status == 15 ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_INVALID_VALUE";
}
ENTRY cublasGemmEx(void*, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha, const void* a,
                   int a_type, int lda, const void* b, int b_type, int ldb, const void* beta, void* c, int c_type,
                   int ldc, int compute, int) {
    if (transpose_a || transpose_b || compute != 68 || lda < m || ldb < k || ldc < m)
        return 7;
    if (a_type || b_type || c_type)
        return 15;
    const float scale = *static_cast<const float*>(alpha), begin = *static_cast<const float*>(beta);
    fake_cuda_start(the_stream, "gemm", [=] {
        auto x = static_cast<const float*>(a), y = static_cast<const float*>(b);
        auto z = static_cast<float*>(c);
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
                float sum = 0;
                for (int l = 0; l < k; ++l)
                    sum += x[i + l * lda] * y[l + j * ldb];
                z[i + j * ldc] = scale * sum + begin;
            }
    });
    return 0;
}
