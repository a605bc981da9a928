// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/cublas.h"

#include "app/session/baselines/baseline.h"
#include "app/session/execute/argument_copies.h"
#include "app/session/execute/gpu_repeat.h"

namespace hidet::session {

namespace {

// On the same a and b, with a result of its own.
class CublasBaseline : public Baseline {
public:
    CublasBaseline(std::unique_ptr<cuda::Cublas> library, cuda::DeviceBuffer result, cuda::Gemm gemm, GemmShape shape,
                   std::shared_ptr<cuda::Stream> stream)
        : m_library(std::move(library)), m_result(std::move(result)), m_gemm(gemm), m_shape(std::move(shape)),
          m_stream(std::move(stream)) {}
    std::string name() const override { return m_library->version(); }
    Result<void> start() override { return m_library->multiply(m_gemm); }
    Result<void> once() override {
        Result<void> started = start();
        return started ? m_stream->wait() : started;
    }
    std::optional<double> difference() const override {
        std::vector<std::byte> theirs(m_result.bytes());
        if (!cuda::copy_to_host(*m_stream, theirs.data(), m_result.address(), theirs.size()))
            return std::nullopt;
        return greatest_difference(theirs.data(), m_shape.a->dtype, m_shape.c->read(), m_shape.c->dtype,
                                   static_cast<std::size_t>(m_shape.c->count()));
    }

    // Where the call's results are copies, so are these.
    Result<Starts> on_copies(const ArgumentCopies& copies, int) override {
        Starts starts;
        for (std::size_t i = 0; i < copies.count(); ++i) {
            cuda::Gemm gemm = m_gemm;
            gemm.a = copies.address(*m_shape.a, i);
            gemm.b = copies.address(*m_shape.b, i);
            if (i > 0 && copies.is_copied(*m_shape.c)) {
                HIDET_TRY(cuda::DeviceBuffer result,
                          cuda::DeviceBuffer::allocate(m_stream, m_result.bytes(), "a result of cuBLAS"));
                gemm.c = m_results.emplace_back(std::move(result)).address();
            }
            starts.push_back([this, gemm] { return m_library->multiply(gemm); });
        }
        return starts;
    }

private:
    std::unique_ptr<cuda::Cublas> m_library;
    std::vector<cuda::DeviceBuffer> m_results; // beside the first
    cuda::DeviceBuffer m_result;
    cuda::Gemm m_gemm;
    GemmShape m_shape;
    std::shared_ptr<cuda::Stream> m_stream;
};

std::optional<cuda::GemmType> type_of(const GemmShape& shape) {
    if (shape.a->dtype != shape.b->dtype)
        return std::nullopt;
    switch (shape.a->dtype) {
    case ir::DType::F32: return cuda::GemmType::F32;
    case ir::DType::F16: return cuda::GemmType::F16;
    case ir::DType::BF16: return cuda::GemmType::BF16;
    default: return std::nullopt;
    }
}

} // namespace

Result<std::unique_ptr<Baseline>> make_cublas(const std::vector<lang::CallArgument>& args, GpuRepeat* gpu,
                                              Tools& tools) {
    std::optional<GemmShape> shape = gemm_of(args);
    std::optional<cuda::GemmType> type = shape ? type_of(*shape) : std::nullopt;
    if (!type || !gpu)
        return Error{"baseline-does-not-fit",
                     "cuBLAS multiplies matrices on a GPU: tensors of shapes m x k, k x n and m x n, "
                     "the first two both f32, f16 or bf16"};
    std::shared_ptr<cuda::Stream> stream = gpu->gpu().backend.stream();
    std::string path = tools.toolchain().locate(toolchain::Tool::Cublas).path;
    HIDET_TRY(auto library, cuda::Cublas::load(stream, {path.substr(0, path.rfind('/'))}));
    std::size_t bytes =
        static_cast<std::size_t>(shape->c->count()) * static_cast<std::size_t>(ir::bytes_of(shape->a->dtype));
    HIDET_TRY(cuda::DeviceBuffer result, cuda::DeviceBuffer::allocate(stream, bytes, "the result of cuBLAS"));
    HIDET_TRY(std::uint64_t a, place_on_device(gpu->gpu(), *shape->a, "a"));
    HIDET_TRY(std::uint64_t b, place_on_device(gpu->gpu(), *shape->b, "b"));
    cuda::Gemm gemm{*type, shape->m, shape->n, shape->k, a, b, result.address()};
    return std::unique_ptr<Baseline>(
        std::make_unique<CublasBaseline>(std::move(library), std::move(result), gemm, *shape, stream));
}

} // namespace hidet::session
