// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/export_model.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/session/model/stages.h"
#include "app/session/package/packaged_plan.h"
#include "app/session/tools/tools.h"
#include "app/session/work/named_gpus.h"
#include "app/session/work/refusal.h"
#include "lang/base/ascii.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 64;

bool is_name(const std::string& text) {
    return !text.empty() && text.size() <= longest_name && text.front() != '.' &&
           std::ranges::all_of(text, [](char c) { return is_word(c) || c == '-' || c == '.'; });
}

std::string dimensions_text(const std::vector<Dimension>& dims) {
    return join(transformed(dims, [](const Dimension& each) { return cat(each.name, "=", each.value); }), ", ");
}

class ModelExporter {
public:
    ModelExporter(Work& work, const ModelExportRequest& request, ModelExportResult& result)
        : m_work(work), m_request(request), m_result(result) {}

    bool run() {
        std::vector<artifact::TargetSpec> targets;
        if (m_request.stages > 1)
            return wrong_usage("what runs packages has no pipelines: 'pipe' of '--mesh' is of 'hidetc model run'");
        if (!are_names() || !choose(targets))
            return false;
        const std::vector<ModelEntry> main = {{"main", "", {}}};
        for (const ModelEntry& entry : m_request.entries.empty() ? main : m_request.entries)
            for (int rank = 0; rank < m_request.processes; ++rank)
                for (const artifact::TargetSpec& target : targets)
                    if (!add(entry, target, rank))
                        return false;
        return write();
    }

private:
    bool wrong_usage(const std::string& what) { return report_wrong_usage(m_work, what); }
    bool are_names() {
        std::set<std::string> names;
        for (const ModelEntry& entry : m_request.entries)
            if (!is_name(entry.name))
                return wrong_usage(cat("'", entry.name,
                                       "' is no name of an entry: those are letters, digits, '_', '-' and '.', ",
                                       longest_name, " at most"));
            else if (!names.insert(entry.name).second)
                return wrong_usage(cat("there are two entries '", entry.name, "'"));
        return true;
    }
    bool is_found(toolchain::Tool tool) const {
        return m_request.tools->toolchain().locate(tool).state == toolchain::State::Found;
    }
    bool wants(Target target) const {
        return m_request.targets.empty() || std::ranges::find(m_request.targets, target) != m_request.targets.end();
    }

    // What nobody asked for by name is left out where this machine cannot make it.
    bool can_make(Target target, toolchain::Tool tool, const char* note) {
        if (!wants(target))
            return false;
        if (!m_request.targets.empty() || is_found(tool))
            return true;
        m_result.notes.emplace_back(note);
        return false;
    }

    bool choose(std::vector<artifact::TargetSpec>& targets) {
        for (const Target target : m_request.targets)
            if (target != Target::Cuda && target != Target::Cpu)
                return wrong_usage("a package holds machine code: '--target cuda', '--target cpu' or both");
        if (!m_request.architectures.empty() && !wants(Target::Cuda))
            return wrong_usage("--arch names GPUs, and '--target cpu' wants none");
        if (can_make(Target::Cuda, toolchain::Tool::Nvrtc, "without code for GPUs, as there is no NVRTC"))
            if (!choose_gpus(targets))
                return false;
        if (can_make(Target::Cpu, toolchain::Tool::CxxCompiler,
                     "without code for the CPU, as there is no C++ compiler"))
            targets.push_back(artifact::default_cpu());
        if (!targets.empty())
            return true;
        report_environment(m_work, m_work.sink,
                           {"compiler-missing", "a package holds machine code, and there is neither NVRTC nor a C++ "
                                                "compiler"});
        return false;
    }

    bool choose_gpus(std::vector<artifact::TargetSpec>& targets) {
        if (m_request.architectures.empty()) {
            const auto gpu = m_request.tools->gpu();
            targets.push_back(gpu ? gpu.value()->context().device().spec : artifact::default_gpu());
            return true;
        }
        std::optional<std::vector<artifact::TargetSpec>> named = named_gpus(m_work, m_request.architectures);
        if (named)
            targets = std::move(*named);
        return named.has_value();
    }

