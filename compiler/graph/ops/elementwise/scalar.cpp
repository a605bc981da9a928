// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops/elementwise/pointwise.h"
#include "compiler/ir/ops.h"

namespace hidet::graph {

namespace {

using ir::ExprRef;

Task define_scalar(const OpCall& call, const char* name, const Binary& value) {
    const Attribute* scalar = call.attributes.find("scalar");
    HIDET_CHECK(scalar, name);
    return define_unary(call, name,
                        [&](const ExprRef& x) { return value(x, scalar_operand(*scalar, scalar_dtype(x))); });
}

} // namespace

#define HIDET_SCALAR(Name, line, text, value)                                                                          \
    const OpInfo& op_info::Name() {                                                                                    \
        static const OpInfo info = {                                                                                   \
            .id = OpId::Name,                                                                                          \
            .python = "",                                                                                              \
            .parameters = "x, scalar: number",                                                                         \
            .cls = OpClass::Elementwise,                                                                               \
            .summary = text,                                                                                           \
            .example = line,                                                                                           \
            .define =                                                                                                  \
                [](const OpCall& call) {                                                                               \
                    return define_scalar(call, #Name, [](const ExprRef& x, const ExprRef& s) { return value; });       \
                },                                                                                                     \
        };                                                                                                             \
        return info;                                                                                                   \
    }
#include "compiler/graph/ops/elementwise/scalar.def"
#undef HIDET_SCALAR

} // namespace hidet::graph
