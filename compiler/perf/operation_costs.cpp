// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/operation_costs.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "compiler/analysis/uniform.h"
#include "compiler/ir/intrinsics/mma.h"
#include "compiler/ir/intrinsics/wgmma.h"
#include "compiler/ir/intrinsics/wmma.h"

namespace hidet::perf {

using namespace ir;

namespace {

constexpr FunctionCost usual_function{IntrinsicId::Exp, 4, 1};
constexpr FunctionCost function_costs[] = {
    {IntrinsicId::Fma, 1, 0},    {IntrinsicId::Min, 1, 0},   {IntrinsicId::Max, 1, 0},      {IntrinsicId::Abs, 0, 0},
    {IntrinsicId::Floor, 1, 0},  {IntrinsicId::Ceil, 1, 0},  {IntrinsicId::Trunc, 1, 0},    {IntrinsicId::Round, 3, 0},
    {IntrinsicId::IsNan, 1, 0},  {IntrinsicId::IsInf, 1, 0}, {IntrinsicId::IsFinite, 1, 0}, {IntrinsicId::Sin, 18, 0},
    {IntrinsicId::Cos, 18, 0},   {IntrinsicId::Tan, 24, 1},  {IntrinsicId::Log, 12, 0},     {IntrinsicId::Log1p, 14, 0},
    {IntrinsicId::Log10, 12, 0}, {IntrinsicId::Pow, 40, 2},  {IntrinsicId::Erf, 18, 1},     {IntrinsicId::Tanh, 12, 2},
    {IntrinsicId::Sqrt, 6, 1},   {IntrinsicId::Rsqrt, 2, 1}, {IntrinsicId::Exp2, 2, 1},     {IntrinsicId::Log2, 2, 1},
};

} // namespace

FunctionCost function_cost(IntrinsicId id) {
    const auto* found = std::ranges::find(function_costs, id, &FunctionCost::id);
    return found == std::end(function_costs) ? usual_function : *found;
}

double lanes_of(const TypeRef& type) {
    auto dtype = scalar_of(type);
    if (!dtype)
        return 0;
    if (info(*dtype).lanes > 1)
        return is_float(info(*dtype).lane) ? info(*dtype).lanes : 0;
    return is_float(*dtype) ? 1 : 0;
}

std::optional<DType> lane_type(const TypeRef& type) {
    auto dtype = scalar_of(type);
    return dtype && info(*dtype).lanes > 1 ? std::optional(info(*dtype).lane) : dtype;
}

double instructions_of(const TypeRef& type) {
    const double lanes = lanes_of(type);
    const auto lane = lane_type(type);
    return lanes > 1 && lane ? std::ceil(lanes * std::min(info(*lane).bits, 32) / 32) : lanes;
}

std::optional<Products> products_of(const Intrinsic& call) {
    if (call.id == IntrinsicId::MmaSync) {
        const MmaShape& shape = info(attribute<Mma>(call.attr));
        return Products{1.0 * shape.m * shape.n * shape.k / compiler::warp_threads, shape.in, shape.out};
    }
    if (call.id == IntrinsicId::WmmaMma) {
        const WmmaShape& shape = info(attribute<Wmma>(call.attr));
        return Products{1.0 * shape.m * shape.n * shape.k / compiler::warp_threads, shape.in, shape.out};
    }
    if (call.id == IntrinsicId::Wgmma || call.id == IntrinsicId::WgmmaRegisters) {
        const WgmmaOperands& shape = info(attribute<WgmmaTypes>(call.attr));
        const int columns = columns_of(attribute<WgmmaN>(call.attr));
        return Products{1.0 * wgmma_rows * columns * shape.k() / (4 * compiler::warp_threads), shape.in, shape.out};
    }
    return std::nullopt;
}

} // namespace hidet::perf
