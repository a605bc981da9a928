// SPDX-License-Identifier: Apache-2.0
#include "app/session/peers/peer.h"

#include <cmath>
#include <limits>
#include <optional>

#include "runtime/bench/openblas.h"
#include "runtime/cpu/thread_pool.h"

namespace hidet::session {

namespace {

double greatest_difference(const float* a, const float* b, std::size_t count) {
    double greatest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        double difference = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        greatest = difference > greatest || difference != difference ? difference : greatest;
    }
    return greatest;
}

class OpenBlasPeer : public Peer {
public:
    OpenBlasPeer(std::unique_ptr<bench::OpenBlas> blas, GemmShape shape)
        : m_blas(std::move(blas)), m_shape(std::move(shape)),
          m_result(static_cast<std::size_t>(m_shape.m) * static_cast<std::size_t>(m_shape.n),
                   std::numeric_limits<float>::quiet_NaN()) {} // poisoned: what is never written shows
    std::string name() const override { return "OpenBLAS"; }
    Result<void> once() override {
        m_blas->multiply(m_shape.m, m_shape.n, m_shape.k, floats(m_shape.a), floats(m_shape.b), m_result.data());
        return {};
    }
    double difference() const override {
        return greatest_difference(m_result.data(), floats(m_shape.c), m_result.size());
    }

private:
    static const float* floats(const lang::TensorRef& tensor) { return reinterpret_cast<const float*>(tensor->data()); }
    std::unique_ptr<bench::OpenBlas> m_blas;
    GemmShape m_shape;
    std::vector<float> m_result;
};

class ScriptPeer : public Peer {
public:
    ScriptPeer(std::unique_ptr<Repeat> repeat, std::vector<lang::CallArgument> mine,
               std::vector<lang::CallArgument> theirs)
        : m_repeat(std::move(repeat)), m_mine(std::move(mine)), m_theirs(std::move(theirs)) {}
    std::string name() const override { return "the other script"; }
    Result<void> once() override { return m_repeat->once(); }
    // Of the last f32 tensor that both have, in the same shape: by custom the result.
    double difference() const override {
        for (std::size_t i = std::min(m_mine.size(), m_theirs.size()); i-- > 0;) {
            const auto* a = std::get_if<lang::TensorRef>(&m_mine[i].value);
            const auto* b = std::get_if<lang::TensorRef>(&m_theirs[i].value);
            if (a && b && *a && *b && (*a)->dtype == ir::DType::F32 && (*b)->dtype == ir::DType::F32 &&
                (*a)->shape == (*b)->shape)
                return greatest_difference(reinterpret_cast<const float*>((*a)->data()),
                                           reinterpret_cast<const float*>((*b)->data()),
                                           static_cast<std::size_t>((*a)->count()));
        }
        return 0;
    }

private:
    std::unique_ptr<Repeat> m_repeat;
    std::vector<lang::CallArgument> m_mine, m_theirs;
};

} // namespace

std::optional<GemmShape> gemm_of(const std::vector<lang::CallArgument>& args) {
    std::vector<lang::TensorRef> tensors;
    for (const lang::CallArgument& arg : args)
        if (const auto* tensor = std::get_if<lang::TensorRef>(&arg.value); tensor && *tensor)
            tensors.push_back(*tensor);
    if (tensors.size() != 3)
        return std::nullopt;
    for (const lang::TensorRef& tensor : tensors)
        if (tensor->shape.size() != 2)
            return std::nullopt;
    std::int64_t m = tensors[0]->shape[0], k = tensors[0]->shape[1], n = tensors[1]->shape[1];
    bool fits = tensors[1]->shape[0] == k && tensors[2]->shape[0] == m && tensors[2]->shape[1] == n;
    if (!fits || std::max({m, n, k}) > std::numeric_limits<int>::max())
        return std::nullopt;
    return GemmShape{static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), tensors[0], tensors[1], tensors[2]};
}

Result<std::unique_ptr<Peer>> make_library_peer(const std::string& name, const std::vector<lang::CallArgument>& args) {
    if (name != "openblas")
        return Error{"no-such-peer", cat("there is no peer '", name, "'; 'openblas' is one, and so is another script")};
    std::optional<GemmShape> shape = gemm_of(args);
    bool is_f32 = shape && shape->a->dtype == ir::DType::F32 && shape->b->dtype == ir::DType::F32 &&
                  shape->c->dtype == ir::DType::F32;
    if (!is_f32)
        return Error{"peer-does-not-fit",
                     "OpenBLAS multiplies matrices: three f32 tensors of shapes m x k, k x n and m x n"};
    HIDET_TRY(auto blas, bench::OpenBlas::load(cpu::usable_processors()));
    return std::unique_ptr<Peer>(std::make_unique<OpenBlasPeer>(std::move(blas), *shape));
}

std::unique_ptr<Peer> make_script_peer(std::unique_ptr<Repeat> repeat, std::vector<lang::CallArgument> mine,
                                       std::vector<lang::CallArgument> theirs) {
    return std::make_unique<ScriptPeer>(std::move(repeat), std::move(mine), std::move(theirs));
}

} // namespace hidet::session
