// SPDX-License-Identifier: Apache-2.0
// softmax(q k * scale + mask) v, in any order in which exporters write it, is one operator. The scale goes to q, whose
// elements are fewer than those of the scores, and the division by the sum of the powers goes behind the product with v.
//
// In half precision the operator is one kernel, by tensor cores, and has the scores in registers: there the scale costs
// nothing, and q is read as it is. Keys are read as they lie in memory: whose rows are keys is not transposed before. What
// no template takes becomes products again on a GPU, when all is known that rules find out about the whole.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "compiler/graph/core/closed_form.h"
#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/passes/rules/rules.h"
#include "compiler/ir/ops.h"
#include "lang/tensor/elements.h"

namespace hidet::graph {

namespace {

constexpr std::int64_t most_mask_elements = 1 << 24;

// The softmax between may be computed in float32 where the products are in half precision: so does the operator.
ValueId without_cast(const Rewriting& rewriting, ValueId value) {
    const NodeId cast = rewriting.made_by(value, OpId::Cast);
    if (!cast.valid())
        return value;
    const ir::DType from = rewriting.spec(rewriting.input(cast, 0)).dtype;
    const ir::DType to = rewriting.spec(value).dtype;
    const bool is_harmless = (is_half(from) && to == ir::DType::F32) || (from == ir::DType::F32 && is_half(to));
    return is_harmless ? rewriting.input(cast, 0) : value;
}

// p of Where(IsNan(p), 0, p): exporters say so that where a mask hides all keys, values count nothing.
ValueId without_guard(const Rewriting& rewriting, ValueId value) {
    const NodeId where = rewriting.made_by(value, OpId::Where);
    if (!where.valid() || rewriting.scalar(rewriting.input(where, 1)) != 0.0)
        return value;
    const ValueId guarded = rewriting.input(where, 2);
    const NodeId test = rewriting.made_by(rewriting.input(where, 0), OpId::IsNan);
    const bool is_guard = test.valid() && rewriting.input(test, 0) == guarded &&
                          rewriting.only_reader(rewriting.output(test), where) &&
                          rewriting.graph.value(guarded).uses.size() == 2 && !rewriting.graph.is_output(guarded);
    return is_guard ? guarded : value;
}

// Whether a row of a mask may hide all keys: by a constant's elements, else by what makes it.
bool may_hide_all(const Rewriting& rewriting, ValueId mask) {
    const Shape& shape = rewriting.spec(mask).shape;
    const NodeId node = rewriting.graph.value(mask).producer;
    if (rewriting.is_constant(mask) && rewriting.element_count_of(mask) <= most_mask_elements) {
        const std::vector<double> elements = lang::read_doubles(*rewriting.graph.value(mask).data);
        const auto columns = static_cast<std::size_t>(shape.empty() ? 1 : constant_of(shape.back()).value_or(1));
        for (std::size_t row = 0; row + columns <= elements.size(); row += columns)
            if (std::none_of(&elements[row], &elements[row] + columns, [](double x) { return std::isfinite(x); }))
                return true;
        return false;
    }
    if (!node.valid())
        return true;
    if (rewriting.is(node, OpId::Where)) {
        const auto is_finite = [&](std::size_t i) {
            const auto number = rewriting.scalar(rewriting.input(node, i));
            return number && std::isfinite(*number);
        };
        return !is_finite(1) || !is_finite(2);
    }
    // A cast to a narrower type may make the least number infinite.
    const bool keeps_elements =
        rewriting.is_any_of(node, {OpId::Reshape, OpId::Unsqueeze, OpId::Squeeze, OpId::Broadcast}) ||
        (rewriting.is(node, OpId::Cast) && is_half(rewriting.spec(rewriting.input(node, 0)).dtype));
    return !keeps_elements || may_hide_all(rewriting, rewriting.input(node, 0));
}

struct Scores {
    NodeId product;
    std::vector<ValueId> masks; // that are added, one after the other
    double scale = 1;
    ValueId head_scale; // a constant with a number for each head or matrix; invalid: none
};

bool is_one_for_a_matrix(const Rewriting& rewriting, ValueId constant, std::size_t rank) {
    const Shape& shape = rewriting.spec(constant).shape;
    return shape.size() >= 2 && shape.size() <= rank && constant_of(shape.back()) == 1 &&
           constant_of(shape[shape.size() - 2]) == 1;
}

// The scores from the softmax's input upward: at most two masks (a bias for positions, and what is hidden), then any scales.
std::optional<Scores> scores_of(const Rewriting& rewriting, ValueId value) {
    Scores scores;
    for (int i = 0; i < 6; ++i) {
        value = without_cast(rewriting, value);
        const NodeId node = rewriting.graph.value(value).producer;
        if (!node.valid() || rewriting.graph.value(value).uses.size() != 1 || rewriting.graph.is_output(value))
            return std::nullopt;
        if (rewriting.is(node, OpId::Matmul)) {
            scores.product = node;
            return scores;
        }
        if (rewriting.is(node, OpId::Add) && scores.masks.size() < 2 && scores.scale == 1 &&
            !scores.head_scale.valid()) {
            const bool is_right =
                rewriting.spec(rewriting.input(node, 1)).shape.size() == rewriting.spec(value).shape.size() &&
                scores_of(rewriting, rewriting.input(node, 1)).has_value();
            scores.masks.push_back(rewriting.input(node, is_right ? 0 : 1));
            value = rewriting.input(node, is_right ? 1 : 0);
            continue;
        }
        const bool is_product = rewriting.is(node, OpId::Multiply);
        const auto operand =
            is_product || rewriting.is(node, OpId::Divide) ? constant_operand(rewriting, node) : std::nullopt;
        const auto scalar = operand ? rewriting.scalar(operand->constant) : std::nullopt;
        if (operand && !scalar && is_product && !scores.head_scale.valid() &&
            is_one_for_a_matrix(rewriting, operand->constant, rewriting.spec(value).shape.size())) {
            scores.head_scale = operand->constant;
            value = operand->x;
            continue;
        }
        if (!scalar || (operand->is_left && !is_product) || *scalar == 0 || !std::isfinite(*scalar))
            return std::nullopt;
        scores.scale *= is_product ? *scalar : 1 / *scalar;
        value = operand->x;
    }
    return std::nullopt;
}

bool hides_nothing(const Rewriting& rewriting, ValueId mask) {
    if (!rewriting.is_constant(mask) || rewriting.element_count_of(mask) > most_mask_elements)
        return false;
    return std::ranges::all_of(lang::read_doubles(*rewriting.graph.value(mask).data), [](double x) { return x == 0; });
}

// Invalid: there is none. Of two, one that hides nothing is left out, unless the other is broadcast to its shape.
ValueId whole_mask(Rewriting& rewriting, std::vector<ValueId> masks) {
    if (masks.size() < 2)
        return masks.empty() ? ValueId() : masks[0];
    for (const std::size_t i : {0u, 1u})
        if (hides_nothing(rewriting, masks[i]) &&
            rewriting.spec(masks[i]).shape.size() <= rewriting.spec(masks[1 - i]).shape.size())
            return masks[1 - i];
    return rewriting.add(OpId::Add, {masks[1], masks[0]});
}

} // namespace

bool recognise_attention(Rewriting& rewriting, NodeId root) {
    const TensorSpec result = rewriting.spec(rewriting.output(root));
    const ValueId given = without_cast(rewriting, rewriting.input(root, 0));
    const ValueId guarded = without_guard(rewriting, given);
    const ValueId shares = without_cast(rewriting, guarded);
    const NodeId softmax = rewriting.made_by(shares, OpId::Softmax);
    if (!softmax.valid() || rewriting.graph.node(root).get<bool>("transpose_b"))
        return false;
    const auto rank = static_cast<std::int64_t>(result.shape.size());
    const std::int64_t axis = rewriting.graph.node(softmax).get<std::int64_t>("axis");
    const auto is_kept = [&](ValueId value) {
        return rewriting.graph.value(value).uses.size() != 1 || rewriting.graph.is_output(value);
    };
    const bool is_guarded = guarded != given;
    if ((axis != -1 && axis != rank - 1) || is_kept(given) || is_kept(rewriting.input(root, 0)) ||
        (shares != guarded && is_kept(shares)))
        return false;
    const auto scores = scores_of(rewriting, rewriting.input(softmax, 0));
    if (!scores || rewriting.graph.node(scores->product).get<bool>("transpose_b"))
        return false;
    ValueId q = rewriting.input(scores->product, 0);
    const ValueId k = rewriting.input(scores->product, 1);
    const ValueId v = rewriting.input(root, 1);
    for (ValueId each : {q, k, v})
        if (rewriting.spec(each).dtype != result.dtype ||
            rewriting.spec(each).shape.size() != static_cast<std::size_t>(rank))
            return false;
    if (scores->scale != 1)
        q = rewriting.add(OpId::Multiply, {q, rewriting.number(scores->scale, result.dtype)});
    if (scores->head_scale.valid())
        q = rewriting.add(OpId::Multiply,
                          {q, rewriting.add(OpId::Cast, {scores->head_scale}, {{"dtype", result.dtype}})});
    const ValueId mask = whole_mask(rewriting, scores->masks);
    ValueId y = mask.valid() ? rewriting.add(OpId::AttnMaskAdd, {q, k, v, mask})
                             : rewriting.add(OpId::Attn, {q, k, v}, {{"is_causal", false}});
    if (is_guarded && mask.valid() && may_hide_all(rewriting, mask))
        y = rewriting.add(OpId::Where, {rewriting.add(OpId::IsNan, {y}), rewriting.number(0, result.dtype), y});
    return rewriting.becomes(root, y);
}

namespace {

// What is cast at `cast`, found without the cast, is cast.
std::optional<ValueId> behind_cast(Rewriting& rewriting, NodeId cast, std::optional<ValueId> found) {
    if (found)
        found = rewriting.add(OpId::Cast, {*found}, rewriting.attributes(cast));
    return found;
}

constexpr double hides_below = -6e4; // a score with this added has no probability; the least number in float16 is below

struct Scaled {
    ValueId x;
    double scale = 1;
};

// x of x * scale, also where that is permuted; nothing when it is something else.
std::optional<Scaled> scaled(Rewriting& rewriting, ValueId value) {
    const NodeId node = rewriting.graph.value(value).producer;
    if (!node.valid())
        return std::nullopt;
    if (rewriting.is(node, OpId::Cast)) {
        const ValueId from = rewriting.input(node, 0);
        const auto inner = without_cast(rewriting, value) == from ? scaled(rewriting, from) : std::nullopt;
        if (!inner)
            return std::nullopt;
        return Scaled{*behind_cast(rewriting, node, inner->x), inner->scale};
    }
    if (rewriting.is(node, OpId::PermuteDims)) {
        const ValueId from = rewriting.input(node, 0);
        const auto inner = rewriting.made_by(from, OpId::PermuteDims).valid() ? std::nullopt : scaled(rewriting, from);
        if (!inner)
            return std::nullopt;
        return Scaled{rewriting.add(OpId::PermuteDims, {inner->x}, rewriting.attributes(node)), inner->scale};
    }
    const bool is_product = rewriting.is(node, OpId::Multiply);
    const auto operand =
        is_product || rewriting.is(node, OpId::Divide) ? constant_operand(rewriting, node) : std::nullopt;
    const auto scalar = operand ? rewriting.scalar(operand->constant) : std::nullopt;
    if (!scalar || (operand->is_left && !is_product) || !(*scalar > 0) || !std::isfinite(*scalar) ||
        !same_shape(rewriting.spec(operand->x).shape, rewriting.spec(value).shape))
        return std::nullopt;
    return Scaled{operand->x, is_product ? *scalar : 1 / *scalar};
}

// k with its last two dimensions the other way round, where it lies in memory like that: the last dimension of what is
// permuted is the one before the last of k, which may have got dimensions before those since.
std::optional<ValueId> with_keys_as_rows(Rewriting& rewriting, ValueId k) {
    const NodeId node = rewriting.graph.value(k).producer;
    if (!node.valid())
        return std::nullopt;
    if (rewriting.is(node, OpId::Cast))
        return behind_cast(rewriting, node, with_keys_as_rows(rewriting, rewriting.input(node, 0)));
    const Shape shape = rewriting.spec(k).shape;
    const std::size_t rank = shape.size();
    if (rewriting.is_any_of(node, {OpId::Reshape, OpId::Unsqueeze})) {
        const Shape& from = rewriting.spec(rewriting.input(node, 0)).shape;
        const auto rows = keeps_matrices(from, shape) ? with_keys_as_rows(rewriting, rewriting.input(node, 0))
                                                      : std::optional<ValueId>();
        if (!rows)
            return std::nullopt;
        Shape swapped = shape;
        std::swap(swapped[rank - 1], swapped[rank - 2]);
        return rewriting.reshaped(*rows, swapped);
    }
    const Ints order = rewriting.is(node, OpId::PermuteDims) ? rewriting.graph.node(node).get<Ints>("axes") : Ints();
    const std::int64_t last = static_cast<std::int64_t>(rank) - 1;
    if (order.size() != rank || (order[rank - 2] != last && order[rank - 2] != -1))
        return std::nullopt;
    Ints axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes[rank - 1], axes[rank - 2]);
    return rewriting.permuted(k, axes);
}

enum class MaskKind : std::uint8_t { Nothing, Causal, Other };

// What a constant hides; `m` rows, `n` columns.
MaskKind kind_of_mask(const lang::Tensor& mask, std::int64_t m, std::int64_t n) {
    const std::vector<double> elements = lang::read_doubles(mask);
    bool hides_nothing = true, is_causal = true;
    for (std::int64_t row = 0; row < m; ++row)
        for (std::int64_t column = 0; column < n; ++column) {
            const double element = elements[static_cast<std::size_t>(row * n + column)];
            hides_nothing = hides_nothing && element == 0;
            is_causal = is_causal && (column <= row ? element == 0 : element <= hides_below);
        }
    return hides_nothing ? MaskKind::Nothing : is_causal ? MaskKind::Causal : MaskKind::Other;
}

// The same of one that sizes decide, [..., m, n].
MaskKind kind_of_mask(const ClosedForm& mask, bool is_square) {
    const auto number = [](const ir::ExprRef& expr) -> std::optional<double> {
        const auto* constant = ir::as<ir::Constant>(expr);
        const auto* real = constant ? std::get_if<double>(&constant->value) : nullptr;
        return real ? std::optional(*real) : std::nullopt;
    };
    if (number(mask.element) == 0.0)
        return MaskKind::Nothing;
    const auto* cases = ir::as<ir::Select>(mask.element);
    const auto* least = cases ? ir::as<ir::Binary>(cases->condition) : nullptr;
    const auto a = cases ? number(cases->a) : std::nullopt, b = cases ? number(cases->b) : std::nullopt;
    if (!is_square || !least || least->op != ir::BinOp::Le || !a || !b)
        return MaskKind::Other;
    const Dim row = mask.indices[mask.indices.size() - 2], column = mask.indices.back();
    const bool shows_earlier = *a == 0 && *b <= hides_below && same_dim(least->b, ir::sub(row, column));
    const bool hides_later = *b == 0 && *a <= hides_below && same_dim(least->b, ir::sub(ir::sub(column, row), dim(1)));
    return shows_earlier || hides_later ? MaskKind::Causal : MaskKind::Other;
}

} // namespace

