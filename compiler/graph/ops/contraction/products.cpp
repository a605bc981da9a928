// SPDX-License-Identifier: Apache-2.0
// Matrix products, and what the equations of Einstein's convention say.
#include <algorithm>
#include <map>
#include <optional>

#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/ops/contraction/equation.h"
#include "compiler/graph/ops/contraction/normalised_rows.h"
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

// The dimensions of a product: NumPy's rule, where a vector is a row on the left and a column on the right.
struct Extents {
    Shape batch;
    Dim m; // null: the left operand is a vector
    Dim n; // null: the right operand is one
    Dim k;
    Dim k_of_b;
    bool transpose_b = false;
};

Shape batch_of(const Shape& shape) {
    return Shape(shape.begin(), shape.end() - std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(shape.size())));
}

Extents extents_of(const OpCall& call) {
    const Shape& a = call.inputs[0].shape;
    const Shape& b = call.inputs[1].shape;
    if (a.empty() || b.empty())
        throw OpError("matmul wants tensors of at least one dimension, not ", text_of(a), " and ", text_of(b));
    Extents e;
    e.transpose_b = b.size() >= 2 && call.attributes.get<bool>("transpose_b");
    e.k = a.back();
    if (a.size() >= 2)
        e.m = a[a.size() - 2];
    if (b.size() >= 2)
        e.n = b[b.size() - (e.transpose_b ? 2 : 1)];
    e.k_of_b = b.size() == 1 || e.transpose_b ? b.back() : b[b.size() - 2];
    if (constant_of(e.k) && constant_of(e.k_of_b) && !same_dim(e.k, e.k_of_b))
        throw OpError("matmul of ", text_of(a), " and ", text_of(b), ": inner extents differ");
    e.batch = broadcast(batch_of(a), batch_of(b));
    return e;
}

Task define_matmul(const OpCall& call) {
    const bool is_normalised = call.op->id == OpId::RmsMatmul;
    const bool is_gated = is_normalised && call.inputs.size() > 3;
    if (call.op->id == OpId::Matmul)
        check_precision(call);
    const Extents e = extents_of(call);
    TaskBuilder builder(call.op->python);
    const ir::VarRef given = builder.input("a", call.inputs[0]);
    const ir::VarRef b = builder.input("b", call.inputs[1]);
    const ir::VarRef a =
        is_normalised ? rms_normalised(builder, call, given, builder.input("gain", call.inputs[2])) : given;
    if (is_gated &&
        (call.inputs[3].dtype != call.inputs[1].dtype || differ(call.inputs[3].shape, call.inputs[1].shape)))
        throw OpError("rms_matmul wants two matrices alike for a gate, not ", text_of(call.inputs[1]), " and ",
                      text_of(call.inputs[3]));
    Shape shape = e.batch;
    if (e.m)
        shape.push_back(e.m);
    if (e.n)
        shape.push_back(e.n);
    const auto dtype = dtype_of_product(call);
    if (!dtype)
        throw OpError(call.op->python, " does not take ", text_of(call.inputs[0]), " and ", text_of(call.inputs[1]));
    builder.require_equal(e.k, e.k_of_b, "matmul: inner extents differ");
    for (const TensorSpec& input : {call.inputs[0], call.inputs[1]})
        require_broadcast(builder, batch_of(input.shape), e.batch, "matmul");
    const ir::DType sum = accumulator_of(*dtype);
    const auto product = [&](const char* name, ir::DType type, const ir::VarRef& matrix) {
        return builder.reduce(
            name, type, shape, ReduceOp::Sum, {e.k}, [&](const Indices& axes, const Indices& reduced) {
                const Indices batch(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(e.batch.size()));
                Indices left = broadcast_index(batch_of(call.inputs[0].shape), batch);
                Indices right = broadcast_index(batch_of(call.inputs[1].shape), batch);
                if (e.m)
                    left.push_back(axes[e.batch.size()]);
                left.push_back(reduced[0]);
                if (e.n && e.transpose_b)
                    right.push_back(axes.back());
                right.push_back(reduced[0]);
                if (e.n && !e.transpose_b)
                    right.push_back(axes.back());
                return ir::mul(ir::cast_to(at(a, left), sum), ir::cast_to(at(matrix, right), sum));
            });
    };
    if (!is_gated)
        return builder.finish({product("c", *dtype, b)});
    const ir::VarRef up = builder.input("up", call.inputs[3]);
    const ir::VarRef gate = product("gate", sum, b);
    return finish_gated(builder, call, gate, product("let_through", sum, up), *dtype);
}

