// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/packed_weight.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/graph/core/data.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "lang/base/helpers.h"
#include "lang/base/numeric.h"

namespace hidet::graph {

namespace {

using ir::DType;

constexpr std::int64_t row_bytes = 16;       // that a thread of a kernel loads at once
constexpr std::int64_t rows_at_once = 32;    // of a matrix whose rows are columns in memory
constexpr std::int64_t least_part = 1 << 18; // numbers for which a thread is worth starting

struct Matrix {
    Matrix(const lang::Tensor& tensor, bool is_transposed)
        : data(tensor.read()), n(tensor.shape[is_transposed ? 0 : 1]), k(tensor.shape[is_transposed ? 1 : 0]),
          row_step(is_transposed ? k : 1), step(is_transposed ? 1 : n) {}
    const std::byte* data;
    std::int64_t n, k;
    std::int64_t row_step, step; // elements to the next row of the transposed matrix, and within one
};

template <class T>
T element_at(const Matrix& from, std::int64_t row, std::int64_t at) {
    T value;
    std::memcpy(&value, from.data + (row * from.row_step + at * from.step) * static_cast<std::int64_t>(sizeof value),
                sizeof value);
    return value;
}

template <class T, auto convert>
void read_floats(const Matrix& from, std::int64_t first, std::int64_t rows, float* to) {
    for (std::int64_t at = 0; at < from.k; ++at)
        for (std::int64_t r = 0; r < rows; ++r)
            to[r * from.k + at] = convert(element_at<T>(from, first + r, at));
}

// Rows of the transposed matrix, one after the other.
void read_rows(const Matrix& from, DType dtype, std::int64_t first, std::int64_t rows, float* to) {
    if (dtype == DType::F16)
        read_floats<std::uint16_t, f16_to_f32>(from, first, rows, to);
    else if (dtype == DType::BF16)
        read_floats<std::uint16_t, bf16_to_f32>(from, first, rows, to);
    else
        read_floats<float, [](float value) { return value; }>(from, first, rows, to);
}

// Calls work(row, numbers) for all rows of the transposed matrix.
template <class Work>
void for_each_row(const lang::Tensor& weight, const Matrix& from, const Work& work) {
    in_parts(from.n, least_part / std::max<std::int64_t>(from.k, 1), [&](std::int64_t first, std::int64_t end) {
        std::vector<float> rows(static_cast<std::size_t>(rows_at_once * from.k));
        for (std::int64_t row = first; row < end; row += rows_at_once) {
            const std::int64_t count = std::min(rows_at_once, end - row);
            read_rows(from, weight.dtype, row, count, rows.data());
            for (std::int64_t r = 0; r < count; ++r)
                work(row + r, rows.data() + r * from.k);
        }
    });
}

std::int64_t pitch_of(std::int64_t k, std::int64_t bits) {
    const std::int64_t bytes = (k * bits + 7) / 8;
    return (bytes + row_bytes - 1) / row_bytes * row_bytes;
}

void put(std::byte* row, std::int64_t at, std::int64_t bits, unsigned number) {
    row[at * bits / 8] |= static_cast<std::byte>(number << at * bits % 8);
}

float largest_of(const float* numbers, std::int64_t count) {
    float largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const float magnitude = std::fabs(numbers[i]);
        largest = magnitude > largest || std::isnan(magnitude) ? magnitude : largest;
    }
    return largest;
}

// In the type of the weight, unless half precision has not all digits of one.
DType scale_type(DType weight, const std::vector<float>& scales) {
    constexpr float least_normal = 0x1p-14f;
    const bool is_half = weight == DType::F16 || weight == DType::BF16;
    const bool fits = std::ranges::all_of(scales, [&](float scale) { return scale == 0 || scale >= least_normal; });
    return is_half && (weight == DType::BF16 || fits) ? weight : DType::F32;
}

float rounded(float scale, DType dtype) {
    return dtype == DType::F16    ? f16_to_f32(f32_to_f16(scale))
           : dtype == DType::BF16 ? bf16_to_f32(f32_to_bf16(scale))
                                  : scale;
}

} // namespace

bool has_kernels_for_few_bits(const GraphOptions& options, DType activations) {
    const bool is_half = activations == DType::F16 || activations == DType::BF16;
    const bool becomes_half =
        activations == DType::F32 && (options.precision == "float16" || options.precision == "bfloat16");
    return options.target.is_cuda() && options.mma != "simt" && (is_half || becomes_half);
}

bool is_form_of_kernels(std::int64_t k, std::int64_t bits, std::int64_t group_size) {
    const bool is_whole = group_size == 0 || group_size >= k || group_size % (row_bytes * 8 / bits) == 0;
    return bits >= 4 && k % 8 == 0 && is_whole;
}