bool attention_reads_in_place(Rewriting& rewriting, NodeId root) {
    if (!rewriting.options.target.is_cuda() && !is_half(rewriting.spec(rewriting.input(root, 0)).dtype))
        return false;
    const Node& node = rewriting.graph.node(root); // until something is added, which may move it
    const OpId op = node.op->id;
    const bool is_transposed = node.get<bool>("transpose_k");
    Attributes attributes = node.attributes;
    std::vector<ValueId> inputs = node.inputs;
    double scale = node.get<double>("scale");
    bool is_better = false;
    const std::size_t scalable = inputs.size() > 4 ? 1 : 2; // a new row of k would have to be scaled with it
    for (std::size_t i = 0; i < scalable; ++i)
        if (const auto found = scaled(rewriting, inputs[i])) {
            inputs[i] = found->x;
            scale *= found->scale;
            is_better = true;
        }
    attributes.set("scale", scale);
    if (const auto rows = is_transposed ? std::nullopt : with_keys_as_rows(rewriting, inputs[1])) {
        inputs[1] = *rows;
        attributes.set("transpose_k", true);
        is_better = true;
    }
    if (!is_better)
        return false;
    return rewriting.becomes(root, rewriting.add(op, std::move(inputs), std::move(attributes)));
}

namespace {

// x [..., g, a, b] of a tensor [..., g * r, a, b] that has each head r times: by repeat_interleave, or by a broadcast of
// [..., g, 1, a, b] whose dimensions are joined.
std::optional<ValueId> unrepeated(Rewriting& rewriting, ValueId value) {
    const NodeId node = rewriting.graph.value(value).producer;
    const Shape to = rewriting.spec(value).shape;
    const std::size_t rank = to.size();
    if (!node.valid() || rank < 3)
        return std::nullopt;
    const ValueId from = rewriting.input(node, 0);
    if (rewriting.is(node, OpId::Cast))
        return behind_cast(rewriting, node, unrepeated(rewriting, from));
    if (rewriting.is(node, OpId::RepeatInterleave)) {
        const auto axis = rewriting.attributes(node).get_or<std::int64_t>("dim", -1);
        const bool is_of_heads = axis == -3 || axis == static_cast<std::int64_t>(rank) - 3;
        return is_of_heads ? std::optional(from) : std::nullopt;
    }
    const NodeId repeated = rewriting.is(node, OpId::Reshape) ? rewriting.made_by(from, OpId::Broadcast) : NodeId();
    if (!repeated.valid())
        return std::nullopt;
    const ValueId once = rewriting.input(repeated, 0);
    Shape shape = rewriting.spec(once).shape;
    const Shape& wide = rewriting.spec(from).shape;
    if (wide.size() != rank + 1 || shape.size() != wide.size() || constant_of(shape[rank - 2]) != 1)
        return std::nullopt;
    for (std::size_t i = 0; i <= rank; ++i) {
        const bool is_repeat = i == rank - 2, is_head = i == rank - 3;
        if ((!is_repeat && !same_dim(shape[i], wide[i])) ||
            (!is_repeat && !is_head && !same_dim(wide[i], to[i < rank - 2 ? i : i - 1])))
            return std::nullopt;
    }
    shape.erase(shape.end() - 3);
    return rewriting.reshaped(once, shape);
}

// [..., h, a, b] as [..., g, h / g, a, b]; what has one head for all keeps it, and what has none has none.
ValueId with_groups(Rewriting& rewriting, ValueId value, const Dim& groups) {
    Shape shape = rewriting.spec(value).shape;
    if (shape.size() < 3)
        return value;
    Dim& heads = shape[shape.size() - 3];
    const Dim outer = constant_of(heads) == 1 ? heads : groups;
    heads = simplified(ir::div(heads, outer));
    shape.insert(shape.end() - 3, outer);
    return rewriting.reshaped(value, shape);
}

} // namespace