// One sum over all that the result lacks, whatever the number of operands; composed/einsum.h makes matrix products of pairs.
struct Einsum {
    std::vector<std::string> terms;
    std::string result;
    std::map<char, Dim> extents; // of letters
    Shape broadcast_shape;       // of the dots
    std::string summed;          // letters
};

Dim common_extent(const Dim& a, const Dim& b, char letter) {
    if (ir::is_constant(a, 1) || same_dim(a, b) || (constant_of(b) && !constant_of(a) && !ir::is_constant(b, 1)))
        return b;
    if (ir::is_constant(b, 1) || !constant_of(a) || !constant_of(b))
        return a;
    throw OpError("einsum: index '", letter, "' has extents ", text_of(Shape{a}), " and ", text_of(Shape{b}));
}

Einsum einsum_of(const OpCall& call) {
    const std::string text = call.attributes.get<std::string>("equation");
    const Equation equation = parse_equation(text);
    Einsum e;
    e.terms = equation.terms;
    e.result = equation.result;
    if (e.terms.size() != call.inputs.size())
        throw OpError("einsum: the equation '", text, "' is not one for ", call.inputs.size(), " operands");
    for (std::size_t i = 0; i < e.terms.size(); ++i) {
        const Shape& shape = call.inputs[i].shape;
        const bool has_dots = e.terms[i].find(dots) != std::string::npos;
        const std::size_t letters = e.terms[i].size() - (has_dots ? 1 : 0);
        if (has_dots ? shape.size() < letters : shape.size() != letters)
            throw OpError("einsum: the equation '", text, "' is not one for an operand of shape ", text_of(shape));
        std::size_t d = 0;
        for (char c : e.terms[i]) {
            if (c == dots) {
                const std::size_t count = shape.size() - letters;
                const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(d);
                e.broadcast_shape =
                    broadcast(e.broadcast_shape, Shape(begin, begin + static_cast<std::ptrdiff_t>(count)));
                d += count;
                continue;
            }
            const auto [found, is_new] = e.extents.try_emplace(c, shape[d]);
            if (!is_new)
                found->second = common_extent(found->second, shape[d], c);
            ++d;
        }
    }
    for (const auto& [letter, extent] : e.extents)
        if (e.result.find(letter) == std::string::npos)
            e.summed += letter;
    return e;
}

// What the extents of an operand are taken to be, if they are not 1.
Shape taken_shape(const Einsum& e, std::size_t operand, std::size_t rank) {
    const std::string& term = e.terms[operand];
    Shape shape;
    for (char c : term) {
        if (c != dots) {
            shape.push_back(e.extents.at(c));
            continue;
        }
        const auto count = static_cast<std::ptrdiff_t>(rank - (term.size() - 1));
        shape.insert(shape.end(), e.broadcast_shape.end() - count, e.broadcast_shape.end());
    }
    return shape;
}