    ModelRequest request_of(const ModelEntry& entry) const {
        ModelRequest request = m_request;
        if (!entry.path.empty())
            request.path = entry.path;
        for (const Dimension& own : entry.dims) {
            std::erase_if(request.dims, [&](const Dimension& each) { return each.name == own.name; });
            request.dims.push_back(own);
        }
        return request;
    }
    // Of processes that share the model each has an entry of its own, with its part of the weights.
    std::string name_of(const ModelEntry& entry, int rank) const {
        return m_request.processes == 1 ? entry.name : cat(entry.name, ".rank", rank);
    }
    bool add(const ModelEntry& entry, const artifact::TargetSpec& target, int rank) {
        ModelRequest request = request_of(entry);
        request.rank = rank;
        request.target = target.is_cuda() ? Target::Cuda : Target::Cpu;
        ModelStages stages(m_work, request);
        if (target.is_cuda())
            stages.settings.target = target;
        else
            stages.settings.plan_checks_inputs = true;
        if (!stages.import() || !stages.optimise() || !stages.tune() || !stages.plan())
            return false;
        const PackagedEntry packaged{name_of(entry, rank), target.is_cuda(), m_request.processes > 1};
        std::optional<PackagedPlan> plan =
            packaged_plan(m_work, image_request_of(request), stages.compiled(), packaged);
        if (!plan)
            return false;
        const std::string architecture = plan->architecture;
        m_contents.plans.push_back(std::move(*plan));
        m_result.variants.push_back(
            {packaged.name, target.is_cuda() ? "cuda" : "cpu", architecture, stages.facts(), stages.kernels()});
        return true;
    }
    void add_fact(const char* name, const std::string& value) {
        if (!value.empty())
            m_contents.facts.emplace_back(name, value);
    }
    static std::string names_of(const std::vector<std::string>& paths) {
        return join(transformed(paths, [](const std::string& path) { return fs::path(path).filename().string(); }),
                    ", ");
    }

    // Nothing of the time, and no folder of this machine.
    void add_facts() {
        const ModelFacts& facts = m_result.variants.front().facts;
        add_fact("file", fs::path(m_request.path).filename().string());
        add_fact("producer", facts.producer);
        add_fact("opset", facts.opset > 0 ? cat(facts.opset) : "");
        add_fact("precision", m_request.precision);
        add_fact("weights", m_request.quantize);
        for (const Dimension& dimension : m_request.dims)
            add_fact("dimension", cat(dimension.name, "=", dimension.value));
        std::vector<std::string> entries;
        for (const ModelEntry& entry : m_request.entries) {
            const std::string file = entry.path.empty() ? "" : fs::path(entry.path).filename().string();
            const std::string dims = dimensions_text(entry.dims);
            const std::string between = file.empty() || dims.empty() ? "" : ", ";
            entries.push_back(cat(entry.name, " (", file, between, dims, ")"));
        }
        add_fact("entries", join(entries, ", "));
        add_fact("schedules", m_request.space == 0 ? "untuned" : cat("tuned, space ", m_request.space));
        add_fact("processes", m_request.processes == 1 ? "" : cat(m_request.processes));
        add_fact("off", join(m_request.off, ", "));
        add_fact("on", join(m_request.on, ", "));
        add_fact("scripts", names_of(m_request.with));
        add_fact("choices", m_request.choices.empty() ? "" : fs::path(m_request.choices).filename().string());
        add_fact("fusion", m_request.fuse ? "" : "off");
        add_compilers(*m_request.tools, wants(Target::Cuda), wants(Target::Cpu), m_contents);
    }

    bool write() {
        m_work.enter("writing the package");
        Work::Clock clock(m_work, "write");
        m_contents.key = m_request.key;
        m_contents.writer = cat("hidetc ", m_request.version);
        m_contents.name = m_result.variants.front().facts.name;
        add_facts();
        const Result<std::string> written = write_package(m_request.output, std::move(m_contents));
        if (!written) {
            report_environment(m_work, m_work.sink, written.error());
            return false;
        }
        m_result.public_key = written.value();
        return true;
    }

    Work& m_work;
    const ModelExportRequest& m_request;
    ModelExportResult& m_result;
    PackageContents m_contents;
};

} // namespace

ModelCompileResult compile_to_package(const ModelExportRequest& given) {
    ModelExportRequest request = given;
    request.targets = {request.target};
    if (request.target == Target::Auto)
        request.targets = {request.tools->gpu() ? Target::Cuda : Target::Cpu};
    return answer<ModelCompileResult>(request, "compile", [&](Work& work, ModelCompileResult& result) {
        ModelExportResult made;
        if (!export_model(work, request, made))
            return;
        result.facts = std::move(made.variants.front().facts);
        result.kernels = std::move(made.variants.front().kernels);
    });
}

bool export_model(Work& work, const ModelExportRequest& request, ModelExportResult& result) {
    return ModelExporter(work, request, result).run();
}

} // namespace hidet::session
