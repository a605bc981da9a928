// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/cublas.h"

#include "lang/base/text.h"
#include "runtime/cuda/library.h"

namespace hidet::cuda {

namespace {

using Handle = void*; // opaque
constexpr int not_transposed = 0, default_math = 0, compute_f32 = 68, default_algorithm = -1;
constexpr std::size_t workspace_bytes = std::size_t{32} << 20; // what frameworks give it on Hopper

int data_type(GemmType type) { // a cudaDataType
    switch (type) {
    case GemmType::F32: return 0;
    case GemmType::F16: return 2;
    case GemmType::BF16: return 14;
    }
    return 0;
}

std::vector<std::string> names_in(const std::vector<std::string>& folders) {
    std::vector<std::string> names;
    for (const char* version : {"libcublas.so.13", "libcublas.so.12"}) {
        for (const std::string& folder : folders)
            names.push_back(cat(folder, "/", version));
        names.push_back(version);
        for (const char* folder : {"/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"})
            names.push_back(cat(folder, "/", version));
    }
    return names;
}

} // namespace

struct Cublas::Functions {
    explicit Functions(const std::vector<std::string>& names) : library("HIDET_LIBCUBLAS", names) {}
    Library library;
    int (*create)(Handle* handle) = nullptr;
    int (*destroy)(Handle handle) = nullptr;
    int (*get_version)(Handle handle, int* version) = nullptr;
    int (*set_stream)(Handle handle, StreamHandle stream) = nullptr;
    int (*set_workspace)(Handle handle, void* workspace, std::size_t bytes) = nullptr;
    int (*set_math_mode)(Handle handle, int mode) = nullptr;
    const char* (*status_text)(int status) = nullptr;
    int (*gemm)(Handle handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha, const void* a,
                int a_type, int lda, const void* b, int b_type, int ldb, const void* beta, void* c, int c_type, int ldc,
                int compute, int algorithm) = nullptr;
    Handle handle = nullptr;

    bool bind() {
        library.bind(status_text, "cublasGetStatusString");
        return library.bind(create, "cublasCreate_v2") && library.bind(destroy, "cublasDestroy_v2") &&
               library.bind(get_version, "cublasGetVersion_v2") && library.bind(set_stream, "cublasSetStream_v2") &&
               library.bind(set_workspace, "cublasSetWorkspace_v2") &&
               library.bind(set_math_mode, "cublasSetMathMode") && library.bind(gemm, "cublasGemmEx");
    }
    Error error(int status, std::string_view doing) const {
        return {"device-error",
                cat(doing, " failed: ", status_text ? status_text(status) : cat("cuBLAS status ", status))};
    }
};

Cublas::Cublas(std::shared_ptr<Stream> stream, std::unique_ptr<Functions> functions)
    : m_stream(std::move(stream)), m_functions(std::move(functions)) {}

Cublas::~Cublas() {
    if (m_functions->handle && m_stream->context().enter_to_free())
        m_functions->destroy(m_functions->handle);
}

Result<std::unique_ptr<Cublas>> Cublas::load(std::shared_ptr<Stream> stream, const std::vector<std::string>& folders) {
    HIDET_TRY_TO(stream->context().enter());
    auto functions = std::make_unique<Functions>(names_in(folders));
    if (!functions->library)
        return Error{"cublas-missing",
                     "cuBLAS is not found: neither libcublas.so.13 nor libcublas.so.12 can be loaded; "
                     "install a CUDA toolkit or the wheel nvidia-cublas, or say where it is with "
                     "HIDET_LIBCUBLAS"};
    if (!functions->bind())
        return Error{"cublas-missing",
                     cat(functions->library.path(), " is not a cuBLAS of a version that is supported")};
    std::unique_ptr<Cublas> cublas(new Cublas(std::move(stream), std::move(functions)));
    Functions& f = *cublas->m_functions;
    if (int status = f.create(&f.handle)) {
        f.handle = nullptr;
        return f.error(status, "starting cuBLAS");
    }
    HIDET_TRY(cublas->m_workspace, DeviceBuffer::allocate(cublas->m_stream, workspace_bytes, "cuBLAS's workspace"));
    int status = f.set_stream(f.handle, cublas->m_stream->handle());
    if (!status) // after the stream, which resets it
        status = f.set_workspace(f.handle, reinterpret_cast<void*>(cublas->m_workspace.address()), workspace_bytes);
    if (!status)
        status = f.set_math_mode(f.handle, default_math);
    if (status)
        return f.error(status, "setting up cuBLAS");
    return cublas;
}

std::string Cublas::version() const {
    int version = 0;
    m_functions->get_version(m_functions->handle, &version);
    // 130002 is 13.0.2, 120805 is 12.8.5.
    return cat("cuBLAS ", version / 10000, ".", version / 100 % 100, ".", version % 100);
}

Result<void> Cublas::multiply(const Gemm& gemm) {
    HIDET_TRY_TO(m_stream->context().enter());
    const float one = 1, zero = 0;
    int type = data_type(gemm.type);
    auto at = [](DeviceAddress address) { return reinterpret_cast<void*>(address); };
    // It counts columns first: the transposed product b' @ a' of the transposed matrices is the same bytes.
    int status = m_functions->gemm(m_functions->handle, not_transposed, not_transposed, gemm.n, gemm.m, gemm.k, &one,
                                   at(gemm.b), type, gemm.n, at(gemm.a), type, gemm.k, &zero, at(gemm.c), type, gemm.n,
                                   compute_f32, default_algorithm);
    return status ? Result<void>(m_functions->error(status, "a matrix product of cuBLAS")) : Result<void>{};
}

} // namespace hidet::cuda
