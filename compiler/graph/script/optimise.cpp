// SPDX-License-Identifier: Apache-2.0
// hidet.graph.optimize and PassContext: settings hold inside of its `with` block.
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/values.h"
#include "lang/base/text.h"
#include "lang/host/arguments.h"
#include "lang/host/evaluator.h"

namespace hidet::graph {

namespace {

using lang::Args;
using lang::Arguments;
using lang::Evaluator;
using lang::ValueKind;
using HostValue = lang::Value;

class PassContextValue : public lang::NativeObject {
public:
    explicit PassContextValue(ScriptGraphs& graphs) : graphs(graphs) {}
    std::string type_name() const override { return "PassContext"; }
    std::vector<std::string> attributes() const override;
    std::unique_ptr<HostValue> attribute(Evaluator&, std::string_view name, Span) override;
    std::unique_ptr<HostValue> enter(Evaluator&, Span) override {
        graphs.contexts.push_back(options);
        return std::make_unique<HostValue>(HostValue::extension(Ref<NativeObject>(this)));
    }
    void exit(Evaluator&, Span) override { graphs.contexts.pop_back(); }
    // Settings after the `with` line change those of the block.
    void changed() {
        if (!graphs.contexts.empty())
            graphs.contexts.back() = options;
    }

    ScriptGraphs& graphs;
    GraphOptions options;
};

std::string one_of(const Arguments& a, std::initializer_list<std::string_view> known) {
    if (a[0].is(ValueKind::None))
        return {};
    if (a[0].is(ValueKind::Type)) // hidet.float16
        if (const auto dtype = ir::scalar_of(a[0].as_type()))
            return ir::info(*dtype).name;
    const std::string& text = a.str(0);
    std::string names;
    for (std::string_view name : known) {
        if (text == name)
            return text;
        names += cat(names.empty() ? "'" : ", '", name, "'");
    }
    a.wrong_type(0, cat("one of ", names));
}

void set_precision(PassContextValue& self, const Args& args, Span span) {
    const Arguments a(args, span, "set_precision", {"dtype="});
    self.options.precision = a.given(0) ? one_of(a, {"float16", "bfloat16", "float32", "int8"}) : "";
}
void set_reduce_precision(PassContextValue& self, const Args& args, Span span) {
    const Arguments a(args, span, "set_reduce_precision", {"dtype="});
    self.options.reduce_precision = a.given(0) ? one_of(a, {"float16", "float32"}) : "";
}
void set_mma(PassContextValue& self, const Args& args, Span span) {
    self.options.mma = one_of(Arguments(args, span, "set_mma", {"mma"}), {"simt", "mma"});
}
void set_parallel_k(PassContextValue& self, const Args& args, Span span) {
    const Arguments a(args, span, "set_parallel_k", {"disabled=", "default=", "search=", "nparts="});
    self.options.parallel_k = a.given(3) ? std::to_string(a.integer(3)) : a.boolean(1, false) ? "default" : "disabled";
}
void set_verbose(PassContextValue&, const Args&, Span) {}
void switch_off(PassContextValue& self, const Args& args, Span span) {
    self.options.off.push_back(Arguments(args, span, "switch_off", {"name"}).str(0));
}

struct Setting {
    std::string_view name;
    void (*set)(PassContextValue&, const Args&, Span);
};
constexpr Setting settings[] = {
    {"set_precision", set_precision},
    {"set_reduce_precision", set_reduce_precision},
    {"set_mma", set_mma},
    {"set_parallel_k", set_parallel_k},
    {"set_verbose", set_verbose},
    {"switch_off", switch_off},
};

std::vector<std::string> PassContextValue::attributes() const {
    std::vector<std::string> names;
    for (const Setting& setting : settings)
        names.emplace_back(setting.name);
    return names;
}

std::unique_ptr<HostValue> PassContextValue::attribute(Evaluator&, std::string_view name, Span) {
    for (const Setting& setting : settings)
        if (name == setting.name)
            return std::make_unique<HostValue>(HostValue::native(
                std::string(name), [self = Ref<PassContextValue>(this), &setting](Evaluator&, Args& args, Span span) {
                    setting.set(*self, args, span);
                    self->changed();
                    return HostValue::extension(Ref<NativeObject>(self));
                }));
    return nullptr;
}

HostValue optimise_value(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    Arguments a(args, span, "optimize", {"graph"});
    const ScriptGraph* source = flow_graph_of(a[0]);
    if (!source)
        a.wrong_type(0, "a graph");
    auto result = std::make_shared<ScriptGraph>(*source);
    GraphOptions options = graphs.contexts.empty() ? GraphOptions() : graphs.contexts.back();
    options.cancelled = evaluator.options().cancelled;
    for (ValueId input : result->graph.inputs)
        if (result->graph.value(input).device == lang::Device::Cuda)
            options.target = Target::Cuda;
    try {
        result->partition = optimise(result->graph, options).partition;
    } catch (const OpError& error) {
        fail(DiagId::OperatorRefused, span, error.what());
    }
    return flow_graph_value(std::move(result));
}

} // namespace

void add_graphs(ScriptGraphs& graphs, Evaluator&, lang::HostModule& module) {
    module.function("optimize", [&graphs](Evaluator& evaluator, Args& args, Span span) {
        return optimise_value(graphs, evaluator, args, span);
    });
    module.function("PassContext", [&graphs](Evaluator&, Args& args, Span span) {
        Arguments(args, span, "PassContext", {});
        return HostValue::extension(Ref<lang::NativeObject>(new PassContextValue(graphs)));
    });
}

} // namespace hidet::graph
