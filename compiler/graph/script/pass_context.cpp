// SPDX-License-Identifier: Apache-2.0
// Settings of upstream's that change nothing here say so, or are refused where a script would rely on them.
#include "compiler/graph/script/pass_context.h"

#include <algorithm>

#include "compiler/artifact/asked_gpu.h"
#include "compiler/graph/passes/instruments.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/modules.h"
#include "compiler/graph/script/values.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"
#include "lang/host/modules/distributed.h"
#include "lang/host/options.h"

namespace hidet::graph {

namespace {

using lang::without_effect;

class PassContextValue : public lang::NativeObject {
public:
    explicit PassContextValue(ScriptGraphs& graphs) : graphs(graphs) {}
    std::string type_name() const override { return "PassContext"; }
    std::vector<std::string> attributes() const override;
    std::unique_ptr<HostValue> attribute(Evaluator&, std::string_view name, Span) override;
    std::unique_ptr<HostValue> enter(Evaluator&, Span) override {
        graphs.contexts.push_back(settings);
        ++m_entered;
        return std::make_unique<HostValue>(HostValue::extension(Ref<NativeObject>(this)));
    }
    void exit(Evaluator&, Span) override {
        graphs.contexts.pop_back();
        --m_entered;
    }
    // Settings after the `with` line change those of the block.
    void changed() {
        if (m_entered > 0)
            graphs.contexts.back() = settings;
    }

