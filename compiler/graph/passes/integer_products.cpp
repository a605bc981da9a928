// SPDX-License-Identifier: Apache-2.0
// Products of bytes on a CPU: the factors are integers less their zero points, of which the second one is a constant; they are multiplied as
// integers, or as floats behind a scale. Kernels take the bytes as they are, four products at once: the sum of (x - z) * w is that of
// x * w less z times the sum of w, which is computed here. Padding is z. Signed bytes become unsigned ones by 128 more.
#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/graph/core/data.h"
#include "compiler/graph/core/list_attributes.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/passes/passes.h"

namespace hidet::graph {

namespace {

constexpr const char* rule = "integer-products";
// Which the kernels that read rows in place want (compiler/schedule/in_place_form.cpp).
constexpr std::int64_t terms_at_once = 4, least_terms = 8, least_columns = 16, most_taps = 64;
constexpr std::int64_t padded_channels = 4; // of images, which have three
constexpr double shift = 128;               // from signed bytes to unsigned ones

struct Activation {
    ValueId bytes, zero, scale; // zero: invalid where there is none; scale: invalid where the factor is an integer
};

struct Weight {
    lang::TensorRef numbers;    // int8: [terms, columns], or as a convolution has them
    std::vector<double> sums;   // of each column
    std::vector<double> scales; // of each column, or one; empty: the factor is an integer
};

class IntegerProduct {
public:
    IntegerProduct(PassState& state, NodeId node) : m_state(state), m_graph(state.graph), m_node(node) {}

    void replace() {
        const Node node = m_graph.node(m_node); // a copy: nodes move when others are added
        m_is_convolution = node.is(OpId::Conv2d);
        const ir::DType dtype = m_graph.value(node.outputs[0]).spec.dtype;
        if ((dtype != ir::DType::I32 && dtype != ir::DType::F32) || !has_fitting_shape(node))
            return;
        m_is_real = dtype == ir::DType::F32;
        const auto x = activation(node.inputs[0]);
        if (!x || (m_is_convolution && x->zero.valid() && !scalar(x->zero)))
            return;
        const auto weight = m_is_real ? scaled_weight(node) : whole_weight(node);
        if (!weight)
            return;
        ValueId sum = product(node, *x, *weight);
        sum = without_zero_point(sum, *x, *weight);
        finish(node, m_is_real ? with_scales(sum, *x, *weight) : sum);
    }

private:
    ValueId add(const OpInfo& op, std::vector<ValueId> inputs, Attributes attributes = {}) {
        const Node& node = m_graph.node(m_node);
        return m_graph.add_one(op, std::move(inputs), std::move(attributes), {node.name, node.site, {m_node}, rule});
    }
    ValueId cast(ValueId value, ir::DType dtype) { return add(op_info::Cast(), {value}, {{"dtype", dtype}}); }
    ValueId number(double value, ir::DType dtype) { return m_graph.add_constant(scalar_tensor(dtype, value)); }
    // A number for each column, as it stands beside the result.
    ValueId of_columns(ir::DType dtype, const std::vector<double>& values) {
        const auto count = static_cast<std::int64_t>(values.size());
        std::vector<std::int64_t> shape = {count};
        if (m_is_convolution)
            shape.insert(shape.end(), {1, 1});
        return m_graph.add_constant(tensor_of(dtype, shape, values));
    }

    // ---- what there is ------------------------------------------------------------------------------------------------
    const Node* made_by(ValueId value, OpId op) const {
        const NodeId by = m_graph.value(value).producer;
        return by.valid() && m_graph.node(by).is(op) ? &m_graph.node(by) : nullptr;
    }
    lang::TensorRef data_of(ValueId value) const {
        const lang::TensorRef& data = m_graph.value(value).data;
        return data && data->has_data() ? data : nullptr;
    }
    std::optional<double> scalar(ValueId value) const {
        const lang::TensorRef data = data_of(value);
        return data && data->count() == 1 ? std::optional(numbers_of(*data)[0]) : std::nullopt;
    }
    bool is_one(ValueId value) const { return constant_of(element_count(m_graph.value(value).spec.shape)) == 1; }
    bool is_of_bytes(ValueId value) const {
        const ir::DType dtype = m_graph.value(value).spec.dtype;
        return dtype == ir::DType::U8 || dtype == ir::DType::I8;
    }

