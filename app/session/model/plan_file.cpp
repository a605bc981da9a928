// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/plan_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "app/session/model/request.h"
#include "app/session/model/stages.h"
#include "app/session/work/refusal.h"
#include "compiler/graph/plan/chunk.h"
#include "runtime/vm/machine.h"

namespace hidet::session {

using namespace graph;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t weight_alignment = 64;

struct ProcessorLevel {
    const char* name;
    vm::VectorIsa isa;
};
constexpr ProcessorLevel processor_levels[] = {{"x86-64-v4", vm::VectorIsa::V4},
                                               {"x86-64-v3", vm::VectorIsa::V3},
                                               {"x86-64-v2", vm::VectorIsa::V2}}; // the best first

// The best level of x86-64 that this machine runs.
std::string plan_processor() {
    for (const ProcessorLevel& level : processor_levels)
        if (vm::has_isa(level.isa))
            return level.name;
    return "x86-64";
}

class PlanFileWriter {
public:
    PlanFileWriter(Work& work, const ModelRequest& request, const Plan& planned, const std::string& path)
        : m_work(work), m_run(run_request_of(request)), m_request(request), m_planned(planned), m_path(path),
          m_plan(planned.launch) {
        m_run.target = Target::Cpu;
    }

    bool run() {
        if (!can_be_stored() || !compile())
            return false;
        m_work.enter("writing the plan");
        Work::Clock clock(m_work, "write");
        return write_images() && write_weights() && write(m_path, to_json(m_plan));
    }

private:
    bool can_be_stored() {
        for (const artifact::PlanStep& step : m_plan.steps) {
            if (step.kind != artifact::StepKind::Host || step.op != artifact::HostOperator::Process)
                continue;
            m_work.sink.report(DiagId::BadValue, {},
                               cat("a plan file cannot hold operator '", join(step.operators, ", "), "' (",
                                   join(step.kernels, ", "), "): its graph is worked out while the model runs"));
            return false;
        }
        return true;
    }

    std::string member(const std::string& end) const { return fs::path(m_path).stem().string() + "." + end; }

    // As many programs an object as make no difference to the compiler; how many there are does not depend on the machine.
    bool compile() {
        constexpr std::size_t programs_per_object = 16;
        m_work.enter("compiling the model");
        Work::Clock clock(m_work, "build");
        if (std::unique_ptr<Executor> compiler = make_native(m_work, m_run); !compiler) {
            report_environment(m_work, m_work.sink,
                               {"compiler-missing", "a plan file holds compiled C++, and there is no C++ compiler"});
            return false;
        }
        m_native = make_native(m_work, m_run, {plan_processor(), true});
        std::vector<ir::ModuleRef> modules;
        for (std::size_t i = 0; i < m_planned.programs.size(); i += programs_per_object)
            modules.push_back(
                merged(m_planned.programs, i, std::min(i + programs_per_object, m_planned.programs.size())));
        const StepProgress progress(m_request, "compiling");
        m_objects = m_native->build_all(modules, {}, m_work.sink,
                                        [&](std::size_t done) { progress.done(done, modules.size()); });
        for (artifact::Row module = 0; module < m_plan.modules.size(); ++module)
            m_plan.images.push_back({module, artifact::ImageKind::CpuObject, plan_processor(),
                                     member(cat(module / programs_per_object, ".so"))});
        return std::ranges::none_of(m_objects, [](const auto& object) { return object == nullptr; });
    }

    bool write_images() {
        for (std::size_t i = 0; i < m_objects.size(); ++i)
            if (!write(sibling(member(cat(i, ".so"))), object_of(*m_objects[i])->bytes))
                return false;
        for (artifact::PlanFunction& function : m_plan.functions)
            for (const Ref<Executable>& object : m_objects)
                describe(function, *object_of(*object));
        return true;
    }
    static void describe(artifact::PlanFunction& function, const CompiledObject& object) {
        const auto entry = std::ranges::find(object.entries, function.name, &artifact::EntryPoint::name);
        if (entry == object.entries.end())
            return;
        function.symbol = entry->symbol;
        for (const artifact::Parameter& parameter : entry->params)
            function.parameters.push_back({parameter.name, parameter.type, parameter.is_pointer});
    }

    bool write_weights() {
        if (m_plan.weights.empty())
            return true;
        const std::string name = member("weights.bin");
        std::ofstream file(sibling(name), std::ios::binary);
        std::uint64_t at = 0;
        for (std::size_t i = 0; i < m_plan.weights.size(); ++i) {
            artifact::PlanWeight& weight = m_plan.weights[i];
            const std::string gap((weight_alignment - at % weight_alignment) % weight_alignment, '\0');
            const lang::TensorRef& tensor = m_planned.weights[i];
            file.write(gap.data(), static_cast<std::streamsize>(gap.size()));
            file.write(reinterpret_cast<const char*>(tensor->read()), static_cast<std::streamsize>(weight.bytes));
            weight.member = name;
            weight.offset = at + gap.size();
            at = weight.offset + weight.bytes;
        }
        file.close();
        return file.good() || cannot_write(sibling(name));
    }

    std::string sibling(const std::string& name) const { return (fs::path(m_path).parent_path() / name).string(); }
    bool write(const std::string& path, const std::string& bytes) {
        std::ofstream file(path, std::ios::binary);
        file << bytes;
        file.close();
        return file.good() || cannot_write(path);
    }
    bool cannot_write(const std::string& path) {
        m_work.sink.report(DiagId::FileUnwritable, {}, path, std::strerror(errno));
        m_work.status = Status::Environment;
        return false;
    }

