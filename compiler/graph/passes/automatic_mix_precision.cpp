// SPDX-License-Identifier: Apache-2.0
// Computes in half precision where the user asks for it: products and convolutions always, with sums in float32 (their
// definitions see to that); what only moves or passes numbers on when its operands are in half precision anyway; all else,
// what would overflow or lose digits (powers, exponentials, normalisations), as the model says. Results of the graph keep
// their types. Casts that meet cancel in the next pass.
//
// Of tf32 nothing is cast: products and convolutions of float32 are permitted to round their factors, and say so by an
// attribute.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/graph/core/product_precision.h"
#include "compiler/graph/interpreter/casts.h"
#include "compiler/graph/names/keys.h"
#include "compiler/graph/passes/passes.h"

namespace hidet::graph {

namespace {

using ir::DType;

constexpr OpId followers[] = {
    OpId::Abs,
    OpId::AdaptiveAvgPool1d,
    OpId::AdaptiveAvgPool2d,
    OpId::AdaptiveAvgPool2dChannelLast,
    OpId::AdaptiveAvgPool3d,
    OpId::AdaptiveMaxPool1d,
    OpId::AdaptiveMaxPool2d,
    OpId::AdaptiveMaxPool3d,
    OpId::Add,
    OpId::AddScalar,
    OpId::AvgPool1d,
    OpId::AvgPool2d,
    OpId::AvgPool2dChannelLast,
    OpId::AvgPool3d,
    OpId::AvgPoolNd,
    OpId::Broadcast,
    OpId::Clamp,
    OpId::Clip,
    OpId::CompositeElementwise,
    OpId::Concat,
    OpId::DepthToSpace,
    OpId::DivideScalar,
    OpId::Elu,
    OpId::Flatten,
    OpId::Flip,
    OpId::Gelu,
    OpId::HardSigmoid,
    OpId::HardSwish,
    OpId::LeakyRelu,
    OpId::LpPool,
    OpId::Max,
    OpId::MaxPool1d,
    OpId::MaxPool2d,
    OpId::MaxPool2dChannelLast,
    OpId::MaxPool3d,
    OpId::MaxPoolNd,
    OpId::MaxPoolWithIndices,
    OpId::MaxRoiPool,
    OpId::Min,
    OpId::Multiply,
    OpId::MultiplyScalar,
    OpId::Negative,
    OpId::PRelu,
    OpId::Pad,
    OpId::PermuteDims,
    OpId::RSubScalar,
    OpId::Rearrange,
    OpId::Relu,
    OpId::Reshape,
    OpId::Roll,
    OpId::Selu,
    OpId::Sigmoid,
    OpId::Silu,
    OpId::SpaceToDepth,
    OpId::Squeeze,
    OpId::StridedSlice,
    OpId::SubScalar,
    OpId::Subtract,
    OpId::Take,
    OpId::Tanh,
    OpId::Tile,
    OpId::TransposeOp2D,
    OpId::Unsqueeze,
    OpId::Where,
};

bool is_follower(OpId op) {
    return std::ranges::find(followers, op) != std::end(followers);
}

// TF32 is no type of values here.
std::optional<DType> precision_named(const std::string& name) {
    if (name == tf32)
        return DType::TF32;
    const auto dtype = ir::find_dtype(name);
    const bool is_one = dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32;
    return is_one ? dtype : std::nullopt;
}

bool is_convertible(DType dtype) {
    return dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32;
}

class Converter {
public:
    explicit Converter(PassState& state) : m_state(state), m_graph(state.graph) {
        m_default = precision_named(state.options.precision);
        if (state.options.precisions.empty())
            return;
        const NodeKeys keys(m_graph);
        for (const NodeChoice& choice : state.options.precisions)
            if (const NodeId node = keys.find(choice.node); node.valid())
                if (const auto dtype = precision_named(choice.what))
                    m_chosen[node.index] = *dtype;
    }

    void run() {
        if (!m_default && m_chosen.empty())
            return;
        for (NodeId node : m_graph.topological()) {
            if (m_state.is_cancelled())
                return;
            if (const auto target = target_of(node))
                *target == DType::TF32 ? permit(node) : convert(node, *target);
        }
    }

private:
    std::optional<DType> target_of(NodeId id) const {
        const Node& node = m_graph.node(id);
        const bool computes = !node.is(OpId::Cast) && node.op->cls != OpClass::Host;
        if (!computes ||
            std::ranges::none_of(node.inputs, [&](ValueId input) { return is_convertible(dtype_of_value(input)); }))
            return std::nullopt;
        if (const auto chosen = m_chosen.find(id.index); chosen != m_chosen.end())
            return chosen->second;
        if (!m_default || *m_default == DType::F32 || *m_default == DType::TF32)
            return m_default;
        bool is_in_range = true;
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            is_in_range = is_in_range && (is_mask(node, i) || is_scale(node, i) || fits(node.inputs[i], *m_default));
        const bool follows = is_follower(node.op->id) && reads_halves_only(node);
        return is_in_range && (node.op->cls == OpClass::Contraction || follows) ? m_default : std::nullopt;
    }
    DType dtype_of_value(ValueId value) const { return m_graph.value(value).spec.dtype; }

    // What attention adds to its scores, in any type: exporters write the least float for what is not to be seen.
    static bool is_mask(const Node& node, std::size_t input) { return node.is(OpId::AttnMaskAdd) && input == 3; }

