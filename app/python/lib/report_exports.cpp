// SPDX-License-Identifier: Apache-2.0
// What Python shows of kernels: calls that are watched, and what was seen as tables, pictures and pages.
#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include "app/python/lib/call_watch.h"
#include "app/python/lib/entered.h"
#include "app/session/explain/cost.h"
#include "app/session/explain/findings.h"
#include "app/session/explain/found_kernel.h"
#include "app/session/figure/json.h"
#include "app/session/figure/svg.h"
#include "app/session/figure/table.h"
#include "app/session/forms/maker.h"
#include "app/session/picture/pictures.h"
#include "app/session/report/kernel_part.h"
#include "compiler/ir/text/print.h"
#include "lang/host/compiled_module.h"
#include "lang/host/evaluator.h"

namespace hidet::python {

namespace ffi = tvm::ffi;
using namespace hidet::session;
using ffi::Any;
using ffi::AnyView;

namespace {

// What calls would cost, read off the kernels that they launch; nothing runs.
class Explanation : public CallWatch {
public:
    // Of the GPU that is computed on, if there is one. Both outlive this.
    Explanation(Work& work, const RunRequest& request, const artifact::TargetSpec* gpu) : m_work(work), m_gpu(gpu) {
        m_request.tools = request.tools;
        m_request.contracts = request.contracts;
        if (gpu)
            m_request.arch = artifact::architecture_name(gpu->arch);
    }
    bool call(Executable& module, const FunctionCall& call, ReturnValue&, DiagnosticSink&) override {
        add(module.script, {{module.script, call.function, call.args, call.site}});
        return true;
    }
    // All kernels of a module, of sizes that nobody says, or those of its calls. Diagnostics go to the work's sink.
    void add(const ir::ModuleRef& script, const std::vector<lang::RecordedCall>& calls = {}) {
        const artifact::TargetSpec target = m_gpu ? *m_gpu : target_of(m_request, *script);
        Lowered& known = m_lowered[script.get()];
        if (!known.script)
            known = {script, lowered_for_analysis(m_work, script, target)};
        const ir::ModuleRef& lowered = known.module;
        if (!lowered)
            return;
        std::vector<FoundKernel> kernels = kernels_in(static_cast<int>(m_lowered.size()), script, lowered, calls);
        std::erase_if(kernels, [&](const FoundKernel& found) {
            return !calls.empty() && found.host != calls.front().function &&
                   found.kernel->name != calls.front().function;
        });
        add_maps(m_work, kernels);
        for (const FoundKernel& found : kernels) {
            KernelExplained out = explained_kernel(found, m_work.sources, target, true);
            add_machine_code(m_work, m_request, script, *found.kernel, found.sizes, *out.cost);
            out.findings = findings_of(out, out.loops);
            m_kernels.push_back(std::move(out));
        }
    }
    const std::vector<KernelExplained>& kernels() const { return m_kernels; }

private:
    Work& m_work;
    PreviewRequest m_request;
    const artifact::TargetSpec* m_gpu;
    struct Lowered {
        ir::ModuleRef script, module;
    };
    std::map<const ir::Module*, Lowered> m_lowered; // by script
    std::vector<KernelExplained> m_kernels;         // each once, as it is first launched
};

// Calls on the emulator with all its checks, wherever modules were built for. The tensors hold what the call made of them.
struct EmulationOptions {
    int orders = usual_orders;         // of the warps and blocks of a launch, where their order may matter; at most
    std::optional<std::uint64_t> seed; // a random order, and only that
};

RunRequest request_of(const RunRequest& usual, const EmulationOptions& options) {
    RunRequest out = usual;
    out.target = Target::Emulate;
    out.all_checks = true;
    out.orders = options.orders;
    out.order = options.seed;
    return out;
}

class Emulation : public CallWatch {
public:
    // `request` says what else holds: what gets the text that kernels print.
    Emulation(const RunRequest& request, const EmulationOptions& options)
        : m_request(request_of(request, options)), m_work(work_for("emulate", nullptr)),
          m_executor(make_emulator(m_work, m_request)) {}
    bool call(Executable& module, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) override {
        DiagnosticSink found;
        Ref<Executable>& built = m_built[module.script.get()];
        if (!built)
            built = m_executor->build(module.script, call.site, found);
        const bool is_ok = built && m_executor->call(*built, call, result, found);
        for (const Diagnostic& each : found.take()) {
            m_found.push_back(each);
            sink.report(each);
        }
        return is_ok;
    }
    std::vector<DiagnosticView> findings(const SourceMap& sources) {
        m_work.sources = sources;
        for (const Diagnostic& each : m_found)
            m_work.sink.report(each);
        std::vector<DiagnosticView> out = views_of(m_work);
        m_work.sink.take();
        return out;
    }
    int orders() const { // that the call with most of them had; 0: there was no choice
        RunSummary summary;
        m_executor->add_to(summary);
        return summary.orders_most.value_or(0);
    }

private:
    RunRequest m_request;
    Work m_work;
    std::unique_ptr<Executor> m_executor;
    std::map<const ir::Module*, Ref<Executable>> m_built; // which keep their modules
    std::vector<Diagnostic> m_found;
};

struct TableObject : ffi::Object {
    explicit TableObject(Table table) : table(std::move(table)) {}
    const Table table;
    TVM_FFI_DECLARE_OBJECT_INFO_FINAL("hidet.Table", TableObject, ffi::Object);
};

struct SceneObject : ffi::Object {
    explicit SceneObject(Scene scene) : scene(std::move(scene)) {}
    const Scene scene;
    TVM_FFI_DECLARE_OBJECT_INFO_FINAL("hidet.Scene", SceneObject, ffi::Object);
};

// Of the thread that made it, until it ends.
struct WatchObject : ffi::Object {
    WatchObject(SessionPtr session, std::unique_ptr<CallWatch> watch)
        : session(std::move(session)), watch(std::move(watch)) {}
    const SessionPtr session;
    const std::unique_ptr<CallWatch> watch;
    TVM_FFI_DECLARE_OBJECT_INFO_FINAL("hidet.Watch", WatchObject, ffi::Object);
};

Any made(Table table) {
    return Any(ffi::ObjectRef(ffi::make_object<TableObject>(std::move(table))));
}

Any made(Scene scene) {
    return Any(ffi::ObjectRef(ffi::make_object<SceneObject>(std::move(scene))));
}

template <class T>
T& watch_in(const AnyView& any) {
    const auto* object = any.as<WatchObject>();
    auto* watch = object ? dynamic_cast<T*>(object->watch.get()) : nullptr;
    if (!watch)
        throw ffi::Error("TypeError", "this is no such look at calls", "");
    return *watch;
}

ffi::ObjectRef begun(const SessionPtr& in, std::unique_ptr<CallWatch> watch) {
    if (in->engine().is_watched())
        throw ffi::Error("RuntimeError", "the calls of this thread are looked at already", "");
    in->engine().watch(watch.get());
    return ffi::ObjectRef(ffi::make_object<WatchObject>(in, std::move(watch)));
}

std::unique_ptr<Explanation> explanation_of(PythonSession& session) {
    return std::make_unique<Explanation>(session.work(), session.request(), session.engine().gpu());
}

// `seed`: the random order, alone; below 0: up to so many orders, of which 0 leaves the number to us.
ffi::ObjectRef emulate_begin(const AnyView& session, std::int64_t orders, std::int64_t seed) {
    const SessionPtr in = session_of(session);
    EmulationOptions options;
    if (orders > 0)
        options.orders = static_cast<int>(std::min<std::int64_t>(orders, std::numeric_limits<int>::max()));
    if (seed >= 0)
        options.seed = static_cast<std::uint64_t>(seed);
    return entered(in,
                   [&](lang::DataModel&) { return begun(in, std::make_unique<Emulation>(in->request(), options)); });
}

ffi::ObjectRef explain_begin(const AnyView& session) {
    const SessionPtr in = session_of(session);
    return entered(in, [&](lang::DataModel&) { return begun(in, explanation_of(*in)); });
}

void watch_end(const AnyView& watch) {
    const auto* object = watch.as<WatchObject>();
    if (object)
        object->session->engine().watch(nullptr);
}

// [findings, whether an error is among them, orders, all of it as text]
ffi::Array<Any> emulation_result(const AnyView& watch) {
    auto& emulation = watch_in<Emulation>(watch);
    const SessionPtr in = watch.as<WatchObject>()->session;
    return entered(in, [&](lang::DataModel&) {
        const std::vector<DiagnosticView> found = emulation.findings(in->work().sources);
        std::string text;
        for (const DiagnosticView& each : found)
            text += each.rendered;
        const bool has_errors =
            std::ranges::any_of(found, [](const DiagnosticView& each) { return each.severity == Severity::Error; });
        return ffi::Array<Any>{made(findings_table(found)), Any(has_errors), Any(std::int64_t{emulation.orders()}),
                               Any(ffi::String(text))};
    });
}

// name, file, line, cost, roofline, accesses; ...
ffi::Array<Any> explanation_result(const AnyView& watch) {
    ffi::Array<Any> out;
    for (const KernelExplained& each : watch_in<Explanation>(watch).kernels()) {
        out.push_back(Any(ffi::String(each.name)));
        out.push_back(Any(ffi::String(each.place.file)));
        out.push_back(Any(std::int64_t{each.place.line}));
        out.push_back(made(cost_table(each)));
        out.push_back(made(picture_of(each.cost->roofline)));
        out.push_back(made(access_table(each)));
    }
    return out;
}

ffi::String explanation_page(const AnyView& watch) {
    Page page("Kernels");
    for (const KernelExplained& each : watch_in<Explanation>(watch).kernels())
        add_kernel(page, each);
    return page.text();
}

const lang::CompiledModule& module_in(const ValueObject& object) {
    const auto* module = object.value.extension<lang::CompiledModule>();
    if (!module)
        throw ffi::Error("TypeError", cat("a '", lang::type_name(object.value), "' is no module that was built"), "");
    return *module;
}

// Of all kernels of a module, and of no call.
void explain_module(const AnyView& watch, const AnyView& module) {
    auto& explanation = watch_in<Explanation>(watch);
    const ValueObject& of = object_of(module);
    entered(of.session, [&](lang::DataModel&) { explanation.add(module_in(of).module()); });
}

// A module as a page: the verdict on its kernels, what they cost, its IR and its CUDA C++.
ffi::String module_page(const AnyView& module) {
    const ValueObject& of = object_of(module);
    return entered(of.session, [&](lang::DataModel&) {
        const ir::ModuleRef& script = module_in(of).module();
        const std::unique_ptr<Explanation> explanation = explanation_of(*of.session);
        explanation->add(script);
        Page page("Module");
        page.table(verdict_table(explanation->kernels()));
        for (const KernelExplained& each : explanation->kernels())
            add_kernel(page, each);
        page.heading("Texts");
        page.folded("IR", ir::print_module(*script).text);
        if (const Ref<lang::BuiltModule>& built = module_in(of).built())
            page.folded("Generated code", built->source());
        return ffi::String(page.text());
    });
}

std::string text_of(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ffi::String table_json(const AnyView& table) {
    const auto* object = table.as<TableObject>();
    return object ? text_of(json_of(object->table)) : "null";
}

ffi::String table_html(const AnyView& table) {
    const auto* object = table.as<TableObject>();
    return object ? html_of(object->table) : "";
}

ffi::String scene_json(const AnyView& scene) {
    const auto* object = scene.as<SceneObject>();
    return object ? text_of(json_of(object->scene)) : "null";
}

ffi::String scene_svg(const AnyView& scene) {
    const auto* object = scene.as<SceneObject>();
    return object ? svg_document(object->scene) : "";
}

const bool types_of_reports_are_known =
    (TableObject::RuntimeTypeIndex(), SceneObject::RuntimeTypeIndex(), WatchObject::RuntimeTypeIndex(), true);

} // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(emulate_begin, emulate_begin)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(explain_begin, explain_begin)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(watch_end, watch_end)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(emulation_result, emulation_result)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(explanation_result, explanation_result)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(explanation_page, explanation_page)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(explain_module, explain_module)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(module_page, module_page)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(table_json, table_json)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(table_html, table_html)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scene_json, scene_json)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scene_svg, scene_svg)

} // namespace hidet::python