    ScriptGraphs& graphs;
    PassSettings settings;

private:
    int m_entered = 0;
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

void set_precision(PassContextValue& self, Evaluator&, const Args& args, Span span) {
    const Arguments a(args, span, "set_precision", {"dtype="});
    self.settings.options.precision = a.given(0) ? one_of(a, {"float16", "bfloat16", "tf32", "float32"}) : "";
}
void set_reduce_precision(PassContextValue&, Evaluator& evaluator, const Args& args, Span span) {
    const Arguments a(args, span, "set_reduce_precision", {"dtype="});
    if (a.given(0) && one_of(a, {"float16", "float32"}) == "float16")
        without_effect(evaluator, a.span(0), "set_reduce_precision", "sums of half precision are kept in float32");
}
void set_mma(PassContextValue& self, Evaluator&, const Args& args, Span span) {
    const Arguments a(args, span, "set_mma", {"mma"});
    self.settings.options.mma = one_of(a, {"simt", "mma"});
}
void set_parallel_k(PassContextValue& self, Evaluator&, const Args& args, Span span) {
    const Arguments a(args, span, "set_parallel_k", {"disabled=", "default=", "search=", "nparts="});
    if (a.boolean(2, false))
        fail(DiagId::OperatorRefused, a.span(2), "parts of sums are not tuned: take 'default', or give 'nparts'");
    const bool is_off = a.boolean(0, false);
    if (a.given(3) && !a[3].is(ValueKind::None) && a.integer(3) < 1)
        fail(DiagId::BadValue, a.span(3), cat("a sum of ", a.integer(3), " parts"));
    const bool has_parts = a.given(3) && !a[3].is(ValueKind::None);
    if (is_off && (has_parts || a.boolean(1, false)))
        fail(DiagId::BadValue, a.span(0), "sums that are split are not 'disabled'");
    self.settings.options.parallel_k = has_parts             ? std::to_string(a.integer(3))
                                       : a.boolean(1, false) ? "default"
                                                             : "disabled";
}
void set_verbose(PassContextValue& self, Evaluator&, const Args&, Span) {
    self.settings.is_verbose = true;
}
void switch_off(PassContextValue& self, Evaluator&, const Args& args, Span span) {
    self.settings.options.off.push_back(Arguments(args, span, "switch_off", {"name"}).str(0));
}
void switch_on(PassContextValue& self, Evaluator&, const Args& args, Span span) {
    self.settings.options.on.push_back(Arguments(args, span, "switch_on", {"name"}).str(0));
}
void save_graph_instrument(PassContextValue&, Evaluator& evaluator, const Args& args, Span span) {
    const Arguments a(args, span, "save_graph_instrument", {"out_dir"});
    (void)a.str(0);
    without_effect(
        evaluator, span, "save_graph_instrument",
        "scripts write no files but packages; 'hidetc model show MODEL --all' prints the graph after each pass");
}
void profile_pass_instrument(PassContextValue& self, Evaluator& evaluator, const Args& args, Span span) {
    const Arguments a(args, span, "profile_pass_instrument", {"log_file=", "print_stdout="});
    if (a.given(0) && !a[0].is(ValueKind::None) && !a.str(0).empty())
        without_effect(evaluator, a.span(0), "log_file",
                       "scripts write no files but packages; 'print_stdout=True' prints the times of the passes");
    self.settings.prints_profile = a.boolean(1, false);
}
void reduce_cuda_compile_mem(PassContextValue&, Evaluator& evaluator, const Args& args, Span span) {
    const Arguments a(args, span, "reduce_cuda_compile_mem", {"enable="});
    if (!a.boolean(0, true))
        without_effect(evaluator, a.span(0), "reduce_cuda_compile_mem",
                       "constants always stay in the memory of the host until the graph runs");
}
void allow_source_graph_removal(PassContextValue&, Evaluator& evaluator, const Args& args, Span span) {
    const Arguments a(args, span, "allow_source_graph_removal", {"allow="});
    if (a.boolean(0, true))
        without_effect(evaluator, span, "allow_source_graph_removal",
                       "the graph that was given stays as it is, and shares its constants");
}
void quantize_weights(PassContextValue& self, Evaluator&, const Args& args, Span span) {
    const Arguments a(args, span, "quantize_weights", {"kind", "limit="});
    self.settings.options.quantize = one_of(a, {"int8", "int4", "fp8"});
    const double limit = a.given(1) && !a[1].is(ValueKind::None) ? a.real(1) : 0;
    if (limit < 0)
        fail(DiagId::BadValue, a.span(1), cat("a relative error of ", limit));
    self.settings.options.quantize_limit = limit;
}
void add_quantize_rules(PassContextValue&, Evaluator&, const Args& args, Span span) {
    const Arguments a(args, span, "add_quantize_rules", {"patterns"});
    if (!a[0].is(ValueKind::None))
        fail(DiagId::OperatorRefused, a.span(0),
             "rules that rewrite a graph are not taken: 'quantize_weights' stores weights in few bits");
}

std::int64_t number_of_group(const Arguments& a, std::size_t i) {
    const auto* group = a.given(i) ? a[i].extension<lang::GroupObject>() : nullptr;
    if (a.given(i) && !a[i].is(ValueKind::None) && !group)
        a.wrong_type(i, "a process group");
    return group ? group->number() : 0;
}
constexpr std::int64_t most_parts_of_batch = 64; // each has operators of its own

void set_mesh(PassContextValue& self, Evaluator& evaluator, const Args& args, Span span) {
    const Arguments a(
        args, span, "set_mesh",
        {"data=", "tensor=", "pipe=", "replica_group=", "batch_group=", "group_before=", "group_behind=", "parts="});
    const auto count = [&](std::size_t i) { return a.given(i) ? a.integer(i) : 1; };
    const std::int64_t data = count(0), tensor = count(1), pipe = count(2);
    const HostValue module = evaluator.import("hidet.distributed", span);
    const auto asked = [&](const char* name) {
        return evaluator.call(evaluator.attribute(module, name, span), {}, span).as_int();
    };
    const std::int64_t size = asked("get_world_size"), rank = asked("get_rank");
    if (pipe > 1 && (data != 1 || tensor != 1))
        fail(DiagId::BadValue, span,
             "stages of a pipeline are one process each: 'pipe' goes without 'data' and 'tensor'");
    const std::int64_t in_replica = std::max(tensor, pipe);
    if (data < 1 || tensor < 1 || pipe < 1 || size % data != 0 || size / data != in_replica)
        fail(
            DiagId::BadValue, span,
            cat("a mesh of ", data, " x ", in_replica, " is not one of ", size, size == 1 ? " process" : " processes"));
    Processes mesh{static_cast<int>(size), static_cast<int>(rank), static_cast<int>(data), number_of_group(a, 3),
                   number_of_group(a, 4),  static_cast<int>(pipe), number_of_group(a, 5),  number_of_group(a, 6)};
    if (a.given(7) && (pipe == 1 || a.integer(7) < 1 || a.integer(7) > most_parts_of_batch))
        fail(DiagId::BadValue, span,
             cat("'parts' is of the batch that stages of a pipeline work on: 1 to ", most_parts_of_batch,
                 ", with 'pipe'"));
    mesh.parts = a.given(7) ? static_cast<int>(a.integer(7)) : 0;
    if (data > 1 && tensor > 1 && (mesh.replica_group == 0 || mesh.batch_group == 0))
        fail(DiagId::BadValue, span,
             "a mesh of two axes has a group for each: 'replica_group' of the processes that share a replica, and "
             "'batch_group' of those at one place in all replicas");
    const bool lacks_before = rank > 0 && mesh.group_before == 0,
               lacks_behind = rank + 1 < size && mesh.group_behind == 0;
    if (pipe > 1 && (lacks_before || lacks_behind))
        fail(DiagId::BadValue, span,
             "a stage of a pipeline has a group of two with each neighbour: 'group_before' with the stage before it, "
             "and "
             "'group_behind' with the one behind it");
    self.settings.options.processes = mesh;
}

struct Setting {
    std::string_view name;
    void (*set)(PassContextValue&, Evaluator&, const Args&, Span);
};
constexpr Setting settings_table[] = {
#define HIDET_PASS_SETTING(name, effect) {#name, name},
#include "compiler/graph/script/pass_settings.def"
#undef HIDET_PASS_SETTING
};

std::vector<std::string> PassContextValue::attributes() const {
    std::vector<std::string> names = {"instruments"};
    for (const Setting& setting : settings_table)
        names.emplace_back(setting.name);
    return names;
}

std::unique_ptr<HostValue> PassContextValue::attribute(Evaluator&, std::string_view name, Span) {
    if (name == "instruments")
        return std::make_unique<HostValue>(settings.instruments);
    for (const Setting& setting : settings_table)
        if (name == setting.name)
            return std::make_unique<HostValue>(
                HostValue::native(std::string(name), [self = Ref<PassContextValue>(this),
                                                      &setting](Evaluator& evaluator, Args& args, Span span) {
                    setting.set(*self, evaluator, args, span);
                    self->changed();
                    return HostValue::extension(Ref<NativeObject>(self));
                }));
    return nullptr;
}

// Objects with before_all_passes, before_pass, after_pass, after_all_passes, as far as they have them.
class ScriptInstruments : public GraphInstrument {
public:
    ScriptInstruments(Evaluator& evaluator, const HostValue& list, Span span) : m_evaluator(evaluator), m_span(span) {
        if (list.is(ValueKind::List))
            m_objects = list.items();
    }
    bool empty() const { return m_objects.empty(); }
    void before(const GraphPassInfo& pass, const Graph& graph) override {
        tell("before_pass", {HostValue::str(pass.name)}, graph);
    }
    void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord&) override {
        tell("after_pass", {HostValue::str(pass.name)}, graph);
    }
    void tell(std::string_view method, std::vector<HostValue> first, const Graph& graph) {
        if (m_objects.empty())
            return;
        first.push_back(flow_graph_value(m_evaluator, std::make_shared<ScriptGraph>(ScriptGraph{graph, std::nullopt})));
        for (const HostValue& object : m_objects)
            m_evaluator.impl().call_method(object, method, first, m_span);
    }

private:
    Evaluator& m_evaluator;
    const Span m_span;
    std::vector<HostValue> m_objects;
};

std::string applications_text(const Optimised& optimised) {
    std::string text;
    for (const PassRecord& record : optimised.records)
        for (const Match& match : record.matches)
            text += cat(record.pass, ": ", match.rule, match.note.empty() ? "" : ", " + match.note, "\n");
    return text;
}

} // namespace

PassSettings pass_settings(ScriptGraphs& graphs, Evaluator& evaluator, Span span) {
    PassSettings settings = graphs.contexts.empty() ? PassSettings() : graphs.contexts.back();
    const HostValue* parallel = evaluator.impl().option_values.find("parallel_k");
    if (parallel && parallel->is(ValueKind::Str) && settings.options.parallel_k == "disabled")
        settings.options.parallel_k = parallel->as_str();
    if (settings.options.parallel_k == "search")
        without_effect(evaluator, span, "parallel_k",
                       "parts of sums are not searched for: with 'search' they stay whole");
    settings.options.cancelled = evaluator.options().cancelled;
    return settings;
}

artifact::TargetSpec gpu_of(ScriptGraphs& graphs, Evaluator& evaluator, Span span) {
    const std::string name = lang::module_options(evaluator).gpu;
    const artifact::TargetSpec& present = evaluator.engine() ? graphs.engine(evaluator).gpu() : artifact::default_gpu();
    const std::optional<artifact::TargetSpec> asked = artifact::asked_gpu(name, present);
    if (!asked)
        fail(DiagId::NoSuchArch, span, name);
    return *asked;
}

Optimised optimise(Evaluator& evaluator, Graph& graph, const PassSettings& settings, Span span) {
    ScriptInstruments told(evaluator, settings.instruments, span);
    std::vector<GraphInstrument*> instruments;
    if (!told.empty())
        instruments.push_back(&told);
    told.tell("before_all_passes", {}, graph);
    Optimised result = optimise(graph, settings.options, instruments);
    told.tell("after_all_passes", {}, graph);
    if (settings.is_verbose)
        evaluator.print(applications_text(result));
    if (settings.prints_profile)
        evaluator.print(profile_text(result.records));
    return result;
}

HostValue make_pass_context(ScriptGraphs& graphs, Evaluator& evaluator) {
    Ref<PassContextValue> context(new PassContextValue(graphs));
    context->settings.instruments = evaluator.new_list({});
    return HostValue::extension(context);
}

} // namespace hidet::graph
