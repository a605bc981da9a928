// SPDX-License-Identifier: Apache-2.0
// The plans of the models of tests/models. Where their steps launch kernels themselves, as in a package for GPUs, the emulator
// makes the same bytes of them as of the plan that calls host functions, in halves too, where kernels of templates take
// tensor maps. And no damage of their bytes does harm.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <random>

#include "app/session/execute/machine_arguments.h"
#include "app/session/model/inputs.h"
#include "app/session/package/plan_images.h"
#include "app/session/plan/plan_runner.h"
#include "app/session/work/steps.h"
#include "compiler/graph/plan/launch_steps.h"
#include "tests/unit/model/launcher_maker.h"
#include "tests/unit/package/damaged.h"

using namespace hidet;
using namespace hidet::session;
using hidet::test::launchers_of;
using hidet::test::run_damaged;
using hidet::test::with_launchers;

namespace {

class LaunchedModule : public lang::BuiltModule {
public:
    const ir::ModuleRef& lowered() const override { return module; }
    std::string source() const override { return ""; }
    ir::ModuleRef module;
    artifact::Program program;
};

// A device that has nothing but the kernels of a plan: the emulator launches them.
class LaunchingEngine : public lang::Engine {
public:
    Ref<LaunchedModule> load(Work& work, const ir::ModuleRef& lowered, const std::vector<Launcher>& launchers) {
        Ref<LaunchedModule> out(new LaunchedModule);
        out->module = with_launchers(lowered, launchers);
        out->program = bytecode_of(work, out->module, work.sink).value();
        m_modules.push_back(out);
        return out;
    }
    Ref<lang::BuiltModule> build(const ir::ModuleRef&, Span, DiagnosticSink&) override { return nullptr; }
    bool call(lang::BuiltModule& built, const std::string& function, const std::vector<lang::CallArgument>& args,
              Span site, ReturnValue&, DiagnosticSink&) override {
        auto& module = static_cast<LaunchedModule&>(built);
        const MachineArguments prepared(m_machine, *ir::find_function(*module.module, function),
                                        {function, args, site});
        const vm::CallResult called = m_machine.call(module.program, function, prepared.values());
        launches += called.statistics.launches;
        mark_written(args);
        if (!called.ok)
            FAIL(called.findings.front().message);
        return true;
    }
    bool has_cuda() const override { return false; }
    void print(std::string_view) override {}

    std::uint64_t launches = 0;

private:
    std::vector<Ref<LaunchedModule>> m_modules; // outlive the machine, which refers to their programs
    vm::Machine m_machine;
};

struct PlannedModel {
    PlannedModel(const std::string& name, Target target, const std::string& precision = "") {
        const std::string folder = cat(HIDET_SOURCE_FOLDER, "/tests/models/", name);
        request.path = cat(folder, "/", name, ".onnx");
        request.data = folder;
        request.target = target;
        request.precision = precision;
        request.tools = open_tools({nullptr, false});
        std::ifstream scripts(folder + "/with.txt");
        for (std::string line; std::getline(scripts, line);)
            request.with.push_back(cat(HIDET_SOURCE_FOLDER, "/", line));
        stages.emplace(work, request);
        REQUIRE(stages->import());
        REQUIRE(stages->optimise());
        REQUIRE(stages->plan());
    }
    const graph::CompiledGraph& compiled() const { return stages->compiled(); }

    // As in a package for GPUs.
    artifact::LaunchPlan launching() {
        for (const ir::ModuleRef& module : image_modules(compiled().plan))
            lowered.push_back(
                session::lowered(work, module, compiler::LowerTo::Emulation, compiled().plan.target, work.sink));
        std::vector<ir::ModuleRef> by_program;
        for (std::size_t i = 0; i < compiled().plan.programs.size(); ++i)
            by_program.push_back(lowered[i / programs_per_image]);
        auto plan = with_launches(compiled().graph, compiled().plan, by_program);
        if (!plan)
            FAIL(plan.error().message);
        return std::move(plan).value();
    }

    Work work;
    ModelRunRequest request;
    std::optional<ModelStages> stages;
    std::vector<ir::ModuleRef> lowered;
};

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(cat(HIDET_SOURCE_FOLDER, "/tests/models"))) {
        const std::string name = entry.path().filename().string();
        if (std::filesystem::exists(entry.path() / "output_0.pb") && name != "wrong")
            names.push_back(name);
    }
    std::ranges::sort(names);
    REQUIRE(names.size() >= 5);
    return names;
}

