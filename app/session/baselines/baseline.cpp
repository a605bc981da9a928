// SPDX-License-Identifier: Apache-2.0
#include "app/session/baselines/baseline.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "app/session/execute/argument_copies.h"
#include "app/session/execute/gpu_repeat.h"
#include "lang/base/numeric.h"
#include "lang/tensor/elements.h"

namespace hidet::session {

namespace {

class ScriptBaseline : public Baseline {
public:
    ScriptBaseline(std::unique_ptr<Repeat> repeat, std::vector<lang::CallArgument> mine,
                   std::vector<lang::CallArgument> theirs)
        : m_repeat(std::move(repeat)), m_mine(std::move(mine)), m_theirs(std::move(theirs)) {}
    std::string name() const override { return "the other script"; }
    Result<void> once() override { return m_repeat->once(); }
    Result<void> start() override { return m_repeat->on_gpu() ? m_repeat->on_gpu()->start() : m_repeat->once(); }
    Repeat* repeat() override { return m_repeat.get(); }
    // Of the last tensor that both have, in the same shape: by custom the result.
    std::optional<double> difference() const override {
        for (std::size_t i = std::min(m_mine.size(), m_theirs.size()); i-- > 0;) {
            const auto* a = std::get_if<lang::TensorRef>(&m_mine[i].value);
            const auto* b = std::get_if<lang::TensorRef>(&m_theirs[i].value);
            if (a && b && *a && *b && (*a)->shape == (*b)->shape)
                return between(**a, **b);
        }
        return std::nullopt;
    }

    Result<Starts> on_copies(const ArgumentCopies& mine, int launches) override {
        GpuRepeat* gpu = m_repeat->on_gpu();
        if (!gpu)
            return Baseline::on_copies(mine, launches);
        HIDET_TRY(m_copies, ArgumentCopies::make(gpu->gpu(), m_theirs, launches));
        return starts_on(*gpu, *m_copies);
    }

private:
    static std::optional<double> between(const lang::Tensor& a, const lang::Tensor& b) {
        if (!lang::holds_numbers(a.dtype) || !lang::holds_numbers(b.dtype) || a.count() == 0)
            return std::nullopt;
        const lang::Doubles mine = lang::read_doubles(a), theirs = lang::read_doubles(b);
        double greatest = 0;
        for (std::size_t i = 0; i < mine.size() && !std::isnan(greatest); ++i)
            if (const double apart = mine[i] == theirs[i] ? 0 : std::fabs(mine[i] - theirs[i]); !(apart <= greatest))
                greatest = apart;
        return greatest;
    }

    std::unique_ptr<ArgumentCopies> m_copies;
    std::unique_ptr<Repeat> m_repeat;
    std::vector<lang::CallArgument> m_mine, m_theirs;
};

} // namespace

Result<Starts> Baseline::on_copies(const ArgumentCopies&, int) {
    return Error{"baseline-does-not-fit", cat(name(), " does not run on a GPU")};
}

Starts starts_on(GpuRepeat& call, const ArgumentCopies& copies) {
    Starts starts;
    for (std::size_t i = 0; i < copies.count(); ++i) {
        GpuRepeat& there = call.elsewhere(copies.placer(i));
        starts.push_back([&there] { return there.start(); });
    }
    return starts;
}

static double number_at(const std::byte* data, ir::DType dtype, std::size_t index) {
    float f32 = 0;
    std::uint16_t half = 0;
    switch (dtype) {
    case ir::DType::F32: std::memcpy(&f32, data + 4 * index, 4); return static_cast<double>(f32);
    case ir::DType::F16: std::memcpy(&half, data + 2 * index, 2); return static_cast<double>(f16_to_f32(half));
    case ir::DType::BF16: std::memcpy(&half, data + 2 * index, 2); return static_cast<double>(bf16_to_f32(half));
    default: return 0;
    }
}

double greatest_difference(const std::byte* a, ir::DType a_type, const std::byte* b, ir::DType b_type,
                           std::size_t count) {
    double greatest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        double difference = std::fabs(number_at(a, a_type, i) - number_at(b, b_type, i));
        if (difference > greatest || difference != difference)
            greatest = difference;
    }
    return greatest;
}

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

Result<std::unique_ptr<Baseline>> make_library_baseline(const std::string& name,
                                                        const std::vector<lang::CallArgument>& args, GpuRepeat* gpu,
                                                        Tools& tools) {
    struct Row {
        const char* name;
        Result<std::unique_ptr<Baseline>> (*make)(const std::vector<lang::CallArgument>&, GpuRepeat*, Tools&);
    };
    constexpr Row rows[] = {{"cublas", make_cublas}, {"openblas", make_openblas}};
    std::vector<std::string> names;
    for (const Row& row : rows) {
        if (name == row.name)
            return row.make(args, gpu, tools);
        names.push_back(cat("'", row.name, "'"));
    }
    return Error{"no-such-baseline",
                 cat("there is no baseline '", name, "'; there are ", join(names, ", "), ", and any other script")};
}

std::unique_ptr<Baseline> make_script_baseline(std::unique_ptr<Repeat> repeat, std::vector<lang::CallArgument> mine,
                                               std::vector<lang::CallArgument> theirs) {
    return std::make_unique<ScriptBaseline>(std::move(repeat), std::move(mine), std::move(theirs));
}

} // namespace hidet::session
