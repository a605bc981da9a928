// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions as convolutions. Along each dimension of stride s, the results at i + padding = s u + a read the input at
// u, u - 1, ..., by the taps a, a + s, ... of the filter (sub-pixel convolution: Shi et al., arXiv 1609.07009). So there is one
// convolution of stride 1 for each of the phases a, and one with the features of all of them makes all; then they are interleaved.
#include <algorithm>

#include "compiler/graph/passes/rules/rules.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

struct Extent { // of one spatial dimension
    std::int64_t size = 0, kernel = 0, made = 0, stride = 1, begin = 0;
    std::int64_t taps() const { return kernel / stride; } // of a phase
    // Places u of which results are wanted, and of the input.
    std::int64_t places() const { return std::max((made - 1 + begin) / stride + 1, size); }
};

std::int64_t number_of(const Ints& given, std::size_t d, std::int64_t otherwise) {
    return given.empty() ? otherwise : given[d % given.size()];
}

// Nothing where a filter is not whole phases: taps of zero would make NaN of infinities.
std::optional<std::vector<Extent>> extents_of_transposed(const Rewriting& rewriting, NodeId root) {
    const Node& node = rewriting.graph.node(root);
    const Shape& x = rewriting.spec(rewriting.input(root, 0)).shape;
    const auto w = constant_shape(rewriting.spec(rewriting.input(root, 1)).shape);
    const Shape& y = rewriting.spec(rewriting.output(root)).shape;
    if (!w || node.get<std::int64_t>("groups") != 1)
        return std::nullopt;
    const Ints strides = node.get<Ints>("stride"), padding = node.get<Ints>("padding");
    std::vector<Extent> all;
    for (std::size_t d = 0; d + 2 < x.size(); ++d) {
        const auto size = constant_of(x[d + 2]), made = constant_of(y[d + 2]);
        if (!size || !made || *made == 0 || number_of(node.get<Ints>("dilations"), d, 1) != 1)
            return std::nullopt;
        all.push_back({*size, (*w)[d + 2], *made, number_of(strides, d, 1), number_of(padding, d, 0)});
        if (all.back().kernel % all.back().stride != 0)
            return std::nullopt;
    }
    return all;
}

// With channels last. A line is an image of one row.
class Phases {
public:
    Phases(Rewriting& rewriting, NodeId root, std::vector<Extent> extents)
        : m_rewriting(rewriting), m_root(root), m_extents(std::move(extents)),
          m_batch(rewriting.spec(rewriting.input(root, 0)).shape[0]),
          m_channels(rewriting.spec(rewriting.input(root, 1)).shape[0]),
          m_features(rewriting.spec(rewriting.input(root, 1)).shape[1]) {
        if (m_extents.size() == 1)
            m_extents.insert(m_extents.begin(), {1, 1, 1, 1, 0});
    }

    ValueId made() {
        const auto& [down, across] = std::pair(m_extents[0], m_extents[1]);
        const Ints padding = {down.taps() - 1, across.taps() - 1, down.places() - down.size,
                              across.places() - across.size};
        const ValueId x =
            reshaped(m_rewriting.input(m_root, 0), {m_batch, m_channels, dim(down.size), dim(across.size)});
        const ValueId y = m_rewriting.add(
            OpId::Conv2dChannelLast, {m_rewriting.permuted(x, {0, 2, 3, 1}), weights()},
            {{"stride", Ints{1, 1}}, {"padding", padding}, {"dilations", Ints{1, 1}}, {"groups", std::int64_t{1}}});
        return reshaped(cut(interleaved(y)), m_rewriting.spec(m_rewriting.output(m_root)).shape);
    }

private:
    // A copy of the shape: what makes the value may move the one that it is taken from.
    ValueId reshaped(ValueId value, Shape shape) { return reshaped_to(m_rewriting, value, shape); }

    // [channels, features, kernel...] as [features and phases, channels, taps...], the last tap first.
    ValueId weights() {
        Shape apart = {m_channels, m_features};
        Dim made = m_features;
        for (const Extent& each : m_extents) {
            apart.insert(apart.end(), {dim(each.taps()), dim(each.stride)});
            made = simplified(ir::mul(made, dim(each.stride)));
        }
        const ValueId all = m_rewriting.permuted(reshaped(m_rewriting.input(m_root, 1), apart), {1, 3, 5, 0, 2, 4});
        const Shape whole = {made, m_channels, dim(m_extents[0].taps()), dim(m_extents[1].taps())};
        return m_rewriting.add(OpId::Flip, {reshaped(all, whole)}, {{"dims", Ints{2, 3}}});
    }

    // [batch, places..., features and phases] as [batch, features, places and phases...].
    ValueId interleaved(ValueId y) {
        Shape apart = {m_batch}, whole = {m_batch, m_features};
        for (const Extent& each : m_extents) {
            apart.push_back(dim(each.places()));
            whole.push_back(dim(each.places() * each.stride));
        }
        apart.insert(apart.end(), {m_features, dim(m_extents[0].stride), dim(m_extents[1].stride)});
        return reshaped(m_rewriting.permuted(reshaped(y, apart), {0, 3, 1, 4, 2, 5}), whole);
    }

    ValueId cut(ValueId y) {
        Shape starts, ends;
        Ints axes;
        for (std::size_t d = 0; d < m_extents.size(); ++d) {
            const Extent& each = m_extents[d];
            if (each.begin == 0 && each.made == each.places() * each.stride)
                continue;
            starts.push_back(dim(each.begin));
            ends.push_back(dim(each.begin + each.made));
            axes.push_back(static_cast<std::int64_t>(2 + d));
        }
        if (axes.empty())
            return y;
        return m_rewriting.add(OpId::StridedSlice, {y}, {{"starts", starts}, {"ends", ends}, {"axes", axes}});
    }

    Rewriting& m_rewriting;
    const NodeId m_root;
    std::vector<Extent> m_extents;
    const Dim m_batch, m_channels, m_features;
};

// By a scale for each channel, which goes into the weights first.
bool is_scaled_yet(const Rewriting& rewriting, ValueId y) {
    const auto& uses = rewriting.graph.value(y).uses;
    if (uses.size() != 1 || !rewriting.is(uses[0].node, OpId::Multiply))
        return false;
    return rewriting.is_constant(rewriting.input(uses[0].node, 0)) ||
           rewriting.is_constant(rewriting.input(uses[0].node, 1));
}

} // namespace

bool phases_of_transposed(Rewriting& rewriting, NodeId root) {
    if (!rewriting.options.target.is_cuda() || is_scaled_yet(rewriting, rewriting.output(root)))
        return false;
    auto extents = extents_of_transposed(rewriting, root);
    if (!extents)
        return false;
    Phases phases(rewriting, root, std::move(*extents));
    return rewriting.becomes(root, phases.made());
}

} // namespace hidet::graph