bool attention_shares_heads(Rewriting& rewriting, NodeId root) {
    const Shape shape = rewriting.spec(rewriting.output(root)).shape;
    const auto k = unrepeated(rewriting, rewriting.input(root, 1));
    const auto v = k ? unrepeated(rewriting, rewriting.input(root, 2)) : std::nullopt;
    if (!v)
        return false;
    std::vector<ValueId> inputs = rewriting.graph.node(root).inputs;
    const auto has_rank = [&](ValueId value) { return rewriting.spec(value).shape.size() == shape.size(); };
    const auto heads_of = [&](ValueId value) { return rewriting.spec(value).shape[shape.size() - 3]; };
    if (!has_rank(inputs[0]) || !has_rank(*k) || !has_rank(*v))
        return false;
    const Dim groups = heads_of(*k);
    if (!constant_of(groups) || !same_dim(groups, heads_of(*v)) || !same_dim(heads_of(inputs[0]), heads_of(inputs[1])))
        return false;
    inputs[1] = *k;
    inputs[2] = *v;
    for (ValueId& input : inputs)
        input = with_groups(rewriting, input, groups);
    const OpId op = rewriting.graph.node(root).op->id;
    const ValueId y = rewriting.add(op, std::move(inputs), rewriting.attributes(root));
    return rewriting.becomes(root, rewriting.reshaped(y, shape));
}