    bool has_fitting_shape(const Node& node) const {
        const Shape& a = m_graph.value(node.inputs[0]).spec.shape;
        const Shape& b = m_graph.value(node.inputs[1]).spec.shape;
        if (m_is_convolution) {
            const auto columns = constant_of(b[0]), channels = constant_of(b[1]);
            const auto taps = constant_of(element_count(Shape(b.begin() + 2, b.end())));
            const bool fits =
                channels && (is_of_image(b) || (*channels >= least_terms && *channels % terms_at_once == 0));
            return m_graph.call_of(m_node).attributes.get<std::int64_t>("groups") == 1 && columns && taps && fits &&
                   *columns >= least_columns && *taps <= most_taps;
        }
        if (a.size() < 2 || b.size() != 2)
            return false;
        const auto terms = constant_of(a.back()), columns = constant_of(b[node.get<bool>("transpose_b") ? 0 : 1]);
        return terms && columns && *terms >= least_terms && *terms % terms_at_once == 0 && *columns >= least_columns;
    }

    // Few channels, of which a line of taps has enough with another one.
    bool is_of_image(const Shape& weight) const {
        const auto channels = constant_of(weight[1]), width = constant_of(weight.back());
        return channels == padded_channels - 1 && width && *width * padded_channels >= least_terms;
    }

    // int32: the bytes, or they less a zero point.
    std::optional<Activation> centred(ValueId value) const {
        Activation out;
        if (const Node* difference = made_by(value, OpId::Subtract)) {
            const Node* zero = made_by(difference->inputs[1], OpId::Cast);
            out.zero = zero ? zero->inputs[0] : difference->inputs[1];
            value = difference->inputs[0];
        }
        const Node* wide = made_by(value, OpId::Cast);
        if (!wide || m_graph.value(value).spec.dtype != ir::DType::I32 || !is_of_bytes(wide->inputs[0]))
            return std::nullopt;
        out.bytes = wide->inputs[0];
        return !out.zero.valid() || is_zero_of(out.zero, out.bytes) ? std::optional(out) : std::nullopt;
    }
    // One number that the bytes can have.
    bool is_zero_of(ValueId zero, ValueId bytes) const {
        const ir::DType dtype = m_graph.value(bytes).spec.dtype;
        const auto number = scalar(zero);
        const ir::IntegerRange range = ir::integer_range(dtype);
        if (number)
            return *number >= static_cast<double>(range.lowest) && *number <= static_cast<double>(range.highest);
        return is_one(zero) && m_graph.value(zero).spec.dtype == dtype;
    }
    std::optional<Activation> activation(ValueId value) const {
        if (!m_is_real)
            return centred(value);
        const Node* scaled = made_by(value, OpId::Multiply);
        const Node* real = scaled ? made_by(scaled->inputs[0], OpId::Cast) : nullptr;
        if (!real || !is_one(scaled->inputs[1]) || m_graph.value(scaled->inputs[1]).spec.dtype != ir::DType::F32)
            return std::nullopt;
        auto out = centred(real->inputs[0]);
        if (out)
            out->scale = scaled->inputs[1];
        return out;
    }

