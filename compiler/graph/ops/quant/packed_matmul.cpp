// SPDX-License-Identifier: Apache-2.0
// Products with weights of few bits, which are read as they are stored and widened on the way.
#include "compiler/graph/ops/contraction/normalised_rows.h"
#include "compiler/graph/ops/expressions.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

bool is_normalised(const OpCall& call) {
    return call.op->id == OpId::RmsPackedMatmul;
}

// Places of operands, behind those that all such products have. With a gate there are two matrices, with zero points or without.
struct PackedPlaces {
    explicit PackedPlaces(const OpCall& call) {
        const std::size_t first = is_normalised(call) ? 4 : 3;
        const std::size_t others = call.inputs.size() - first;
        const bool has_zero = others == 1 || others == 4;
        if (has_zero)
            zero = first;
        if (others >= 2)
            up = first + (has_zero ? 1 : 0);
    }
    std::optional<std::size_t> zero, up;
};

struct PackedExtents {
    explicit PackedExtents(const OpCall& call); // OpError when the operands do not go together

    std::int64_t bits = 0;
    std::int64_t group = 0; // of how many numbers of a row each scale is
    std::int64_t n = 0, k = 0;
};

std::int64_t known(const Dim& extent, const char* what) {
    const auto value = constant_of(extent);
    if (!value)
        throw OpError("packed_matmul wants to know ", what, ", which is ", text_of(Shape{extent}));
    return *value;
}

// The matrix that a gate lets through, its scales and its zero points are like those of the gate.
void require_alike(const OpCall& call, std::size_t up, std::optional<std::size_t> zero) {
    const std::size_t wanted = up + (zero ? 3 : 2);
    if (call.inputs.size() != wanted)
        throw OpError("rms_packed_matmul wants a second matrix with its scales", zero ? " and zero points" : "");
    std::vector<std::size_t> firsts = {1, 2};
    if (zero)
        firsts.push_back(*zero);
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        const TensorSpec& first = call.inputs[firsts[i]];
        const TensorSpec& second = call.inputs[up + i];
        if (first.dtype != second.dtype || differ(first.shape, second.shape))
            throw OpError("rms_packed_matmul wants two matrices alike for a gate, not ", text_of(first), " and ",
                          text_of(second));
    }
}

PackedExtents::PackedExtents(const OpCall& call) {
    const TensorSpec& a = call.inputs[0];
    const TensorSpec& w = call.inputs[1];
    const TensorSpec& scale = call.inputs[2];
    bits = call.attributes.get<std::int64_t>("bits");
    group = call.attributes.get<std::int64_t>("group_size");
    if (bits != 2 && bits != 4 && bits != 8)
        throw OpError("packed_matmul takes 2, 4 or 8 bits, not ", bits);
    if (!ir::is_float(a.dtype) || a.shape.empty())
        throw OpError("packed_matmul wants a tensor of floats, not ", text_of(a));
    if (w.dtype != ir::DType::U8 && !(w.dtype == ir::DType::F8E4M3 && bits == 8))
        throw OpError("packed_matmul wants weights in bytes, or of 8 bits as float8_e4m3, not ", text_of(w));
    if (w.shape.size() != 2 || scale.shape.size() != 2 || !ir::is_float(scale.dtype))
        throw OpError("packed_matmul wants a matrix of weights and one of scales, not ", text_of(w), " and ",
                      text_of(scale));
    k = known(a.shape.back(), "the length of its sums");
    n = known(w.shape[0], "the number of its columns");
    const std::int64_t pitch = known(w.shape[1], "the bytes of a row");
    if (pitch * 8 / bits < k)
        throw OpError("packed_matmul: rows of ", pitch, " bytes are less than ", k, " numbers of ", bits, " bits");
    if (group < 0)
        throw OpError("packed_matmul wants a group size that is not negative, not ", group);
    if (group == 0)
        group = std::max<std::int64_t>(k, 1);
    const Shape wanted{dim(n), dim((k + group - 1) / group)};
    const PackedPlaces places(call);
    for (const std::size_t i : {std::size_t{2}, places.zero.value_or(2)})
        if (differ(call.inputs[i].shape, wanted))
            throw OpError("packed_matmul: scales and zero points of ", k, " numbers in groups of ", group,
                          " are of shape ", text_of(wanted), ", not ", text_of(call.inputs[i].shape));
    if (places.zero && !ir::is_float(call.inputs[*places.zero].dtype))
        throw OpError("packed_matmul wants zero points that are floats, not ", text_of(call.inputs[*places.zero]));
    if (places.up)
        require_alike(call, *places.up, places.zero);
}

// Where a term of a row lies.
struct PackedTerm {
    Expr k, group, byte, part; // the part: of its byte
};

// Axes of a sum over a row. Where groups are whole they are axes of their own, as are the parts of a byte, so that a loop over
// bytes divides nothing.
class PackedTerms {
public:
    explicit PackedTerms(const PackedExtents& e) : m_each(8 / e.bits), m_group(e.group) {
        m_is_whole = e.k % e.group == 0 && e.group % m_each == 0;
        if (m_is_whole)
            m_extents = {dim(e.k / e.group), dim(e.group / m_each), dim(m_each)};
        else
            m_extents = {dim(e.k)};
    }
    const Shape& extents() const { return m_extents; }
    PackedTerm at(const Indices& axes) const {
        if (!m_is_whole)
            return {axes[0], ir::floor_div(axes[0], dim(m_group)), ir::floor_div(axes[0], dim(m_each)),
                    ir::floor_mod(axes[0], dim(m_each))};
        const Expr byte = ir::add(ir::mul(axes[0], dim(m_group / m_each)), axes[1]);
        return {ir::add(ir::mul(byte, dim(m_each)), axes[2]), axes[0], byte, axes[2]};
    }

private:
    std::int64_t m_each, m_group;
    bool m_is_whole = false;
    Shape m_extents;
};

