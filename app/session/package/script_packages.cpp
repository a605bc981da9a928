// SPDX-License-Identifier: Apache-2.0
#include "app/session/package/script_packages.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "app/session/package/graph_file.h"
#include "app/session/package/module_plans.h"
#include "app/session/package/packaged_plan.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/core/shape.h"
#include "lang/base/file_place.h"
#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/capi/hidet_runtime.h"
#include "runtime/package/manifest.h"

namespace hidet::session {

namespace fs = std::filesystem;

namespace {

bool begins_as_ours(const fs::path& path) {
    const std::string member = first_member_of(path.string());
    return member == package::manifest_member || member == graph_member;
}

// A link may lead out of the folder.
bool has_link(const fs::path& folder, const std::string& path) {
    std::error_code error;
    fs::path place = folder;
    for (const fs::path& part : fs::path(path).lexically_normal())
        if (place /= part; fs::is_symlink(place, error))
            return true;
    return false;
}

void hand_on(Work& from, DiagnosticSink& sink, Span site) {
    for (Diagnostic& each : from.sink.take()) {
        if (!each.span.known())
            each.span = site;
        sink.report(std::move(each));
    }
}

ImageRequest request_of(const RunRequest& run) {
    ImageRequest request{run};
    if (!request.run.tools)
        request.run.tools = open_tools({nullptr, false});
    request.run.checks_bounds = false; // as where graphs run: their code is made from definitions
    return request;
}

graph::GraphSignature signature_of(const artifact::LaunchPlan& plan, Device device) {
    const std::vector<std::string> names = symbol_names(plan);
    const auto tensors = [&](const std::vector<artifact::Row>& rows) {
        std::vector<graph::GraphTensor> out;
        for (const artifact::Row row : rows) {
            const artifact::PlanValue& value = plan.values[row];
            graph::Shape shape;
            for (const artifact::Row extent : value.shape) {
                const auto number = artifact::constant_of(plan.expressions[extent]);
                shape.push_back(number ? graph::dim(*number)
                                       : graph::symbol_dim(artifact::text_of(plan.expressions, extent, names)));
            }
            out.push_back({{ir::find_dtype(value.dtype).value_or(ir::DType::U8), std::move(shape)}, device});
        }
        return out;
    };
    return {tensors(plan.inputs), tensors(plan.outputs)};
}

class PackageGraph : public graph::RunnableGraph {
public:
    explicit PackageGraph(std::unique_ptr<PackageRun> package) : m_package(std::move(package)) {}

    std::optional<Tensors> run(const Tensors& inputs, DiagnosticSink&) override {
        m_inputs = inputs;
        if (!m_package->bind(m_inputs, m_error) || !m_package->run(m_error))
            return refused();
        m_outputs = outputs();
        return m_outputs;
    }
    std::optional<Tensors> run_again(DiagnosticSink& sink) override {
        for (const lang::TensorRef& input : m_inputs)
            static_cast<void>(input->read()); // a kernel may have written it, and the package reads the host's bytes
        if (!m_outputs)
            return run(m_inputs, sink);
        if (!m_package->run(m_error))
            return refused();
        const std::optional<Tensors> made = outputs();
        for (std::size_t i = 0; made && i < made->size(); ++i)
            take(*(*m_outputs)[i], *(*made)[i]);
        return made ? m_outputs : std::nullopt;
    }

private:
    static void take(lang::Tensor& to, const lang::Tensor& from) {
        if (to.storage->bytes != from.storage->bytes)
            to.storage = from.storage;
        else
            std::memcpy(to.storage->write(), from.read(), from.storage->bytes);
        to.shape = from.shape;
    }
    std::optional<Tensors> outputs() {
        std::optional<Tensors> made = m_package->outputs(m_error);
        if (!made)
            return refused();
        for (const lang::TensorRef& output : *made)
            output->device = m_package->is_on_gpu() ? Device::Cuda : Device::Cpu;
        return made;
    }
    std::optional<Tensors> refused() const {
        if (fault_of(m_error) != PackageFault::Cancelled)
            throw graph::OpError(message_of(m_error));
        return std::nullopt;
    }