    // ---- the constant ---------------------------------------------------------------------------------------------------
    // What a value is whose makers read constants alone.
    lang::TensorRef computed(ValueId value) const {
        if (lang::TensorRef data = data_of(value))
            return data;
        const NodeId by = m_graph.value(value).producer;
        if (!by.valid() || !m_graph.node(by).is_any_of({OpId::Cast, OpId::Subtract, OpId::Reshape, OpId::Unsqueeze}))
            return nullptr;
        Tensors inputs;
        for (const ValueId input : m_graph.node(by).inputs)
            if (lang::TensorRef data = computed(input))
                inputs.push_back(std::move(data));
            else
                return nullptr;
        const OpCall call = m_graph.call_of(by);
        const auto results = fold(call, inputs, *constant_of(element_count(m_graph.value(value).spec.shape)));
        return results ? results->front() : nullptr;
    }
    // Integers: nothing if one of them is no signed byte.
    std::optional<Weight> whole_weight(const Node& node) const {
        const lang::TensorRef data = computed(node.inputs[1]);
        if (!data)
            return std::nullopt;
        return weight_of(numbers_of(*data), data->shape, is_transposed(node));
    }
    std::optional<Weight> scaled_weight(const Node& node) const {
        ValueId value = node.inputs[1];
        bool is_turned = is_transposed(node);
        const Node* turn = made_by(value, OpId::TransposeOp2D);
        if (const Node* permuted = made_by(value, OpId::PermuteDims);
            permuted && !m_is_convolution && permuted->get<Ints>("axes") == Ints{1, 0})
            turn = permuted;
        if (turn) {
            is_turned = !is_turned;
            value = turn->inputs[0];
        }
        const Node* real = made_by(value, OpId::DequantizeLinear);
        if (!real || real->get<std::int64_t>("block_size") != 0)
            return std::nullopt;
        for (const ValueId input : real->inputs)
            if (!data_of(input))
                return std::nullopt;
        const lang::Tensor& data = *data_of(real->inputs[0]);
        std::vector<double> scales = numbers_of(*data_of(real->inputs[1]));
        const std::size_t axis = m_is_convolution || is_turned ? 0 : 1;
        if (!is_of_bytes(real->inputs[0]) || m_graph.value(value).spec.dtype != ir::DType::F32 ||
            (scales.size() > 1 && normalise_axis(real->get<std::int64_t>("axis"), data.shape.size(), "axis") !=
                                      static_cast<std::int64_t>(axis)))
            return std::nullopt;
        std::vector<double> numbers = numbers_of(data);
        if (real->inputs.size() > 2)
            subtract(numbers, numbers_of(*data_of(real->inputs[2])), data.shape, axis);
        auto weight = weight_of(numbers, data.shape, is_turned);
        if (weight)
            weight->scales = std::move(scales);
        return weight;
    }
    bool is_transposed(const Node& node) const { return !m_is_convolution && node.get<bool>("transpose_b"); }
    static void subtract(std::vector<double>& numbers, const std::vector<double>& zeros,
                         const std::vector<std::int64_t>& shape, std::size_t axis) {
        std::size_t inner = 1;
        for (std::size_t d = axis + 1; d < shape.size(); ++d)
            inner *= static_cast<std::size_t>(shape[d]);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] -= zeros[i / inner % zeros.size()];
    }
    std::optional<Weight> weight_of(const std::vector<double>& given, const std::vector<std::int64_t>& shape,
                                    bool is_turned) const {
        if (given.empty() || std::ranges::any_of(given, [](double each) { return each < -128 || each > 127; }))
            return std::nullopt;
        const auto columns = static_cast<std::size_t>(shape[m_is_convolution || is_turned ? 0 : 1]);
        const std::size_t terms = given.size() / columns;
        Weight out;
        out.sums.assign(columns, 0);
        std::vector<double> numbers(given.size());
        for (std::size_t column = 0; column < columns; ++column)
            for (std::size_t term = 0; term < terms; ++term) {
                const std::size_t by_column = column * terms + term, by_term = term * columns + column;
                const double each = given[m_is_convolution || is_turned ? by_column : by_term];
                numbers[m_is_convolution ? by_column : by_term] = each;
                out.sums[column] += each;
            }
        const std::vector<std::int64_t> matrix = {static_cast<std::int64_t>(terms), static_cast<std::int64_t>(columns)};
        out.numbers = tensor_of(ir::DType::I8, m_is_convolution ? shape : matrix, numbers);
        return out;
    }