std::int64_t bytes_of(const PackedWeight& weight) {
    std::size_t bytes = bytes_of(*weight.numbers) + bytes_of(*weight.scale);
    if (weight.zero_point)
        bytes += bytes_of(*weight.zero_point);
    return static_cast<std::int64_t>(bytes);
}

const std::vector<QuantizeKind>& quantize_kinds() {
    static const std::vector<QuantizeKind> kinds = {
        {"int8", DType::U8, 8, 0, 127, 0.03},
        {"int4", DType::U8, 4, 128, 7, 0.16},
        {"fp8", DType::F8E4M3, 8, 0, 448, 0.05},
    };
    return kinds;
}

const QuantizeKind* find_quantize_kind(std::string_view name) {
    const auto found = std::ranges::find(quantize_kinds(), name, &QuantizeKind::name);
    return found == quantize_kinds().end() ? nullptr : &*found;
}

QuantizedWeight quantized(const lang::Tensor& weight, bool is_transposed, const QuantizeKind& kind) {
    const Matrix from(weight, is_transposed);
    const std::int64_t group = kind.group_size == 0 ? std::max<std::int64_t>(from.k, 1) : kind.group_size;
    const std::int64_t groups = (from.k + group - 1) / group;
    std::vector<float> scales(static_cast<std::size_t>(from.n * groups));
    for_each_row(weight, from, [&](std::int64_t row, const float* numbers) {
        for (std::int64_t g = 0; g < groups; ++g)
            scales[static_cast<std::size_t>(row * groups + g)] =
                largest_of(numbers + g * group, std::min(group, from.k - g * group)) / static_cast<float>(kind.largest);
    });
    QuantizedWeight out;
    out.bits = kind.bits;
    out.group_size = kind.group_size;
    if (std::ranges::any_of(scales, [](float scale) { return !std::isfinite(scale); })) {
        out.error = std::numeric_limits<double>::quiet_NaN();
        return out;
    }
    const DType type = scale_type(weight.dtype, scales);
    for (float& scale : scales)
        scale = rounded(scale, type);
    out.scale = tensor_of(type, {from.n, groups}, std::vector<double>(scales.begin(), scales.end()));
    const std::int64_t pitch = pitch_of(from.k, kind.bits);
    out.numbers = new_tensor(kind.dtype, {from.n, pitch});
    std::byte* to = out.numbers->data();
    std::vector<double> changes(static_cast<std::size_t>(from.n)), squares(changes.size());
    for_each_row(weight, from, [&](std::int64_t row, const float* numbers) {
        double change = 0, square = 0;
        const auto half = static_cast<float>(1 << (kind.bits - 1));
        for (std::int64_t at = 0; at < from.k; ++at) {
            const float scale = scales[static_cast<std::size_t>(row * groups + at / group)];
            const float scaled = scale == 0 ? 0 : numbers[at] / scale;
            float number = 0;
            unsigned bits = 0;
            if (ir::is_float(kind.dtype)) {
                bits = f32_to_e4m3(scaled);
                number = e4m3_to_f32(static_cast<std::uint8_t>(bits));
            } else {
                number = std::clamp(std::nearbyint(scaled), -half, half - 1);
                bits = static_cast<unsigned>(number + half);
            }
            put(to + row * pitch, at, kind.bits, bits);
            const double difference = static_cast<double>(numbers[at]) - static_cast<double>(number) * scale;
            change += difference * difference;
            square += static_cast<double>(numbers[at]) * numbers[at];
        }
        changes[static_cast<std::size_t>(row)] = change;
        squares[static_cast<std::size_t>(row)] = square;
    });
    double change = 0, square = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        change += changes[i];
        square += squares[i];
    }
    out.error = square == 0 ? 0 : std::sqrt(change / square);
    return out;
}