bool known_mask(Rewriting& rewriting, NodeId root) {
    if (rewriting.graph.node(root).inputs.size() > 4) // it has new rows, which the other operator has not
        return false;
    const ValueId mask = rewriting.input(root, 3);
    const Shape& shape = rewriting.spec(mask).shape;
    const Shape& q = rewriting.spec(rewriting.input(root, 0)).shape;
    const Shape& v = rewriting.spec(rewriting.input(root, 2)).shape;
    const Dim &m = q[q.size() - 2], &n = v[v.size() - 2];
    MaskKind kind = MaskKind::Other;
    if (rewriting.is_constant(mask)) {
        const auto rows = constant_of(m), columns = constant_of(n);
        const std::int64_t count = rewriting.element_count_of(mask);
        const bool is_of_all = rows && columns && shape.size() >= 2 && count <= most_mask_elements &&
                               count == *rows * *columns && same_dim(shape.back(), n) &&
                               same_dim(shape[shape.size() - 2], m);
        if (is_of_all)
            kind = kind_of_mask(*rewriting.graph.value(mask).data, *rows, *columns);
    } else if (const auto form = closed_form(rewriting.graph, mask)) {
        const bool is_square =
            shape.size() >= 2 && same_dim(m, n) && same_dim(shape.back(), n) && same_dim(shape[shape.size() - 2], m);
        kind = kind_of_mask(*form, is_square);
    }
    if (kind == MaskKind::Other)
        return false;
    const Node& node = rewriting.graph.node(root);
    const Attributes attributes = {{"is_causal", kind == MaskKind::Causal},
                                   {"transpose_k", node.get<bool>("transpose_k")},
                                   {"scale", node.get<double>("scale")}};
    return rewriting.becomes(root,
                             rewriting.add(OpId::Attn, {node.inputs[0], node.inputs[1], node.inputs[2]}, attributes));
}

