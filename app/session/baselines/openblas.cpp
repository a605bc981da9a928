// SPDX-License-Identifier: Apache-2.0
#include "runtime/bench/openblas.h"

#include <limits>

#include "app/session/baselines/baseline.h"
#include "runtime/package/thread_pool.h"

namespace hidet::session {

namespace {

class OpenBlasBaseline : public Baseline {
public:
    OpenBlasBaseline(std::unique_ptr<bench::OpenBlas> blas, GemmShape shape)
        : m_blas(std::move(blas)), m_shape(std::move(shape)),
          m_result(static_cast<std::size_t>(m_shape.m) * static_cast<std::size_t>(m_shape.n),
                   std::numeric_limits<float>::quiet_NaN()) {} // poisoned: what is never written shows
    std::string name() const override { return "OpenBLAS"; }
    Result<void> once() override {
        m_blas->multiply(m_shape.m, m_shape.n, m_shape.k, floats(m_shape.a), floats(m_shape.b), m_result.data());
        return {};
    }
    std::optional<double> difference() const override {
        return greatest_difference(reinterpret_cast<const std::byte*>(m_result.data()), ir::DType::F32,
                                   m_shape.c->read(), ir::DType::F32, m_result.size());
    }

private:
    static const float* floats(const lang::TensorRef& tensor) { return reinterpret_cast<const float*>(tensor->read()); }
    std::unique_ptr<bench::OpenBlas> m_blas;
    GemmShape m_shape;
    std::vector<float> m_result;
};

} // namespace

Result<std::unique_ptr<Baseline>> make_openblas(const std::vector<lang::CallArgument>& args, GpuRepeat* gpu, Tools&) {
    std::optional<GemmShape> shape = gemm_of(args);
    bool is_f32 = shape && shape->a->dtype == ir::DType::F32 && shape->b->dtype == ir::DType::F32 &&
                  shape->c->dtype == ir::DType::F32;
    if (!is_f32 || gpu)
        return Error{"baseline-does-not-fit",
                     "OpenBLAS multiplies matrices on the CPU: three f32 tensors of shapes m x k, k x n and m x n"};
    HIDET_TRY(auto blas, bench::OpenBlas::load(package::usable_processors()));
    return std::unique_ptr<Baseline>(std::make_unique<OpenBlasBaseline>(std::move(blas), *shape));
}

} // namespace hidet::session