PackedWeight packed(const lang::Tensor& numbers, bool is_transposed, lang::TensorRef scale,
                    const std::vector<double>& zero_points, std::int64_t group_size) {
    const Matrix from(numbers, is_transposed);
    PackedWeight out;
    out.scale = std::move(scale);
    out.group_size = group_size;
    const bool is_integer = numbers.dtype != DType::F8E4M3;
    const int offset_of_bits = numbers.dtype == DType::I8 ? 1 : 0; // what is signed is moved up by half of the range
    if (is_integer) {
        const auto is_small = [&](std::int64_t i) {
            const int number = offset_of_bits ? std::to_integer<std::int8_t>(from.data[i]) + 8
                                              : std::to_integer<std::uint8_t>(from.data[i]);
            return 0 <= number && number < 16;
        };
        out.bits = 4;
        for (std::int64_t i = 0; i < from.n * from.k && out.bits == 4; ++i)
            out.bits = is_small(i) ? 4 : 8;
    }
    const int half = 1 << (out.bits - 1);
    const std::int64_t pitch = pitch_of(from.k, out.bits);
    out.numbers = new_tensor(is_integer ? DType::U8 : DType::F8E4M3, {from.n, pitch});
    std::byte* to = out.numbers->data();
    for (std::int64_t row = 0; row < from.n; ++row)
        for (std::int64_t at = 0; at < from.k; ++at) {
            const auto bits = element_at<std::uint8_t>(from, row, at);
            const int number = offset_of_bits ? static_cast<std::int8_t>(bits) + half : bits;
            put(to + row * pitch, at, out.bits, static_cast<unsigned>(number));
        }
    if (!is_integer)
        return out;
    std::vector<double> zeros = zero_points;
    zeros.resize(static_cast<std::size_t>(out.scale->count()));
    for (double& zero : zeros)
        zero += offset_of_bits * half;
    if (std::ranges::any_of(zeros, [&](double zero) { return zero != half; }))
        out.zero_point = tensor_of(out.scale->dtype, out.scale->shape, zeros);
    return out;
}

lang::TensorRef unpacked(const PackedWeight& weight, std::int64_t k) {
    const std::int64_t bits = weight.bits;
    const std::int64_t n = weight.numbers->shape[0], pitch = weight.numbers->shape[1], groups = weight.scale->shape[1];
    const std::int64_t group = weight.group_size == 0 ? std::max<std::int64_t>(k, 1) : weight.group_size;
    const std::vector<double> scales = numbers_of(*weight.scale);
    const std::vector<double> zeros = weight.zero_point ? numbers_of(*weight.zero_point) : std::vector<double>();
    const bool is_integer = weight.numbers->dtype == DType::U8;
    const double half = is_integer ? 1 << (bits - 1) : 0;
    const std::byte* from = weight.numbers->read();
    const lang::TensorRef out = new_tensor(DType::F32, {n, k});
    auto* to = reinterpret_cast<float*>(out->data());
    in_parts(n, least_part / std::max<std::int64_t>(k, 1), [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t row = first; row < end; ++row)
            for (std::int64_t at = 0; at < k; ++at) {
                const auto g = static_cast<std::size_t>(row * groups + at / group);
                const unsigned bytes = std::to_integer<unsigned>(from[row * pitch + at * bits / 8]);
                const unsigned number = bytes >> at * bits % 8 & ((1U << bits) - 1);
                const double value = is_integer ? number : e4m3_to_f32(static_cast<std::uint8_t>(number));
                to[row * k + at] = static_cast<float>((value - (zeros.empty() ? half : zeros[g])) * scales[g]);
            }
    });
    return out;
}

lang::TensorRef unpacked(const Graph& graph, const Node& node) {
    const auto data = [&](std::size_t input) { return graph.value(node.inputs[input]).data; };
    const PackedWeight weight{data(1), data(2), node.inputs.size() > 3 ? data(3) : nullptr,
                              node.get<std::int64_t>("bits"), node.get<std::int64_t>("group_size")};
    return unpacked(weight, *constant_of(graph.value(node.inputs[0]).spec.shape.back()));
}

PackedOperands add_packed(Graph& graph, const PackedWeight& weight, const std::string& name) {
    const auto constant = [&](const lang::TensorRef& data, const char* suffix) {
        return graph.add_constant(data, name.empty() ? "" : name + suffix);
    };
    PackedOperands out{{constant(weight.numbers, ""), constant(weight.scale, ".scale")},
                       {{"bits", weight.bits}, {"group_size", weight.group_size}}};
    if (weight.zero_point)
        out.values.push_back(constant(weight.zero_point, ".zero_point"));
    return out;
}

void take_place_of_matmul(PassState& state, NodeId id, const PackedOperands& weight, const char* rule,
                          std::string note) {
    Graph& graph = state.graph;
    std::vector<ValueId> inputs = {graph.node(id).inputs[0]};
    inputs.insert(inputs.end(), weight.values.begin(), weight.values.end());
    const ValueId from = graph.node(id).outputs[0];
    const ValueId to = graph.add_one(op_info::PackedMatmul(), std::move(inputs), weight.attributes,
                                     {graph.node(id).name, graph.node(id).site, {id}, rule});
    graph.value(to).name = graph.value(from).name;
    const NodeId made = graph.value(to).producer;
    graph.replace(from, to);
    graph.drop_if_unused(id);
    state.record.matches.push_back({rule, {id}, {made}, std::move(note)});
}

} // namespace hidet::graph