    // ---- what is made of it -----------------------------------------------------------------------------------------------
    bool is_signed(const Activation& x) const { return m_graph.value(x.bytes).spec.dtype == ir::DType::I8; }
    double constant_zero(const Activation& x) const {
        return (x.zero.valid() ? scalar(x.zero).value_or(0) : 0) + (is_signed(x) ? shift : 0);
    }
    ValueId unsigned_bytes(const Activation& x) {
        if (!is_signed(x))
            return x.bytes;
        const ValueId moved = add(op_info::Add(), {cast(x.bytes, ir::DType::I32), number(shift, ir::DType::I32)});
        return cast(moved, ir::DType::U8);
    }
    ValueId product(const Node& node, const Activation& x, const Weight& weight) {
        const std::string name = m_graph.value(node.inputs[1]).name;
        const ValueId numbers = m_graph.add_constant(weight.numbers, name);
        if (!m_is_convolution)
            return add(op_info::IntegerMatmul(), {unsigned_bytes(x), numbers});
        Attributes attributes;
        for (const char* same : {"stride", "padding", "dilations"})
            if (const Attribute* given = node.attributes.find(same))
                attributes.set(same, *given);
        attributes.set("padding_value", static_cast<std::int64_t>(constant_zero(x)));
        if (is_of_image(m_graph.value(numbers).spec.shape))
            return product_of_image(unsigned_bytes(x), weight, constant_zero(x), std::move(attributes));
        return add(op_info::IntegerConv2d(), {unsigned_bytes(x), numbers}, std::move(attributes));
    }
    // The padding is there before, so that a line of taps lies in one piece.
    ValueId product_of_image(ValueId bytes, const Weight& weight, double zero, Attributes attributes) {
        const Ints sides = attributes.find("padding") ? paddings(attributes, 2, "convolution") : Ints(4, 0);
        Shape pads;
        for (const std::int64_t pad : {std::int64_t{0}, std::int64_t{0}, sides[0], sides[1], std::int64_t{0},
                                       std::int64_t{1}, sides[2], sides[3]})
            pads.push_back(dim(pad));
        const ValueId image = add(op_info::Pad(), {bytes}, {{"pads", std::move(pads)}, {"value", zero}});
        std::vector<std::int64_t> shape = weight.numbers->shape;
        const std::vector<double> given = numbers_of(*weight.numbers);
        const auto of_channels = given.size() / static_cast<std::size_t>(shape[0]);
        const auto of_channel = of_channels / static_cast<std::size_t>(shape[1]);
        std::vector<double> numbers;
        for (std::size_t i = 0; i < given.size(); i += of_channels) {
            numbers.insert(numbers.end(), given.begin() + static_cast<std::ptrdiff_t>(i),
                           given.begin() + static_cast<std::ptrdiff_t>(i + of_channels));
            numbers.insert(numbers.end(), of_channel, 0);
        }
        shape[1] = padded_channels;
        attributes.set("padding", Ints{0, 0});
        const ValueId padded = m_graph.add_constant(tensor_of(ir::DType::I8, shape, numbers));
        return add(op_info::IntegerConv2d(), {image, padded}, std::move(attributes));
    }
    ValueId without_zero_point(ValueId sum, const Activation& x, const Weight& weight) {
        if (!x.zero.valid() || scalar(x.zero)) {
            const double zero = constant_zero(x);
            if (zero == 0)
                return sum;
            std::vector<double> less = weight.sums;
            std::ranges::transform(less, less.begin(), [&](double each) { return -zero * each; });
            return add(op_info::Add(), {sum, of_columns(ir::DType::I32, less)});
        }
        ValueId zero = cast(x.zero, ir::DType::I32);
        if (is_signed(x))
            zero = add(op_info::Add(), {zero, number(shift, ir::DType::I32)});
        const ValueId less = add(op_info::Multiply(), {of_columns(ir::DType::I32, weight.sums), zero});
        return add(op_info::Subtract(), {sum, less});
    }
    ValueId with_scales(ValueId sum, const Activation& x, const Weight& weight) {
        const ValueId real = cast(sum, ir::DType::F32);
        std::vector<double> scales = weight.scales;
        const auto of_x = scalar(x.scale);
        if (of_x)
            for (double& scale : scales)
                scale = static_cast<double>(static_cast<float>(*of_x) * static_cast<float>(scale));
        const ValueId factors =
            scales.size() == 1 ? number(scales[0], ir::DType::F32) : of_columns(ir::DType::F32, scales);
        const ValueId y = add(op_info::Multiply(), {real, factors});
        return of_x ? y : add(op_info::Multiply(), {y, x.scale});
    }
    void finish(const Node& node, ValueId result) {
        m_graph.value(result).name = m_graph.value(node.outputs[0]).name;
        const NodeId made = m_graph.value(result).producer;
        m_graph.replace(node.outputs[0], result);
        m_graph.drop_if_unused(m_node);
        m_state.record.matches.push_back({rule, {m_node}, {made}, {}});
    }

