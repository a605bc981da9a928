// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/onnx_node.h"

#include <cstdio>

#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

struct NodeRow {
    const char* name;
    bool (*run)(OnnxCall&);
};
constexpr NodeRow node_rows[] = {
#define HIDET_ONNX_NODE(name) {#name, onnx::name},
#include "runtime/operators/onnx_nodes.def"
#undef HIDET_ONNX_NODE
};

const NodeRow* row_of(Text name) {
    for (const NodeRow& row : node_rows)
        if (name == text(row.name))
            return &row;
    return nullptr;
}

struct Own { // "onnx.axis": attributes of the node have their names behind a word
    char name[64];
    explicit Own(const char* of) { std::snprintf(name, sizeof name, "onnx.%s", of); }
};

} // namespace

bool OnnxCall::open() {
    std::size_t next = 0;
    for (const std::int64_t is_there : call.integers("present")) {
        if (m_positions == most_inputs || (is_there && next == call.inputs.size()))
            return call.refuse("an operator of ONNX is given other operands than it says");
        m_inputs[m_positions++] = is_there ? &call.inputs[next++] : nullptr;
    }
    return next == call.inputs.size() || call.refuse("an operator of ONNX is given other operands than it says");
}

bool OnnxCall::wants(std::size_t least, std::size_t most, std::size_t results) {
    bool is_there = m_positions >= least && m_positions <= most && call.takes(0, most_inputs, results);
    for (std::size_t i = 0; i < least && is_there; ++i)
        is_there = m_inputs[i] != nullptr;
    return is_there || call.refuse("'", call.word("op"), "' is given operands that do not make its results");
}

const Attribute* OnnxCall::find(const char* name) const {
    return call.find(Own(name).name);
}

std::int64_t OnnxCall::integer(const char* name, std::int64_t otherwise) const {
    return call.integer(Own(name).name, otherwise);
}

Text OnnxCall::word(const char* name, const char* otherwise) const {
    return call.word(Own(name).name, otherwise);
}

bool OnnxCall::read(std::size_t position, List<std::int64_t>& values) {
    const Tensor* tensor = input(position);
    return tensor ? call.read(*tensor, values) : call.refuse("input ", position, " is missing");
}

bool OnnxCall::read_axes(std::size_t position, std::size_t rank, bool (&is_axis)[most_rank], bool& is_given) {
    List<std::int64_t> axes;
    is_given = input(position) != nullptr;
    if (is_given && !read(position, axes))
        return false;
    for (const std::int64_t given : axes) {
        std::size_t axis = 0;
        if (!call.axis(given, rank, axis))
            return false;
        if (is_axis[axis])
            return call.refuse("axis ", given, " is given twice");
        is_axis[axis] = true;
    }
    return true;
}

bool has_onnx_node(Text name) {
    return row_of(name) != nullptr;
}

namespace host_operator {

bool OnnxNode(Call& call) {
    OnnxCall node(call);
    const NodeRow* row = row_of(call.word("op"));
    if (!row)
        return package::refuse(call.problem(), Code::Unsupported, "'", call.word("op"),
                               "' is not an operator that packages have where its parameters are data");
    return node.open() && row->run(node);
}

} // namespace host_operator

} // namespace hidet::operators
