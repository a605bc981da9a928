// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/modules.h"

#include <algorithm>

#include "compiler/graph/script/eager.h"
#include "compiler/graph/script/model_operators.h"
#include "compiler/graph/script/parameters.h"
#include "compiler/graph/script/patterns.h"
#include "compiler/graph/script/rules.h"
#include "compiler/graph/script/signatures.h"
#include "compiler/graph/script/templates.h"
#include "compiler/graph/script/values.h"
#include "lang/host/arguments.h"
#include "lang/host/evaluator.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::graph {

namespace {

using lang::Args;
using lang::Evaluator;
using HostValue = lang::Value;

struct Row {
    std::string_view module;
    void (*add)(ScriptGraphs&, Evaluator&, lang::HostModule&);
};

constexpr Row rows[] = {
    {"hidet", add_tracing},
    {"hidet", add_operator_class},
    {"hidet", add_task_class},
    {"hidet", add_packages},
    {"hidet", add_graph_files},
    {"hidet.distributed", keep_symbolic_tensors},
    {"hidet.distributed.functional", add_functional_collectives},
    {"hidet.driver", add_build_task},
    {"hidet.drivers", add_build_task},
    {"hidet", add_templates},
    {"hidet.graph", add_tracing},
    {"hidet.graph", add_graphs},
    {"hidet.graph", add_operator_class},
    {"hidet.graph", add_graph_files},
    {"hidet.graph.flow_graph", add_tracing},
    {"hidet.graph.flow_graph", add_graph_files},
    {"hidet.graph.flow_graph", add_graphs},
    {"hidet.graph.frontend", add_frontend},
    {"hidet.graph.frontend.onnx", add_frontend},
    {"hidet.graph.frontend.onnx", add_model_operators},
    {"hidet.graph.operator", add_operator_class},
    {"hidet.graph.ops", add_operators},
    {"hidet.graph.ops", add_composed},
    {"hidet.graph.ops", add_opaque_class},
    {"hidet.graph.ops.activation", add_operator_classes},
    {"hidet.graph.ops.arithmetic", add_operator_classes},
    {"hidet.graph.ops.attention", add_operator_classes},
    {"hidet.graph.ops.compare", add_operator_classes},
    {"hidet.graph.ops.conv1d", add_operator_classes},
    {"hidet.graph.ops.conv2d", add_operator_classes},
    {"hidet.graph.ops.conv3d", add_operator_classes},
    {"hidet.graph.ops.cumulative", add_operator_classes},
    {"hidet.graph.ops.image", add_operator_classes},
    {"hidet.graph.ops.matmul", add_operator_classes},
    {"hidet.graph.ops.normalize", add_operator_classes},
    {"hidet.graph.ops.opaque", add_opaque_class},
    {"hidet.graph.ops.pool", add_operator_classes},
    {"hidet.graph.ops.reduce", add_operator_classes},
    {"hidet.graph.ops.softmax", add_operator_classes},
    {"hidet.graph.ops.transform", add_operator_classes},
    {"hidet.graph.ops.utils", add_compute},
    {"hidet.graph.tensor", add_tracing},
    {"hidet.graph.transforms", add_rules},
    {"hidet.graph.transforms", add_passes},
    {"hidet.graph.transforms.graph_patterns", add_rules},
    {"hidet.graph.transforms.resolve_variant", add_rules},
    {"hidet.ir.compute", add_compute},
    {"hidet.ir.library.tune", add_tune},
    {"hidet.ir.task", add_compute},
    {"hidet.ops", add_operators},
    {"hidet.ops", add_composed},
    {"hidet.runtime", add_packages},
    {"hidet.tune", add_tune},
};

bool has_symbolic(const Args& args) {
    const auto is_symbolic = [](const HostValue& value) { return value.extension<SymbolicTensor>() != nullptr; };
    return std::ranges::any_of(args.positional, is_symbolic) ||
           std::ranges::any_of(args.keywords, [&](const auto& item) { return is_symbolic(item.second); });
}

HostValue symbol(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    lang::Arguments a(args, span, "symbol", {"shape", "dtype=", "device="});
    TensorSpec spec{ir::DType::F32, symbolic_shape(evaluator, a[0], a.span(0))};
    if (a.given(1))
        spec.dtype = lang::dtype_argument(a[1], a.span(1));
    const Device device = a.given(2) ? lang::device_argument(a[2], a.span(2)) : Device::Cpu;
    return graphs.symbolic(graphs.traced.add_input("", std::move(spec), device));
}

HostValue symbol_like(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    lang::Arguments a(args, span, "symbol_like", {"data", "shape=", "dtype=", "device="});
    TensorSpec spec;
    Device device = Device::Cpu;
    if (const auto* like = a[0].extension<SymbolicTensor>()) {
        spec = like->value().spec;
        device = like->value().device;
    } else if (a[0].is(lang::ValueKind::Tensor)) {
        spec = {a[0].as_tensor()->dtype, shape_of(a[0].as_tensor()->shape)};
        device = a[0].as_tensor()->device;
    } else {
        a.wrong_type(0, "a tensor");
    }
    if (a.given(1))
        spec.shape = symbolic_shape(evaluator, a[1], a.span(1));
    if (a.given(2))
        spec.dtype = lang::dtype_argument(a[2], a.span(2));
    if (a.given(3))
        device = lang::device_argument(a[3], a.span(3));
    return graphs.symbolic(graphs.traced.add_input("", std::move(spec), device));
}

} // namespace

void extend_module(ScriptGraphs& graphs, Evaluator& evaluator, lang::HostModule& module) {
    for (const Row& row : rows)
        if (row.module == module.name)
            row.add(graphs, evaluator, module);
}

void add_operators(ScriptGraphs& graphs, Evaluator&, lang::HostModule& module) {
    for (const OpInfo* op : all_ops()) {
        if (!*op->python)
            continue;
        // What tensors with data have as methods is computed as they compute it.
        const HostValue* eager = module.table.find(op->python);
        module.function(op->python, [&graphs, op, eager = eager ? *eager : HostValue()](Evaluator& evaluator,
                                                                                        Args& args, Span span) {
            if (eager.is(lang::ValueKind::None) || has_symbolic(args) || args.asks_signature ||
                compiles_operators(evaluator) || !signature_of(*op).is_own)
                return graphs.call(evaluator, *op, args, span);
            return evaluator.call(eager, args, span);
        });
    }
}

void add_tracing(ScriptGraphs& graphs, Evaluator& evaluator, lang::HostModule& module) {
    module.function("symbol", with_graphs(graphs, symbol));
    module.function("symbol_like", with_graphs(graphs, symbol_like));
    module.function("trace_from", with_graphs(graphs, trace_from));
    module.add("FlowGraph", flow_graph_class(evaluator));
}

} // namespace hidet::graph