    // Of weights of few bits: in a type that has all of their digits, which nothing is gained by leaving.
    static bool is_scale(const Node& node, std::size_t input) { return node.is(OpId::PackedMatmul) && input >= 2; }

    // A constant that half precision does not hold would become infinite.
    bool fits(ValueId id, DType target) const {
        const Value& value = m_graph.value(id);
        if (target != DType::F16 || value.spec.dtype != DType::F32 || !value.data || !value.data->has_data())
            return true;
        return !has_larger(*value.data, 65504);
    }
    // All that it computes with has been computed in half precision, or is constant. Rows of a constant table are rounded as
    // other weights are.
    bool reads_halves_only(const Node& node) const {
        bool reads_one = node.is(OpId::Take) && m_graph.value(node.inputs[0]).is_constant();
        for (ValueId input : node.inputs) {
            if (m_graph.value(input).is_constant() || !is_convertible(dtype_of_value(input)))
                continue;
            if (!m_halves.contains(input.index))
                return false;
            reads_one = true;
        }
        return reads_one;
    }

    NodeOrigin origin_of(NodeId node) const { return {{}, m_graph.node(node).site, {node}, "automatic-mix-precision"}; }
    ValueId cast(NodeId node, ValueId value, DType dtype) {
        return m_graph.add_one(op_info::Cast(), {value}, {{"dtype", dtype}}, origin_of(node));
    }
    ValueId lowered(NodeId node, ValueId value, DType target) {
        if (!is_convertible(dtype_of_value(value)) || dtype_of_value(value) == target)
            return value;
        if (const auto found = m_lowered.find(value.index);
            found != m_lowered.end() && dtype_of_value(found->second) == target)
            return found->second;
        const Value& from = m_graph.value(value);
        ValueId result;
        if (from.data && from.data->has_data()) {
            const OpCall call(op_info::Cast(), {from.spec}, {{"dtype", target}});
            if (const auto folded = fold(call, {from.data}, from.data->count()))
                result = m_graph.add_constant(folded->front(), from.name);
        }
        if (!result.valid())
            result = cast(node, value, target);
        m_lowered[value.index] = result;
        return result;
    }

    void permit(NodeId id) {
        const Node& node = m_graph.node(id);
        if (permits_tf32(node) || !has_products(node) || !reads_float32(m_graph, node))
            return;
        Attributes attributes = m_graph.node(id).attributes;
        attributes.set("precision", std::string(tf32));
        NodeOrigin origin = origin_of(id);
        origin.name = m_graph.node(id).name;
        const ValueId from = m_graph.node(id).outputs[0];
        const ValueId to =
            m_graph.add_one(*m_graph.node(id).op, m_graph.node(id).inputs, std::move(attributes), std::move(origin));
        m_graph.value(to).name = m_graph.value(from).name;
        const NodeId made = m_graph.value(to).producer;
        m_graph.replace(from, to);
        m_graph.drop_if_unused(id);
        m_state.record.matches.push_back({"automatic-mix-precision", {id}, {made}, tf32});
    }

    void convert(NodeId id, DType target) {
        std::vector<ValueId> inputs = m_graph.node(id).inputs;
        Attributes attributes = m_graph.node(id).attributes;
        const bool was_permitted = permits_tf32(m_graph.node(id));
        if (was_permitted) // by the model itself
            attributes.set("precision", std::string());
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (!is_scale(m_graph.node(id), i) && (!is_mask(m_graph.node(id), i) || fits(inputs[i], target)))
                inputs[i] = lowered(id, inputs[i], target);
        if (inputs == m_graph.node(id).inputs && !was_permitted)
            return;
        NodeOrigin origin = origin_of(id);
        origin.name = m_graph.node(id).name;
        const std::vector<ValueId> results =
            m_graph.add(*m_graph.node(id).op, inputs, std::move(attributes), std::move(origin));
        const NodeId made = m_graph.value(results[0]).producer;
        const std::vector<ValueId> outputs = m_graph.node(id).outputs;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const DType wanted = dtype_of_value(outputs[i]);
            const ValueId result = wanted == dtype_of_value(results[i]) ? results[i] : cast(id, results[i], wanted);
            if (result != results[i])
                m_lowered[result.index] = results[i];
            m_halves.insert(result.index);
            m_graph.value(result).name = m_graph.value(outputs[i]).name;
            m_graph.replace(outputs[i], result);
        }
        m_graph.drop_if_unused(id);
        m_state.record.matches.push_back({"automatic-mix-precision", {id}, {made}, ir::info(target).name});
    }

    PassState& m_state;
    Graph& m_graph;
    std::optional<DType> m_default;
    std::unordered_map<std::uint32_t, DType> m_chosen;    // by node
    std::unordered_map<std::uint32_t, ValueId> m_lowered; // by value: the same in the other precision
    std::unordered_set<std::uint32_t> m_halves;           // values that were computed in it
};

} // namespace

bool asks_in_vain_for_tf32(const GraphOptions& options) {
    return !options.target.has(artifact::Feature::MatrixTf32) &&
           (options.precision == tf32 ||
            std::ranges::any_of(options.precisions, [](const NodeChoice& choice) { return choice.what == tf32; }));
}

void automatic_mix_precision(PassState& state) {
    Converter(state).run();
}

} // namespace hidet::graph