Task define_einsum(const OpCall& call) {
    const Einsum e = einsum_of(call);
    // Dots that the result lacks are summed over too.
    const bool keeps_dots = e.result.find(dots) != std::string::npos;
    Shape shape;
    for (char c : e.result)
        if (c == dots)
            shape.insert(shape.end(), e.broadcast_shape.begin(), e.broadcast_shape.end());
        else
            shape.push_back(e.extents.at(c));
    Shape extents = transformed(e.summed, [&](char c) { return e.extents.at(c); });
    if (!keeps_dots)
        extents.insert(extents.end(), e.broadcast_shape.begin(), e.broadcast_shape.end());
    std::optional<ir::DType> dtype = call.inputs[0].dtype;
    for (const TensorSpec& input : call.inputs)
        dtype = dtype ? ir::promote(*dtype, input.dtype) : dtype;
    if (!dtype)
        throw OpError("einsum does not take these dtypes");
    const ir::DType work = accumulator_of(*dtype);

    TaskBuilder builder("einsum");
    ir::VarVec operands;
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
        operands.push_back(builder.input("x" + std::to_string(i), call.inputs[i]));
    const auto value = [&](const Indices& axes, const Indices& over) {
        std::map<char, Expr> letters;
        Indices outer;
        std::size_t d = 0;
        for (char c : e.result) {
            if (c != dots) {
                letters[c] = axes[d++];
                continue;
            }
            outer.assign(axes.begin() + static_cast<std::ptrdiff_t>(d),
                         axes.begin() + static_cast<std::ptrdiff_t>(d + e.broadcast_shape.size()));
            d += e.broadcast_shape.size();
        }
        for (std::size_t i = 0; i < e.summed.size(); ++i)
            letters[e.summed[i]] = over[i];
        if (!keeps_dots)
            outer.assign(over.begin() + static_cast<std::ptrdiff_t>(e.summed.size()), over.end());
        Expr product;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const Shape& own = call.inputs[i].shape;
            Indices index;
            for (char c : e.terms[i]) {
                if (c != dots) {
                    index.push_back(ir::is_constant(own[index.size()], 1) ? dim(0) : letters.at(c));
                    continue;
                }
                const std::size_t count = own.size() - (e.terms[i].size() - 1);
                const auto begin = own.begin() + static_cast<std::ptrdiff_t>(index.size());
                for (const Expr& each :
                     broadcast_index(Shape(begin, begin + static_cast<std::ptrdiff_t>(count)), outer))
                    index.push_back(each);
            }
            const Expr element = ir::cast_to(at(operands[i], index), work);
            product = product ? ir::mul(product, element) : element;
        }
        return product;
    };
    for (std::size_t i = 0; i < operands.size(); ++i)
        require_broadcast(builder, call.inputs[i].shape, taken_shape(e, i, call.inputs[i].shape.size()), "einsum");
    const ir::VarRef y = extents.empty()
                             ? builder.compute("y", *dtype, shape, [&](const Indices& axes) { return value(axes, {}); })
                             : builder.reduce("y", *dtype, shape, ReduceOp::Sum, extents, value);
    return builder.finish({y});
}

} // namespace

std::span<const OpInfo> op_tables::products() {
    static const OpInfo table[] = {
        {OpId::Matmul, "matmul", "a, b, transpose_b: bool = False", OpClass::Contraction,
         "the matrix product, batched over leading dimensions, which broadcast",
         "hidet.ops.matmul(hidet.randn([2, 3]), hidet.randn([3, 4]))", define_matmul, nullptr, "precision: str = ''"},
        {OpId::RmsMatmul, "rms_matmul",
         "a, b, gain, epsilon: float = 1e-5, transpose_b: bool = False, up: tensor = None, gate: str = 'silu'",
         OpClass::Contraction,
         "the matrix product of rows that are divided by the root of the mean of their squares plus `epsilon`, and "
         "multiplied by `gain`: before they are rounded where that is wider than they are, else after it; with `up`, "
         "another matrix, the product with that times the function `gate` (silu or gelu_tanh) of this one",
         "hidet.ops.rms_matmul(hidet.randn([2, 3]), hidet.randn([3, 4]), hidet.ones([3]))", define_matmul},
        {OpId::IntegerMatmul, "integer_matmul", "a, b, transpose_b: bool = False", OpClass::Contraction,
         "the matrix product of integers of eight bits, in int32",
         "hidet.ops.integer_matmul(hidet.ones([2, 3], dtype='uint8'), hidet.ones([3, 4], dtype='int8'))",
         define_matmul},
        {OpId::Einsum, "einsum", "equation: str, operands: tensors", OpClass::Contraction,
         "the products of operands summed over the indices that the result of the equation lacks",
         "hidet.ops.einsum('ij,jk->ik', [hidet.randn([2, 3]), hidet.randn([3, 4])])", define_einsum},
    };
    return table;
}

} // namespace hidet::graph