    PassState& m_state;
    Graph& m_graph;
    const NodeId m_node;
    bool m_is_convolution = false, m_is_real = false;
};

// What a model says of a float that becomes a byte: x over a scale, rounded, plus a zero point, limited and converted.
class ByteResult {
public:
    ByteResult(PassState& state, NodeId cast) : m_state(state), m_graph(state.graph), m_cast(cast) {}

    void replace() {
        const Node& cast = m_graph.node(m_cast);
        const ValueId result = cast.outputs[0];
        const ir::DType dtype = m_graph.value(result).spec.dtype;
        if (dtype != ir::DType::U8 && dtype != ir::DType::I8)
            return;
        const Node* clip = step(cast.inputs[0], OpId::Clip);
        if (!clip || !is_range_of(m_graph.call_of(m_graph.value(cast.inputs[0]).producer).attributes, dtype))
            return;
        ValueId value = clip->inputs[0];
        double zero = 0;
        if (const Node* sum = step(value, OpId::Add)) {
            const auto number = scalar(sum->inputs[1]);
            if (!number)
                return;
            zero = *number;
            value = sum->inputs[0];
        }
        const Node* whole = step(value, OpId::Round);
        const Node* quotient = whole ? step(whole->inputs[0], OpId::Divide) : nullptr;
        const auto scale = quotient ? scalar(quotient->inputs[1]) : std::nullopt;
        if (!scale || *scale <= 0 || !std::isfinite(*scale) ||
            m_graph.value(quotient->inputs[0]).spec.dtype != ir::DType::F32 || !is_in_range(zero, dtype))
            return;
        finish(result, quotient->inputs[0], *scale, zero, dtype);
    }

private:
    // The maker of a value, whose only reader is here.
    const Node* step(ValueId value, OpId op) const {
        const NodeId by = m_graph.value(value).producer;
        const bool is_step =
            by.valid() && m_graph.node(by).is(op) && m_graph.value(value).uses.size() == 1 && !m_graph.is_output(value);
        return is_step ? &m_graph.node(by) : nullptr;
    }
    std::optional<double> scalar(ValueId value) const {
        const lang::TensorRef& data = m_graph.value(value).data;
        return data && data->has_data() && data->count() == 1 ? std::optional(numbers_of(*data)[0]) : std::nullopt;
    }
    static bool is_in_range(double number, ir::DType dtype) {
        const ir::IntegerRange range = ir::integer_range(dtype);
        return number >= static_cast<double>(range.lowest) && number <= static_cast<double>(range.highest) &&
               number == std::floor(number);
    }
    static bool is_range_of(const Attributes& clip, ir::DType dtype) {
        const ir::IntegerRange range = ir::integer_range(dtype);
        return number_attribute(clip, "min_val") == static_cast<double>(range.lowest) &&
               number_attribute(clip, "max_val") == static_cast<double>(range.highest);
    }
    ValueId add(const OpInfo& op, std::vector<ValueId> inputs, Attributes attributes = {}) {
        const Node& node = m_graph.node(m_cast);
        return m_graph.add_one(op, std::move(inputs), std::move(attributes), {node.name, node.site, {m_cast}, rule});
    }

