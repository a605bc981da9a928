// SPDX-License-Identifier: Apache-2.0
// Products with matrices as checkpoints of AWQ and GPTQ have them: words of 32 bits, which packed_matmul reads in another order. The
// words of AWQ are of columns beside each other, with the even ones before the odd ones; those of GPTQ are of rows.
#include <algorithm>
#include <functional>
#include <numeric>

#include "compiler/graph/core/data.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/passes/packed_weight.h"
#include "compiler/graph/script/composer.h"
#include "lang/host/arguments.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t word_bits = 32;
constexpr std::int64_t places_of_awq[] = {0, 4, 1, 5, 2, 6, 3, 7}; // of a column's number in its word

struct Checkpoint {
    const lang::Tensor& qweight;
    const lang::Tensor* qzeros; // null: half of the range
    const lang::Tensor& scales; // [groups, n]
    std::int64_t bits;
    std::int64_t k, n, groups;
    bool is_awq;
    std::int64_t zero_offset = 0; // by which zero points are greater than what is stored

    std::int64_t each() const { return word_bits / bits; }
};

std::int64_t number_at(const lang::Tensor& words, std::int64_t row, std::int64_t column, std::int64_t place,
                       std::int64_t bits) {
    const auto* all = reinterpret_cast<const std::uint32_t*>(words.read());
    return all[row * words.shape[1] + column] >> place * bits & ((std::uint32_t{1} << bits) - 1);
}

// Of columns that lie in words beside each other.
std::int64_t of_columns(const Checkpoint& from, const lang::Tensor& words, std::int64_t row, std::int64_t column) {
    const std::int64_t place = column % from.each();
    return number_at(words, row, column / from.each(), from.is_awq ? places_of_awq[place] : place, from.bits);
}

std::int64_t weight_at(const Checkpoint& from, std::int64_t row, std::int64_t column) {
    if (from.is_awq)
        return of_columns(from, from.qweight, row, column);
    return number_at(from.qweight, row / from.each(), column, row % from.each(), from.bits);
}

// [n, k], with the rows of the file in this order.
lang::TensorRef transposed_numbers(const Checkpoint& from, const Ints& order) {
    lang::TensorRef out = new_tensor(ir::DType::U8, {from.n, from.k});
    std::byte* to = out->data();
    for (std::int64_t at = 0; at < from.k; ++at)
        for (std::int64_t column = 0; column < from.n; ++column)
            to[column * from.k + at] =
                static_cast<std::byte>(weight_at(from, order[static_cast<std::size_t>(at)], column));
    return out;
}

PackedWeight packed_checkpoint(const Checkpoint& from, const Ints& order) {
    const auto by_rows = [&](const std::function<double(std::int64_t, std::int64_t)>& number) {
        std::vector<double> out;
        for (std::int64_t column = 0; column < from.n; ++column)
            for (std::int64_t group = 0; group < from.groups; ++group)
                out.push_back(number(group, column));
        return out;
    };
    const std::vector<double> scales = numbers_of(from.scales);
    const auto scale_at = [&](std::int64_t group, std::int64_t column) {
        return scales[static_cast<std::size_t>(group * from.n + column)];
    };
    const std::int64_t mask = (std::int64_t{1} << from.bits) - 1;
    const auto zero_at = [&](std::int64_t group, std::int64_t column) {
        const std::int64_t stored = from.qzeros ? of_columns(from, *from.qzeros, group, column) + from.zero_offset
                                                : std::int64_t{1} << (from.bits - 1);
        return static_cast<double>(stored & mask);
    };
    return packed(*transposed_numbers(from, order), true,
                  tensor_of(from.scales.dtype, {from.n, from.groups}, by_rows(scale_at)), by_rows(zero_at),
                  from.k / from.groups);
}

// A tensor of a checkpoint; null for None.
const lang::Tensor* tensor_at(const Composer& c, const Arguments& a, std::size_t i, const char* name, bool is_words) {
    if (!a.has(i))
        return nullptr;
    if (!a[i].is(ValueKind::Tensor))
        c.refuse(cat(name, " is packed anew, and so has to be a tensor with data"));
    const lang::Tensor& tensor = *a[i].as_tensor();
    if (tensor.shape.size() != 2 || (is_words ? tensor.dtype != ir::DType::I32 : !ir::is_float(tensor.dtype)))
        c.refuse(cat(name, " is a matrix of ", is_words ? "int32" : "floats", ", not ", text_of(spec_of(tensor))));
    return &tensor;
}