namespace {

std::optional<std::int64_t> matrices_of(const TensorSpec& tensor) {
    return constant_of(element_count(Shape(tensor.shape.begin(), tensor.shape.end() - 2)));
}

// Rows of 129 to 256 elements: as attention_wgmma.py for many queries, and attention_cached.py for few.
bool has_wide_template(const Rewriting& rewriting, NodeId root, std::int64_t length) {
    const Node& node = rewriting.graph.node(root);
    const TensorSpec& q = rewriting.spec(node.inputs[0]);
    const TensorSpec& k = rewriting.spec(node.inputs[1]);
    const TensorSpec& v = rewriting.spec(node.inputs[2]);
    const auto queries = constant_of(q.shape[q.shape.size() - 2]);
    const auto keys = constant_of(v.shape[v.shape.size() - 2]);
    const bool has_mask = node.is(OpId::AttnMaskAdd), transposes = node.get<bool>("transpose_k");
    if (rewriting.options.target.arch.number < 90 || length % 8 != 0 || length > 256 || !queries || !keys ||
        node.get<double>("scale") <= 0)
        return false;
    if (*queries >= 32)
        return (transposes || *keys % 8 == 0) && (!has_mask || *keys % 2 == 0);
    const auto heads = matrices_of(q), shared = matrices_of(k);
    const bool sees_all = !has_mask && (!node.get<bool>("is_causal") || (*queries == 1 && *keys == 1));
    return length == 256 && transposes && sees_all && heads && shared && *heads * *queries <= 32 * *shared;
}

// As attention_mma.py, which takes what its neighbours refuse, or they, where it refuses.
bool has_template(const Rewriting& rewriting, NodeId root) {
    const TensorSpec& q = rewriting.spec(rewriting.input(root, 0));
    const auto length = constant_of(q.shape.back());
    const auto width = constant_of(rewriting.spec(rewriting.output(root)).shape.back());
    if (!is_half(q.dtype) || rewriting.options.target.arch.number < 80 || !length || !width)
        return false;
    if (*length <= 128)
        return *length % 4 == 0 && *width <= 128 && *width % 8 == 0;
    return *width == *length && has_wide_template(rewriting, root, *length);
}

// Whether a key is not behind the query, [m, n].
ValueId earlier_keys(Rewriting& rewriting, const Dim& m, const Dim& n) {
    const auto counted = [&](const Dim& extent, Shape shape) {
        const ValueId all = rewriting.add(OpId::Arange, {}, {{"start", Shape{extent}}});
        return rewriting.reshaped(all, std::move(shape));
    };
    return rewriting.add(OpId::LessEqual, {counted(n, {dim(1), n}), counted(m, {m, dim(1)})});
}

} // namespace

