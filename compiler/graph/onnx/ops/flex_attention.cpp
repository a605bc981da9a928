// SPDX-License-Identifier: Apache-2.0
// Attention whose scores and shares the model changes by graphs of its own.
#include <cmath>

#include "compiler/graph/onnx/control.h"
#include "compiler/graph/onnx/ops/attention_parts.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

void check_flex_operands(const NodeCall& call) {
    for (std::size_t i = 0; i < 3; ++i)
        if (call.rank(i) != 4 || call.dtype(i) != call.dtype() || !ir::is_float(call.dtype(i)))
            throw OpError("input ", i, " is ", text_of(call.in(i)->spec),
                          ", where Q, K and V are of four dimensions and of one type of floats");
    const Shape& q = call.shape(0);
    const Shape& k = call.shape(1);
    const Shape& v = call.shape(2);
    if (differ(q[0], k[0]) || differ(q[3], k[3]) || differ(k[0], v[0]) || differ(k[1], v[1]) || differ(k[2], v[2]))
        throw OpError("Q, K and V are of shapes ", text_of(q), ", ", text_of(k), " and ", text_of(v),
                      ", which do not go together");
}

double flex_scale(const NodeCall& call) {
    const auto size = constant_of(call.shape()[3]);
    const double scale = call.f("scale", size && *size > 0 ? 1 / std::sqrt(static_cast<double>(*size)) : -1);
    if (!(scale >= 0) || std::isinf(scale))
        throw OpError("scale is ", std::to_string(scale), ", which is not a size");
    return scale;
}

} // namespace

Vals flex_attention(Importer& importer, NodeCall& call, const Scope& scope, const Opsets& opsets) {
    check_flex_operands(call);
    Attention attention;
    attention.q = call.in(0);
    attention.k = call.in(1);
    attention.v = call.in(2);
    attention.scale = flex_scale(call);
    const bool is_double = call.dtype() == ir::DType::F64;
    attention.softmax_dtype = call.type("softmax_precision", is_double ? Double : Float);
    if (!ir::is_float(*attention.softmax_dtype))
        throw OpError("softmax_precision is not a type of floats");
    const auto change = [&](const std::string& name) -> std::function<Val(const Val&)> {
        if (!call.has_attribute(name))
            return {};
        return [&, name](const Val& x) {
            const Vals results =
                run_body(importer, body_of(call, name), {x}, scope, inner_prefix(call, scope, name + "/"), opsets);
            if (results.size() != 1 || !results[0] || results[0]->items || results[0]->spec.dtype != x->spec.dtype ||
                results[0]->spec.shape.size() != 4)
                throw OpError(name, " does not make one tensor like the one that it gets, ", text_of(x->spec));
            if (differ(results[0]->spec.shape, x->spec.shape))
                throw OpError(name, " makes ", text_of(results[0]->spec), " of ", text_of(x->spec));
            return results[0];
        };
    };
    attention.change_scores = change("score_mod");
    attention.change_shares = change("prob_mod");
    return {attend(call, attention).y};
}

} // namespace hidet::graph::onnx