std::string bytes_of_results(const Tensors& tensors) {
    std::string out;
    for (const lang::TensorRef& tensor : tensors)
        out.append(reinterpret_cast<const char*>(tensor->read()),
                   static_cast<std::size_t>(tensor->count() * graph::item_bytes(tensor->dtype)));
    return out;
}

struct Launched {
    std::size_t maps = 0;       // of tensors
    std::size_t overlapped = 0; // launches that may begin early
};

Launched run_both(const std::string& name, const std::string& precision) {
    CAPTURE(name);
    PlannedModel model(name, Target::Emulate, precision);
    const auto plan = std::make_shared<const artifact::LaunchPlan>(model.launching());
    REQUIRE(problem_of(*plan) == "");
    const auto calls = [](const artifact::PlanBody& body) {
        return std::ranges::any_of(body.steps, [](const auto& step) { return step.kind == artifact::StepKind::Call; });
    };
    REQUIRE(!calls(*plan));
    REQUIRE(std::ranges::none_of(plan->bodies, calls));
    const auto inputs = model_inputs(model.work, model.request, *plan);
    REQUIRE(inputs.has_value());

    REQUIRE(model.stages->build());
    const auto wanted = model.stages->runner().run(*inputs, model.work.sink);
    REQUIRE(wanted.has_value());
    const std::string wanted_bytes = bytes_of_results(*wanted);

    LaunchingEngine engine;
    PlanParts parts{plan, model.compiled().plan.weights, {}};
    std::vector<Ref<LaunchedModule>> images;
    for (std::size_t i = 0; i < model.lowered.size(); ++i) {
        std::set<artifact::Row> modules;
        for (std::size_t row = 0; row < plan->modules.size(); ++row)
            if (row / programs_per_image == i)
                modules.insert(static_cast<artifact::Row>(row));
        images.push_back(engine.load(model.work, model.lowered[i], launchers_of(*plan, modules)));
    }
    for (std::size_t i = 0; i < plan->modules.size(); ++i)
        parts.modules.push_back(images[i / programs_per_image]);
    PlanRunner runner(std::move(parts), engine, {{}, nullptr});
    runner.bind(*inputs);
    for (int run = 0; run < 2; ++run) {
        REQUIRE(runner.run(model.work.sink));
        REQUIRE(bytes_of_results(runner.outputs()) == wanted_bytes);
    }
    REQUIRE(engine.launches > 0);
    const auto overlapped = std::ranges::count_if(plan->steps, [](const auto& step) { return step.overlaps; });
    return {plan->maps.size(), static_cast<std::size_t>(overlapped)};
}

// Few enough of the bytes that each kind of damage meets each plan in a second.
void damage(const artifact::LaunchPlan& plan, std::size_t times) {
    std::mt19937 random(5);
    const std::string bytes = to_bytes(plan);
    const auto damaged = [&] {
        std::string bad = bytes;
        const std::size_t at = random() % bad.size();
        switch (random() % 3) {
        case 0: bad[at] = static_cast<char>(random()); break;
        case 1: bad[at] ^= static_cast<char>(1u << random() % 8); break;
        case 2: bad.erase(at, 1 + random() % 4); break;
        }
        return bad;
    };
    run_damaged(bytes);
    for (std::size_t i = 0; i < times; ++i)
        run_damaged(damaged());
}

} // namespace

TEST_CASE("a plan that launches kernels gives the bytes of the plan that calls host functions") {
    for (const std::string& name : model_names())
        run_both(name, "");
}

TEST_CASE("a plan whose kernels take tensor maps gives the bytes of the plan that calls host functions") {
    Launched all;
    for (const std::string& name : model_names()) {
        const Launched one = run_both(name, "float16");
        all.maps += one.maps;
        all.overlapped += one.overlapped;
    }
    REQUIRE(all.maps > 0);
    REQUIRE(all.overlapped > 0);
}

TEST_CASE("no damage of the plan of a model makes reading or running it do harm") {
    for (const std::string& name : model_names()) {
        CAPTURE(name);
        damage(PlannedModel(name, Target::Cpu).compiled().plan.launch, 3000);
        damage(PlannedModel(name, Target::Emulate).launching(), 3000);
        damage(PlannedModel(name, Target::Emulate, "float16").launching(), 1000);
    }
}