Checkpoint checkpoint_of(const Composer& c, const Arguments& a, std::int64_t bits, bool is_awq) {
    const auto wanted = [&](std::size_t i, const char* name, bool is_words) -> const lang::Tensor& {
        const lang::Tensor* tensor = tensor_at(c, a, i, name, is_words);
        if (!tensor)
            c.refuse(cat(name, " is missing"));
        return *tensor;
    };
    const lang::Tensor& qweight = wanted(1, "qweight", true);
    const lang::Tensor& scales = wanted(3, "scales", false);
    const std::int64_t each = word_bits / bits;
    Checkpoint out{.qweight = qweight,
                   .qzeros = tensor_at(c, a, 2, "qzeros", true),
                   .scales = scales,
                   .bits = bits,
                   .k = qweight.shape[0] * (is_awq ? 1 : each),
                   .n = qweight.shape[1] * (is_awq ? each : 1),
                   .groups = scales.shape[0],
                   .is_awq = is_awq};
    const std::vector<std::int64_t> of_zeros = {out.groups, out.n / each};
    if (out.groups < 1 || out.k % out.groups != 0 || scales.shape[1] != out.n ||
        (out.qzeros && (out.qzeros->shape != of_zeros || out.n % each != 0)))
        c.refuse(cat("a matrix of ", out.k, " rows and ", out.n, " columns in ", bits, " bits has scales [groups, ",
                     out.n, "] and qzeros [groups, ", out.n / each, "], not ", text_of(spec_of(scales)), " and ",
                     out.qzeros ? text_of(spec_of(*out.qzeros)) : "none"));
    return out;
}

Ints in_order(std::int64_t count) {
    Ints out(static_cast<std::size_t>(count));
    std::iota(out.begin(), out.end(), 0);
    return out;
}

// The rows of the file by their groups.
Ints by_groups(const Composer& c, const Arguments& a, const Checkpoint& from) {
    Ints order = in_order(from.k);
    if (!a.has(4))
        return order;
    if (!a[4].is(ValueKind::Tensor))
        c.refuse("g_idx has to be a tensor with data");
    const lang::Tensor& tensor = *a[4].as_tensor();
    if (!ir::is_integer(tensor.dtype) || tensor.shape != std::vector<std::int64_t>{from.k})
        c.refuse(cat("g_idx has an integer for each of ", from.k, " rows, and is ", text_of(spec_of(tensor))));
    if (!tensor.has_data())
        return order;
    const std::vector<std::int64_t> groups = integers_of(tensor);
    const auto group_of = [&](std::int64_t row) { return groups[static_cast<std::size_t>(row)]; };
    std::ranges::stable_sort(order, {}, group_of);
    for (std::int64_t at = 0; at < from.k; ++at)
        if (group_of(order[static_cast<std::size_t>(at)]) != at / (from.k / from.groups))
            c.refuse(cat("g_idx does not put ", from.k / from.groups, " rows into each of ", from.groups, " groups"));
    return order;
}

// Of shapes alone, in a preview.
PackedWeight without_data(const Checkpoint& from) {
    const auto tensor = [](ir::DType dtype, std::vector<std::int64_t> shape) {
        lang::TensorRef out(new lang::Tensor);
        out->dtype = dtype;
        out->shape = std::move(shape);
        return out;
    };
    PackedWeight out;
    out.bits = from.bits;
    out.group_size = from.k / from.groups;
    out.numbers = tensor(ir::DType::U8, {from.n, (from.k * from.bits + 7) / 8});
    out.scale = tensor(from.scales.dtype, {from.n, from.groups});
    return out;
}

HostValue product(const Composer& c, HostValue x, const Checkpoint& from, const Ints& order) {
    const bool has_data =
        from.qweight.has_data() && from.scales.has_data() && (!from.qzeros || from.qzeros->has_data());
    PackedWeight weight = has_data ? packed_checkpoint(from, order) : without_data(from);
    const auto there = [&](lang::TensorRef tensor) {
        tensor->device = from.qweight.device;
        return HostValue::tensor(std::move(tensor));
    };
    if (!std::ranges::is_sorted(order))
        x = c.op("take", {x, there(make_ints(order)), HostValue::integer(c.rank_of(x) - 1)});
    Composer::Values operands = {std::move(x), there(weight.numbers), there(weight.scale)};
    if (weight.zero_point)
        operands.push_back(there(weight.zero_point));
    return c.op("packed_matmul", std::move(operands),
                {{"bits", HostValue::integer(weight.bits)}, {"group_size", HostValue::integer(weight.group_size)}});
}

} // namespace

HostValue awq_matmul(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "awq_matmul", {"x", "qweight", "qzeros", "scales"});
    const Checkpoint from = checkpoint_of(c, a, 4, true);
    return product(c, a[0], from, in_order(from.k));
}

HostValue gptq_matmul(const Composer& c, Args& args) {
    const Arguments a(args, c.span(), "gptq_matmul",
                      {"x", "qweight", "qzeros", "scales", "g_idx=", "*", "bits=", "zero_offset="});
    const std::int64_t bits = a.integer(5, 4), offset = a.integer(6, 1);
    if (bits != 2 && bits != 4 && bits != 8)
        c.refuse(cat("gptq_matmul takes 2, 4 or 8 bits, not ", bits));
    if (offset != 0 && offset != 1)
        c.refuse(
            cat("zero points of GPTQ are 1 above what is stored, or as stored in its second format, not ", offset));
    Checkpoint from = checkpoint_of(c, a, bits, false);
    from.zero_offset = offset;
    return product(c, a[0], from, by_groups(c, a, from));
}

} // namespace hidet::graph
