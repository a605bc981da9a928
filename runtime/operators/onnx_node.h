// SPDX-License-Identifier: Apache-2.0
// A node of an ONNX model whose parameters (a shape, axes, a count) are data: operators of ONNX, run as they are.
#pragma once

#include "runtime/operators/call.h"

namespace hidet::operators {

class OnnxCall {
public:
    static constexpr std::size_t most_inputs = 64;

    explicit OnnxCall(Call& call) : call(call) {}
    bool open(); // finds the operands

    Call& call;

    // Null: not given.
    const Tensor* input(std::size_t position) const { return position < most_inputs ? m_inputs[position] : nullptr; }
    std::size_t positions() const { return m_positions; }
    bool wants(std::size_t least, std::size_t most, std::size_t results); // operands: positions
    std::int64_t integer(const char* name, std::int64_t otherwise) const;
    Text word(const char* name, const char* otherwise) const;
    const Attribute* find(const char* name) const; // of the node
    bool read(std::size_t position, List<std::int64_t>& values);
    // Of the first operand: as dimensions, each once. Nothing is given: `is_given` is false.
    bool read_axes(std::size_t position, std::size_t rank, bool (&is_axis)[most_rank], bool& is_given);

private:
    const Tensor* m_inputs[most_inputs] = {};
    std::size_t m_positions = 0;
};

// Writes each element of a result by the number of the element that it is of the operand, or below zero the one at `fill`.
bool give_moved(Call& call, std::size_t result, const Tensor& from, const Extents& shape, const unsigned char* fill,
                auto&& source) {
    unsigned char* to = call.result(result, from.element, shape);
    if (!to)
        return false;
    const auto bytes = static_cast<std::size_t>(package::scalar_bytes(from.element));
    std::int64_t count = 1;
    for (std::size_t d = 0; d < shape.rank; ++d)
        count *= shape[d];
    Extents place = shape;
    for (std::size_t d = 0; d < shape.rank; ++d)
        place[d] = 0;
    for (std::int64_t i = 0; i < count; ++i, to += bytes) {
        const std::int64_t element = source(place);
        std::memcpy(to, element < 0 ? fill : from.data + static_cast<std::size_t>(element) * bytes, bytes);
        for (std::size_t d = shape.rank; d-- > 0 && ++place[d] == shape[d];)
            place[d] = 0;
    }
    return true;
}

bool has_onnx_node(Text name);

namespace onnx {

#define HIDET_ONNX_NODE(name) bool name(OnnxCall& node);
#include "runtime/operators/onnx_nodes.def"
#undef HIDET_ONNX_NODE

} // namespace onnx

} // namespace hidet::operators