// Two products and a softmax, each by a template of its own, where none has all of it in registers.
bool attention_by_products(Rewriting& rewriting, NodeId root) {
    const Node node = rewriting.graph.node(root);
    if (!rewriting.options.target.is_cuda() || has_template(rewriting, root) || node.inputs.size() > 4)
        return false;
    const ir::DType dtype = rewriting.spec(rewriting.output(root)).dtype;
    const auto cast = [&](ValueId value, ir::DType to) {
        return rewriting.spec(value).dtype == to ? value : rewriting.add(OpId::Cast, {value}, {{"dtype", to}});
    };
    Attributes of_product;
    if (dtype == ir::DType::F32 && rewriting.options.precision == tf32)
        of_product.set("precision", std::string(tf32));
    ValueId q = node.inputs[0];
    if (const double scale = node.get<double>("scale"); scale != 1)
        q = rewriting.add(OpId::Multiply, {q, rewriting.number(scale, dtype)});
    Attributes of_scores = of_product;
    if (node.get<bool>("transpose_k"))
        of_scores.set("transpose_b", true);
    ValueId scores = cast(rewriting.add(OpId::Matmul, {q, node.inputs[1]}, of_scores), ir::DType::F32);
    const Shape shape = rewriting.spec(scores).shape;
    if (node.is(OpId::AttnMaskAdd))
        scores = rewriting.add(OpId::Add, {scores, cast(node.inputs[3], ir::DType::F32)});
    else if (node.get<bool>("is_causal"))
        scores = rewriting.add(OpId::Where, {earlier_keys(rewriting, shape[shape.size() - 2], shape.back()), scores,
                                             rewriting.number(-INFINITY, ir::DType::F32)});
    const ValueId shares = cast(rewriting.add(OpId::Softmax, {scores}, {{"axis", std::int64_t{-1}}}), dtype);
    return rewriting.becomes(root, rewriting.add(OpId::Matmul, {shares, node.inputs[2]}, of_product));
}

} // namespace hidet::graph