// The number of a row, without its zero point and its scale.
Expr stored(const ir::VarRef& weight, const Expr& row, const PackedTerm& term, std::int64_t bits) {
    const Expr byte = at(weight, {row, term.byte});
    if (bits == 8)
        return byte;
    const Expr shift = ir::cast_to(ir::mul(term.part, dim(bits)), ir::DType::U8);
    return ir::bit_and(ir::shift_right(byte, shift), ir::int_constant((1 << bits) - 1, ir::DType::U8));
}

struct PackedMatrix {
    ir::VarRef weight, scales, zeros; // null: they are the middle of the range
};

Task define_packed_matmul(const OpCall& call) {
    const PackedExtents e(call);
    const TensorSpec& a = call.inputs[0];
    const ir::DType sum = accumulator_of(a.dtype);
    TaskBuilder builder(call.op->python);
    const ir::VarRef left = builder.input("a", a);
    const ir::VarRef weight = builder.input("weight", call.inputs[1]);
    const ir::VarRef scales = builder.input("scale", call.inputs[2]);
    const ir::VarRef rows =
        is_normalised(call) ? rms_normalised(builder, call, left, builder.input("gain", call.inputs[3])) : left;
    const PackedPlaces places(call);
    const ir::VarRef zeros = places.zero ? builder.input("zero_point", call.inputs[*places.zero]) : nullptr;
    const bool is_integer = call.inputs[1].dtype == ir::DType::U8;
    Shape shape = a.shape;
    shape.back() = dim(e.n);
    const PackedTerms terms(e);
    const auto product = [&](const char* name, ir::DType dtype, const PackedMatrix& matrix) {
        return builder.reduce(
            name, dtype, shape, ReduceOp::Sum, terms.extents(), [&](const Indices& axes, const Indices& reduced) {
                const Expr& row = axes.back();
                const PackedTerm term = terms.at(reduced);
                Indices place = axes;
                place.back() = term.k;
                const Indices group = {row, term.group};
                Expr number = ir::cast_to(stored(matrix.weight, row, term, e.bits), sum);
                if (matrix.zeros)
                    number = ir::sub(number, ir::cast_to(at(matrix.zeros, group), sum));
                else if (is_integer)
                    number = ir::sub(number, graph::number(static_cast<double>(1 << (e.bits - 1)), sum));
                const Expr factor = ir::mul(number, ir::cast_to(at(matrix.scales, group), sum));
                return ir::mul(ir::cast_to(at(rows, place), sum), factor);
            });
    };
    const PackedMatrix matrix{weight, scales, zeros};
    if (!places.up)
        return builder.finish({product("c", a.dtype, matrix)});
    const ir::VarRef up = builder.input("up", call.inputs[*places.up]);
    const ir::VarRef up_scales = builder.input("up_scale", call.inputs[*places.up + 1]);
    const ir::VarRef up_zeros = zeros ? builder.input("up_zero_point", call.inputs[*places.up + 2]) : nullptr;
    const ir::VarRef gate = product("gate", sum, matrix);
    return finish_gated(builder, call, gate, product("let_through", sum, {up, up_scales, up_zeros}), a.dtype);
}

// As many as of the product with the weights in full: widening them is no work that was asked for.
Dim packed_matmul_flops(const OpCall& call) {
    const PackedExtents e(call);
    Shape rows = call.inputs[0].shape;
    rows.pop_back();
    const std::int64_t matrices = PackedPlaces(call).up ? 2 : 1;
    return simplified(ir::mul(element_count(rows), dim(2 * matrices * e.n * e.k)));
}

} // namespace

std::span<const OpInfo> op_tables::packed_matmul() {
    static const OpInfo table[] = {
        {.id = OpId::PackedMatmul,
         .python = "packed_matmul",
         .parameters = "a, weight, scale, zero_point: tensor = None, bits: int = 4, group_size: int = 0",
         .cls = OpClass::Contraction,
         .summary =
             "the product with the transpose of a matrix of few bits, lowest bits first, less a zero point (half of "
             "the range, where none is given; of floats 0) and times a scale for each group of a row",
         .example =
             "hidet.ops.packed_matmul(hidet.randn([2, 4]), hidet.ones([3, 2], dtype='uint8'), hidet.ones([3, 1]))",
         .define = define_packed_matmul,
         .flops = packed_matmul_flops},
        {.id = OpId::RmsPackedMatmul,
         .python = "rms_packed_matmul",
         .parameters = "a, weight, scale, gain, zero_point: tensor = None, up: tensor = None, up_scale: tensor = None, "
                       "up_zero_point: tensor = None, bits: int = 4, group_size: int = 0, epsilon: float = 1e-5, "
                       "gate: str = 'silu'",
         .cls = OpClass::Contraction,
         .summary = "packed_matmul of rows that are normalised first, and with a gate as rms_matmul has it",
         .example = "hidet.ops.rms_packed_matmul(hidet.randn([2, 4]), hidet.ones([3, 2], dtype='uint8'), "
                    "hidet.ones([3, 1]), hidet.ones([4]))",
         .define = define_packed_matmul,
         .flops = packed_matmul_flops},
    };
    return table;
}

} // namespace hidet::graph