    // The constants that a product of bytes is multiplied with, and what is added, over the scale: one product fewer, and no quotient.
    ValueId over(ValueId value, double scale) {
        const Node* positive = step(value, OpId::Relu);
        const ValueId before = positive ? positive->inputs[0] : value;
        const Node* sum = step(before, OpId::Add);
        const ValueId product = sum ? sum->inputs[0] : before;
        const Node* scaled = step(product, OpId::Multiply);
        const lang::TensorRef factors = scaled && scaled->rule == rule ? data_of(scaled->inputs[1]) : nullptr;
        const lang::TensorRef terms = sum ? data_of(sum->inputs[1]) : nullptr;
        if (!factors || (sum && !terms))
            return {};
        const ValueId real = scaled->inputs[0];
        const bool is_positive = positive != nullptr;
        ValueId y = add(op_info::Multiply(), {real, m_graph.add_constant(quotients(*factors, scale))});
        if (terms)
            y = add(op_info::Add(), {y, m_graph.add_constant(quotients(*terms, scale))});
        return is_positive ? add(op_info::Relu(), {y}) : y;
    }
    lang::TensorRef data_of(ValueId value) const {
        const lang::TensorRef& data = m_graph.value(value).data;
        return data && data->has_data() && data->dtype == ir::DType::F32 ? data : nullptr;
    }
    static lang::TensorRef quotients(const lang::Tensor& tensor, double scale) {
        std::vector<double> values = numbers_of(tensor);
        for (double& value : values)
            value = static_cast<double>(static_cast<float>(value) / static_cast<float>(scale));
        return tensor_of(ir::DType::F32, tensor.shape, values);
    }
    void finish(ValueId result, ValueId x, double scale, double zero, ir::DType dtype) {
        const ValueId scaled = over(x, scale);
        const ValueId by = m_graph.add_constant(scalar_tensor(ir::DType::F32, scaled.valid() ? 1 : scale));
        const ValueId from = m_graph.add_constant(scalar_tensor(dtype, zero));
        const ValueId bytes = add(op_info::QuantizeLinear(), {scaled.valid() ? scaled : x, by, from});
        m_graph.value(bytes).name = m_graph.value(result).name;
        const NodeId made = m_graph.value(bytes).producer;
        m_graph.replace(result, bytes);
        m_graph.drop_if_unused(m_cast);
        m_state.record.matches.push_back({rule, {m_cast}, {made}, {}});
    }

    PassState& m_state;
    Graph& m_graph;
    const NodeId m_cast;
};

} // namespace

void integer_products(PassState& state) {
    if (state.options.target.is_cuda())
        return;
    for (const NodeId id : state.graph.topological()) {
        if (state.is_cancelled())
            return;
        if (state.graph.is_live(id) && state.graph.node(id).is_any_of({OpId::Matmul, OpId::Conv2d}))
            IntegerProduct(state, id).replace();
    }
    for (const NodeId id : state.graph.topological())
        if (state.graph.is_live(id) && state.graph.node(id).is(OpId::Cast))
            ByteResult(state, id).replace();
}

} // namespace hidet::graph
