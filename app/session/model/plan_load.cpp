// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "app/session/execute/device_images.h"
#include "app/session/package/plan_images.h"
#include "app/session/work/refusal.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/graph/plan/extent.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace fs = std::filesystem;

namespace {

bool refuse(Work& work, const std::string& path, const std::string& why) {
    work.sink.report(DiagId::FileUnreadable, {}, path, why);
    return false;
}

std::string what_is_not_run(const artifact::LaunchPlan& plan, const artifact::PlanBody& body, bool is_cuda) {
    for (const artifact::PlanValue& value : body.values)
        if (!ir::find_dtype(value.dtype))
            return cat("'", value.name, "' has the type '", value.dtype, "', which there is not");
    for (std::size_t i = 0; i < body.steps.size(); ++i) {
        const artifact::PlanStep& step = body.steps[i];
        if (step.kind != artifact::StepKind::Launch && step.kind != artifact::StepKind::Call)
            continue;
        if (is_cuda != (step.kind == artifact::StepKind::Launch))
            return is_cuda ? cat("step ", i, " calls a function, and the plan is for a GPU")
                           : cat("step ", i, " launches a kernel, and the plan is for the CPU");
        const artifact::PlanFunction& function = plan.functions[step.function];
        if (function.parameters.size() != step.arguments.size())
            return cat("step ", i, " gives '", function.name, "' ", step.arguments.size(), " arguments, and it takes ",
                       function.parameters.size());
    }
    return "";
}

// What well-formed plans may have, and this program does not run. Empty: nothing.
std::string what_is_not_run(const artifact::LaunchPlan& plan) {
    const bool is_cuda = plan.target == target_kind_name(artifact::TargetKind::Cuda);
    if (!is_cuda && plan.target != target_kind_name(artifact::TargetKind::Cpu))
        return cat("it is a plan for '", plan.target, "', and this program runs those for 'cpu' and 'cuda'");
    std::string wrong = what_is_not_run(plan, plan, is_cuda);
    for (std::size_t i = 0; i < plan.bodies.size() && wrong.empty(); ++i)
        if (wrong = what_is_not_run(plan, plan.bodies[i], is_cuda); !wrong.empty())
            wrong += cat(" (in body ", i, ")");
    return wrong;
}

// Whether a GPU runs machine code for this architecture, and how well: 0: it does not.
int fitness(Architecture gpu, const std::string& compiled_for) {
    const auto architecture = artifact::find_architecture(compiled_for);
    if (!architecture || !gpu.provides(*architecture) || gpu.number / 10 != architecture->number / 10)
        return 0;
    return architecture->number * 2 + architecture->is_specific;
}
int fitness(const std::string& processor) {
    int fitness = static_cast<int>(std::size(processor_levels));
    for (const ProcessorLevel& level : processor_levels) {
        if (processor == level.name && vm::has_isa(level.isa))
            return fitness;
        --fitness;
    }
    return 0;
}

artifact::EntryPoint entry_of(const artifact::PlanFunction& function) {
    artifact::EntryPoint entry;
    entry.name = function.name;
    entry.symbol = function.symbol;
    for (const artifact::PlanParameter& parameter : function.parameters)
        entry.params.push_back({parameter.name, parameter.type, parameter.is_pointer, parameter.is_tensor_map});
    return entry;
}

class PlanLoader {
public:
    PlanLoader(Work& work, const RunRequest& request, const std::string& path,
               std::shared_ptr<const artifact::LaunchPlan> plan)
        : m_work(work), m_request(request), m_path(path), m_plan(std::move(plan)),
          m_is_cuda(m_plan->target == target_kind_name(artifact::TargetKind::Cuda)) {}

    std::optional<LoadedPlan> run() {
        m_work.enter("loading the plan");
        Work::Clock clock(m_work, "load");
        if (!open() || !load_weights() || !load_images() || !is_whole())
            return std::nullopt;
        return LoadedPlan{std::move(m_executor), {m_plan, std::move(m_weights), std::move(m_modules)}};
    }

private:
    bool refuse(const std::string& path, const std::string& why) { return session::refuse(m_work, path, why); }

    bool open() {
        if (!m_is_cuda) {
            m_executor = make_native(m_work, m_request, NativeOptions());
            return true;
        }
        Result<std::unique_ptr<Executor>> device = make_device(m_work, m_request);
        if (device) {
            m_executor = std::move(device).value();
            return true;
        }
        report_environment(m_work, m_work.sink,
                           {device.error().code, cat("'", m_path, "' is a plan for a GPU: ", device.error().message)});
        return false;
    }

    std::shared_ptr<lang::Storage> read(const std::string& member) {
        const std::string path = (fs::path(m_path).parent_path() / member).string();
        std::ifstream file(path, std::ios::binary | std::ios::ate);
        const auto size = file ? static_cast<std::int64_t>(file.tellg()) : -1;
        if (size < 0) {
            refuse(path, std::strerror(errno));
            return nullptr;
        }
        auto storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(std::max<std::int64_t>(size, 1)));
        file.seekg(0);
        file.read(reinterpret_cast<char*>(storage->write()), size);
        if (file.gcount() == size)
            return storage;
        refuse(path, "it ends while it is read");
        return nullptr;
    }

    // Kernels trust the plan that they are called by. Last, as any other reason says more.
    bool is_whole() {
        return m_plan->hash.empty() || m_plan->hash == hash_of(*m_plan) ||
               refuse(m_path, "it is damaged: it is another plan than was written");
    }
    bool is_whole(const std::string& member, const std::string& hash, std::string_view bytes) {
        return hash.empty() || hash == hash_of(bytes) ||
               refuse(m_path, cat("'", member, "' is damaged: it has other bytes than were written"));
    }

