// SPDX-License-Identifier: Apache-2.0
// The same elements in another shape.
#include "runtime/operators/onnx_node.h"

namespace hidet::operators::onnx {

namespace {

bool give_reshaped(OnnxCall& node, const Extents& shape) {
    const Tensor& x = *node.input(0);
    unsigned char* to = node.call.result(0, x.element, shape);
    if (to)
        copy(to, x.data, static_cast<std::size_t>(count_of(x) * package::scalar_bytes(x.element)));
    return to != nullptr;
}

bool read_shape(OnnxCall& node, std::size_t position, Extents& shape) {
    List<std::int64_t> wanted;
    if (!node.read(position, wanted))
        return false;
    if (wanted.size() > most_rank)
        return node.call.refuse("a shape of ", wanted.size(), " dimensions");
    for (const std::int64_t extent : wanted)
        shape.add(extent);
    return true;
}

} // namespace

bool Reshape(OnnxCall& node) {
    Extents wanted;
    if (!node.wants(2, 2, 1) || !read_shape(node, 1, wanted))
        return false;
    const Tensor& x = *node.input(0);
    const bool allows_zero = node.integer("allowzero", 0) != 0;
    std::size_t open = most_rank;
    // Extents that are kept cancel, also where one of them is 0.
    std::int64_t have = 1, others = 1;
    bool is_kept[most_rank] = {};
    for (std::size_t d = 0; d < wanted.rank; ++d) {
        if (wanted[d] == 0 && !allows_zero) {
            if (d >= x.rank)
                return node.call.refuse("dimension ", d, " is to be kept, and ", words_of(extents_of(x)), " has none");
            wanted[d] = x.extents[d];
            is_kept[d] = true;
        } else if (wanted[d] == -1) {
            if (open < most_rank)
                return node.call.refuse("the shape ", words_of(wanted), " has more than one -1");
            open = d;
        } else if (wanted[d] < 0) {
            return node.call.refuse("the shape ", words_of(wanted), " has a negative dimension");
        } else if (__builtin_mul_overflow(others, wanted[d], &others)) {
            return node.call.refuse("the shape ", words_of(wanted), " is too large");
        }
    }
    for (std::size_t d = 0; d < x.rank; ++d)
        if (!is_kept[d])
            have *= x.extents[d];
    if (open < most_rank) {
        if (others == 0)
            return node.call.refuse("the -1 of the shape cannot be found: the other dimensions have no elements");
        wanted[open] = have / others;
        others *= wanted[open];
    }
    if (have != others)
        return node.call.refuse("a tensor of shape ", words_of(extents_of(x)), " cannot be reshaped to ",
                                words_of(wanted));
    return give_reshaped(node, wanted);
}

bool Squeeze(OnnxCall& node) {
    bool is_axis[most_rank] = {}, is_given = false;
    Extents shape;
    if (!node.wants(1, 2, 1) || !node.read_axes(1, node.input(0)->rank, is_axis, is_given))
        return false;
    const Tensor& x = *node.input(0);
    for (std::size_t d = 0; d < x.rank; ++d) {
        const bool is_dropped = is_given ? is_axis[d] : x.extents[d] == 1;
        if (!is_dropped)
            shape.add(x.extents[d]);
        else if (x.extents[d] != 1)
            return node.call.refuse("dimension ", d, " of ", words_of(extents_of(x)), " is not 1");
    }
    return give_reshaped(node, shape);
}

bool Unsqueeze(OnnxCall& node) {
    List<std::int64_t> axes;
    bool is_axis[most_rank] = {}, is_given = false;
    Extents shape;
    if (!node.wants(2, 2, 1) || !node.read(1, axes))
        return false;
    const Tensor& x = *node.input(0);
    const std::size_t rank = x.rank + axes.size();
    if (rank > most_rank)
        return node.call.refuse("a tensor of ", rank, " dimensions");
    if (!node.read_axes(1, rank, is_axis, is_given))
        return false;
    std::size_t next = 0;
    for (std::size_t d = 0; d < rank; ++d)
        shape.add(is_axis[d] ? 1 : x.extents[next++]);
    return give_reshaped(node, shape);
}

bool ConstantOfShape(OnnxCall& node) {
    Extents shape;
    if (!node.wants(1, 1, 1) || !read_shape(node, 0, shape))
        return false;
    const Attribute* value = node.find("value");
    const unsigned char zero[8] = {};
    Tensor from{Element::F32, nullptr, 0, zero};
    if (value && value->tensor.data && count_of(value->tensor) == 1)
        from = value->tensor;
    return give_moved(node.call, 0, from, shape, nullptr, [](const Extents&) { return 0; });
}

} // namespace hidet::operators::onnx