    const std::unique_ptr<PackageRun> m_package;
    hidet_error m_error = {};
    Tensors m_inputs; // of the last run
    std::optional<Tensors> m_outputs;
};

} // namespace

std::string ScriptPackages::what_is_wrong(const std::string& path) const {
    const fs::path normal = fs::path(path).lexically_normal();
    if (!is_package(path) || normal.filename() == ".hidet")
        return cat("'", path, "' is not the name of a package, such as 'model.hidet'");
    if (!m_request.is_program && (normal.is_absolute() || *normal.begin() == ".."))
        return cat("'", path, "' is outside of the folder that a script may use; paths begin in it");
    return "";
}

bool ScriptPackages::open_folder(const std::string& path, Span site, DiagnosticSink& sink) {
    if (!m_folder.empty() || m_request.is_program)
        return true;
    if (m_request.output.empty()) {
        Result<std::unique_ptr<toolchain::TemporaryFolder>> made = toolchain::TemporaryFolder::make();
        if (!made) {
            report_environment(m_work, sink, made.error(), site);
            return false;
        }
        m_temporary = std::move(made).value();
        m_folder = m_temporary->path();
        return true;
    }
    if (!make_folders(m_request.output) || !is_folder(m_request.output)) {
        sink.report(DiagId::FileUnwritable, site, path,
                    cat("'", m_request.output, "' is no folder, and none can be made there"));
        m_work.status = Status::Environment;
        return false;
    }
    m_folder = m_request.output;
    return true;
}

std::optional<std::string> ScriptPackages::place_of(const std::string& path, Span site, DiagnosticSink& sink) {
    if (const std::string wrong = what_is_wrong(path); !wrong.empty()) {
        sink.report(DiagId::BadValue, site, wrong);
        return std::nullopt;
    }
    if (!open_folder(path, site, sink))
        return std::nullopt;
    std::error_code error;
    const fs::path place = m_request.is_program ? fs::absolute(path, error) : fs::path(m_folder) / path;
    if (!m_request.is_program && has_link(m_folder, path))
        sink.report(DiagId::FileUnwritable, site, path, "a link is on the way to it, which may lead elsewhere");
    else if (look_at(place).exists() && !begins_as_ours(place))
        sink.report(DiagId::FileUnwritable, site, path, "it is there already, and is no package");
    else if (const Result<void> made = make_folders(place.parent_path()); !made)
        sink.report(DiagId::FileUnwritable, site, path, made.error().message);
    else
        return place.string();
    return std::nullopt;
}

bool ScriptPackages::write(const std::string& path, Span site, DiagnosticSink& sink, const MakePlans& make) {
    const std::optional<std::string> place = place_of(path, site, sink);
    if (!place)
        return false;
    const std::string outer = m_work.stage;
    Work work; // whose mistakes are those of this call
    work.cancelled = m_work.cancelled;
    work.fault = m_work.fault;
    const ImageRequest request = request_of(m_request);
    PackageContents contents;
    contents.name = fs::path(path).stem().string();
    const bool is_made = make(work, request, contents);
    if (is_made) {
        contents.writer = m_request.version.empty() ? "hidetc" : "hidetc " + m_request.version;
        contents.facts.emplace_back("file", fs::path(m_request.source.name).filename().string());
        const auto has_code_for = [&](const char* target) {
            return std::ranges::any_of(contents.plans,
                                       [&](const PackagedPlan& plan) { return plan.images.plan.target == target; });
        };
        add_compilers(*request.run.tools, has_code_for("cuda"), has_code_for("cpu"), contents);
        if (const Result<std::string> written = write_package(*place, std::move(contents)); !written)
            report_environment(work, work.sink, written.error());
    }
    m_work.status = std::max(m_work.status, work.status);
    m_work.stage = outer;
    const bool is_ok = is_made && !work.sink.has_errors();
    hand_on(work, sink, site);
    if (!is_ok)
        return false;
    keep(path, site, sink);
    return true;
}

void ScriptPackages::keep(const std::string& path, Span site, DiagnosticSink& sink) {
    m_saved.insert(fs::path(path).lexically_normal().string());
    if (m_temporary)
        report_warning(sink, cat("'", path, "' is gone when this run ends: 'hidetc run' keeps it"), site);
}

bool ScriptPackages::save(const graph::CompiledGraph& compiled, const std::string& path, Span site,
                          DiagnosticSink& sink) {
    return write(path, site, sink, [&](Work& work, const ImageRequest& request, PackageContents& contents) {
        std::optional<PackagedPlan> plan = packaged_plan(work, request, compiled, {"main", true});
        if (plan)
            contents.plans.push_back(std::move(*plan));
        return plan.has_value();
    });
}

bool ScriptPackages::save_module(const ir::ModuleRef& script, const artifact::TargetSpec& gpu, const std::string& path,
                                 Span site, DiagnosticSink& sink) {
    return write(path, site, sink, [&](Work& work, const ImageRequest& request, PackageContents& contents) {
        std::optional<std::vector<PackagedPlan>> plans =
            module_plans(work, request, {script, contents.name, gpu, m_request.target == Target::Cpu, site});
        if (plans)
            contents.plans = std::move(*plans);
        return plans.has_value();
    });
}

// What this run has saved, what lies in the folder of the script, what lies where it would be saved.
std::string ScriptPackages::found_at(const std::string& path) const {
    if (m_request.is_program)
        return path;
    const std::string saved = (fs::path(m_folder.empty() ? m_request.output : m_folder) / path).string();
    if (m_saved.contains(fs::path(path).lexically_normal().string()) || m_request.source.folder.empty())
        return saved;
    const std::string beside = (fs::path(m_request.source.folder) / path).string();
    return look_at(beside).exists() || m_request.output.empty() || !look_at(saved).exists() ? beside : saved;
}

// What to open. Nothing: the sink says why.
std::optional<PackageOptions> ScriptPackages::to_open(const lang::LoadOptions& options, DiagnosticSink& sink) const {
    if (const std::string wrong = what_is_wrong(options.path); !wrong.empty()) {
        sink.report(DiagId::BadValue, options.site, wrong);
        return std::nullopt;
    }
    if (info(m_request.target).emulates) {
        sink.report(DiagId::BadValue, options.site,
                    cat("'", options.path, "' holds machine code, which the emulator does not run"));
        return std::nullopt;
    }
    PackageOptions asked{found_at(options.path), options.entry, m_request.target, options.trusts || m_request.trusts,
                         false};
    if (options.device)
        asked.target = *options.device == Device::Cuda ? Target::Cuda : Target::Cpu;
    asked.is_stopped = [this] { return m_work.stopped(); };
    return asked;
}

std::optional<graph::LoadedGraph> ScriptPackages::load(const graph::LoadOptions& options, DiagnosticSink& sink) {
    std::optional<PackageOptions> asked = to_open(options, sink);
    hidet_error error;
    std::unique_ptr<PackageRun> package = asked ? m_sharing.open(std::move(*asked), error) : nullptr;
    if (!package) {
        if (asked)
            report_package(m_work, sink, error, options.path, options.site);
        return std::nullopt;
    }
    const Device device = package->is_on_gpu() ? Device::Cuda : Device::Cpu;
    graph::GraphSignature signature = signature_of(package->plan(), device);
    return graph::LoadedGraph{std::move(signature), std::make_unique<PackageGraph>(std::move(package))};
}

bool ScriptPackages::save_graph(const graph::ScriptGraph& graph, const std::string& path, Span site,
                                DiagnosticSink& sink) {
    const std::optional<std::string> place = place_of(path, site, sink);
    if (!place)
        return false;
    if (const Result<void> written = write_graph_file(*place, graph); !written) {
        if (written.error().code == "graph-not-saved")
            sink.report(DiagId::OperatorRefused, site, written.error().message);
        else
            report_environment(m_work, sink, written.error(), site);
        return false;
    }
    keep(path, site, sink);
    return true;
}

std::optional<graph::ScriptGraph> ScriptPackages::load_graph(const std::string& path, Span site, DiagnosticSink& sink) {
    if (const std::string wrong = what_is_wrong(path); !wrong.empty()) {
        sink.report(DiagId::BadValue, site, wrong);
        return std::nullopt;
    }
    Result<graph::ScriptGraph> read = read_graph_file(found_at(path));
    if (read)
        return std::move(read).value();
    const bool is_broken = read.error().code == "document-broken";
    sink.report(is_broken ? DiagId::ModelBroken : DiagId::FileUnreadable, site, path, read.error().message);
    return std::nullopt;
}

Ref<Executable> ScriptPackages::load_module(const lang::LoadOptions& options, DiagnosticSink& sink) {
    const std::optional<PackageOptions> asked = to_open(options, sink);
    hidet_error error = {};
    Ref<Executable> module = asked ? m_modules.load(*asked, options.path, error) : nullptr;
    if (!module && asked)
        report_package(m_work, sink, error, options.path, options.site);
    return module;
}

} // namespace hidet::session