    bool load_weights() {
        std::map<std::string, std::shared_ptr<lang::Storage>> files;
        for (std::size_t i = 0; i < m_plan->weights.size(); ++i) {
            const artifact::PlanWeight& weight = m_plan->weights[i];
            std::shared_ptr<lang::Storage>& file = files[weight.member];
            if (!file && !(file = read(weight.member)))
                return false;
            const auto dtype = ir::find_dtype(weight.dtype);
            if (!dtype || !is_dense(weight, graph::item_bytes(*dtype)))
                return refuse(m_path, cat("weight ", i, " is not dense, or of a type that there is not"));
            if (weight.offset + weight.bytes > file->bytes)
                return refuse(m_path, cat("weight ", i, " ends past '", weight.member, "'"));
            if (!is_whole(weight.member, weight.hash,
                          {reinterpret_cast<const char*>(file->read()) + weight.offset, weight.bytes}))
                return false;
            lang::TensorRef tensor(new lang::Tensor());
            tensor->dtype = *dtype;
            tensor->shape = weight.shape;
            tensor->storage = file;
            tensor->offset = weight.offset;
            m_weights.push_back(std::move(tensor));
        }
        return true;
    }
    static bool is_dense(const artifact::PlanWeight& weight, std::int64_t item) {
        std::int64_t stride = 1;
        for (std::size_t i = weight.shape.size(); i-- > 0;)
            if (weight.strides[i] != stride || __builtin_mul_overflow(stride, weight.shape[i], &stride))
                return false;
        return !__builtin_mul_overflow(stride, item, &stride) && static_cast<std::uint64_t>(stride) == weight.bytes;
    }

    bool load_images() {
        std::map<std::string, Ref<Executable>> loaded;
        for (artifact::Row module = 0; module < m_plan->modules.size(); ++module) {
            const artifact::PlanImage* image = best_image(module);
            if (!image)
                return refuse(m_path, cat("module ", module, " is compiled for ", architectures_of(module), ", which ",
                                          machine(), " does not run"));
            Ref<Executable>& executable = loaded[image->member];
            if (!executable && !load(*image, executable))
                return false;
            m_modules.push_back(executable);
        }
        return true;
    }
    std::string machine() const {
        return m_is_cuda ? cat(m_executor->name(), " (", artifact::architecture_name(m_executor->gpu()->arch), ")")
                         : "this processor";
    }
    const artifact::PlanImage* best_image(artifact::Row module) const {
        const artifact::PlanImage* best = nullptr;
        int most = 0;
        for (const artifact::PlanImage& image : m_plan->images) {
            const bool is_kind =
                image.kind == (m_is_cuda ? artifact::ImageKind::Cubin : artifact::ImageKind::CpuObject);
            const int fits =
                m_is_cuda ? fitness(m_executor->gpu()->arch, image.architecture) : fitness(image.architecture);
            if (image.module != module || !is_kind || fits <= most)
                continue;
            best = &image;
            most = fits;
        }
        return best;
    }
    std::string architectures_of(artifact::Row module) const {
        std::vector<std::string> names;
        for (const artifact::PlanImage& image : m_plan->images)
            if (image.module == module)
                names.push_back(image.architecture);
        return names.empty() ? "nothing" : join(names, ", ");
    }
    bool load(const artifact::PlanImage& image, Ref<Executable>& executable) {
        const std::shared_ptr<lang::Storage> storage = read(image.member);
        if (!storage)
            return false;
        std::string bytes(reinterpret_cast<const char*>(storage->read()), storage->bytes);
        if (!is_whole(image.member, image.hash, bytes))
            return false;
        std::vector<artifact::EntryPoint> entries;
        std::set<artifact::Row> modules;
        for (const artifact::PlanFunction& function : m_plan->functions)
            for (const artifact::PlanImage& other : m_plan->images)
                if (other.member == image.member && other.module == function.module) {
                    entries.push_back(entry_of(function));
                    modules.insert(function.module);
                }
        std::ranges::sort(entries, {}, &artifact::EntryPoint::name);
        if (const auto twice = std::ranges::adjacent_find(entries, {}, &artifact::EntryPoint::name);
            twice != entries.end())
            return refuse(m_path, cat("'", image.member, "' has two functions '", twice->name, "'"));
        if (m_is_cuda) {
            executable = load_kernels(m_work, *m_executor,
                                      {image.member, std::move(bytes), image.architecture, std::move(entries),
                                       launchers_of(*m_plan, modules)});
            return true;
        }
        Result<Ref<Executable>> loaded = load_object(*m_executor, {std::move(bytes), std::move(entries)});
        if (!loaded)
            return refuse(image.member, loaded.error().message);
        executable = std::move(loaded).value();
        return true;
    }

    Work& m_work;
    const RunRequest& m_request;
    const std::string& m_path;
    const std::shared_ptr<const artifact::LaunchPlan> m_plan;
    const bool m_is_cuda;
    std::unique_ptr<Executor> m_executor;
    Tensors m_weights;
    std::vector<Ref<lang::BuiltModule>> m_modules;
};

} // namespace

std::shared_ptr<const artifact::LaunchPlan> read_plan(Work& work, const std::string& path, const std::string& text) {
    Result<artifact::LaunchPlan> plan = artifact::plan_from_json(text);
    const std::string wrong = plan ? what_is_not_run(plan.value()) : plan.error().message;
    if (wrong.empty())
        return std::make_shared<const artifact::LaunchPlan>(std::move(plan).value());
    refuse(work, path, wrong);
    return nullptr;
}

std::optional<LoadedPlan> load_plan(Work& work, const RunRequest& request, const std::string& path,
                                    std::shared_ptr<const artifact::LaunchPlan> plan) {
    return PlanLoader(work, request, path, std::move(plan)).run();
}

} // namespace hidet::session