    Work& m_work;
    RunRequest m_run;
    const ModelRequest& m_request;
    const Plan& m_planned;
    const std::string& m_path;
    std::unique_ptr<Executor> m_native;
    std::vector<Ref<Executable>> m_objects;
    artifact::LaunchPlan m_plan;
};

class PlanFileLoader {
public:
    PlanFileLoader(Work& work, const std::string& path, Executor& native)
        : m_work(work), m_path(path), m_native(native) {}

    bool run(const std::string& text) {
        m_work.enter("loading the plan");
        Work::Clock clock(m_work, "load");
        Result<artifact::LaunchPlan> plan = artifact::plan_from_json(text);
        if (!plan)
            return refuse(m_path, plan.error().message);
        m_plan = std::make_shared<const artifact::LaunchPlan>(std::move(plan).value());
        return check() && load_weights() && load_images();
    }
    PlanParts take() { return {m_plan, std::move(m_weights), std::move(m_modules)}; }

private:
    bool refuse(const std::string& path, const std::string& why) {
        m_work.sink.report(DiagId::FileUnreadable, {}, path, why);
        return false;
    }

    // What well-formed plans may have, and this program does not run.
    bool check() {
        if (m_plan->target != target_kind_name(artifact::TargetKind::Cpu))
            return refuse(m_path,
                          cat("it is a plan for '", m_plan->target, "', and this program runs those for 'cpu'"));
        for (const artifact::PlanValue& value : m_plan->values)
            if (!ir::find_dtype(value.dtype))
                return refuse(m_path, cat("'", value.name, "' has the type '", value.dtype, "', which there is not"));
        for (std::size_t i = 0; i < m_plan->steps.size(); ++i) {
            const artifact::PlanStep& step = m_plan->steps[i];
            if (step.kind == artifact::StepKind::Launch)
                return refuse(m_path, cat("step ", i, " launches a kernel, and the plan is for the CPU"));
            if (step.kind == artifact::StepKind::Host && step.op == artifact::HostOperator::Process)
                return refuse(m_path, cat("step ", i, " is an operator of the process that made it"));
        }
        return true;
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

    bool load_weights() {
        std::map<std::string, std::shared_ptr<lang::Storage>> files;
        for (std::size_t i = 0; i < m_plan->weights.size(); ++i) {
            const artifact::PlanWeight& weight = m_plan->weights[i];
            std::shared_ptr<lang::Storage>& file = files[weight.member];
            if (!file && !(file = read(weight.member)))
                return false;
            const auto dtype = ir::find_dtype(weight.dtype);
            if (!dtype || !is_dense(weight, item_bytes(*dtype)))
                return refuse(m_path, cat("weight ", i, " is not dense, or of a type that there is not"));
            if (weight.offset + weight.bytes > file->bytes)
                return refuse(m_path, cat("weight ", i, " ends past '", weight.member, "'"));
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
                return refuse(m_path, cat("module ", module, " is compiled for ", architectures_of(module),
                                          ", which this processor does not run"));
            Ref<Executable>& executable = loaded[image->member];
            if (!executable && !load(*image, executable))
                return false;
            m_modules.push_back(executable);
        }
        return true;
    }
    const artifact::PlanImage* best_image(artifact::Row module) const {
        for (const ProcessorLevel& level : processor_levels)
            for (const artifact::PlanImage& image : m_plan->images)
                if (image.module == module && image.kind == artifact::ImageKind::CpuObject &&
                    image.architecture == level.name && vm::has_isa(level.isa))
                    return &image;
        return nullptr;
    }
    std::string architectures_of(artifact::Row module) const {
        std::vector<std::string> names;
        for (const artifact::PlanImage& image : m_plan->images)
            if (image.module == module)
                names.push_back(image.architecture);
        return names.empty() ? "nothing" : join(names, ", ");
    }
    bool load(const artifact::PlanImage& image, Ref<Executable>& executable) {
        const std::shared_ptr<lang::Storage> bytes = read(image.member);
        if (!bytes)
            return false;
        CompiledObject object{{reinterpret_cast<const char*>(bytes->read()), bytes->bytes}, {}};
        for (const artifact::PlanFunction& function : m_plan->functions)
            for (const artifact::PlanImage& other : m_plan->images)
                if (other.member == image.member && other.module == function.module)
                    object.entries.push_back(entry_of(function));
        Result<Ref<Executable>> loaded = load_object(m_native, object);
        if (!loaded)
            return refuse(image.member, loaded.error().message);
        executable = std::move(loaded).value();
        return true;
    }
    static artifact::EntryPoint entry_of(const artifact::PlanFunction& function) {
        artifact::EntryPoint entry;
        entry.name = function.name;
        entry.symbol = function.symbol;
        for (const artifact::PlanParameter& parameter : function.parameters)
            entry.params.push_back({parameter.name, parameter.type, parameter.is_pointer});
        return entry;
    }

    Work& m_work;
    const std::string& m_path;
    Executor& m_native;
    std::shared_ptr<const artifact::LaunchPlan> m_plan;
    Tensors m_weights;
    std::vector<Ref<lang::BuiltModule>> m_modules;
};

} // namespace

bool write_plan(Work& work, const ModelRequest& request, const Plan& plan, const std::string& path) {
    return PlanFileWriter(work, request, plan, path).run();
}

std::optional<PlanParts> load_plan(Work& work, const std::string& path, const std::string& text, Executor& native) {
    PlanFileLoader loader(work, path, native);
    if (!loader.run(text))
        return std::nullopt;
    return loader.take();
}

} // namespace hidet::session
