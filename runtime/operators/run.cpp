// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/onnx_node.h"
#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

constexpr bool (*functions[])(Call&) = {
#define HIDET_HOST_OPERATOR(name, text) host_operator::name,
#include "runtime/package/host_operators.def"
#undef HIDET_HOST_OPERATOR
};

} // namespace

bool run(Call& call) {
    return functions[static_cast<std::size_t>(call.op())](call);
}

bool has_operator(HostOperator op, Text onnx_op) {
    return op != HostOperator::OnnxNode || has_onnx_node(onnx_op);
}

} // namespace hidet::operators
