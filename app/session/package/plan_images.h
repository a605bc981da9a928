// SPDX-License-Identifier: Apache-2.0
// The compiled functions of launch plans, as files hold them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/execute/native.h"
#include "app/session/plan/plan_runner.h"
#include "compiler/graph/plan/plan.h"
#include "runtime/vm/machine.h"

namespace hidet::session {

// Who asks for them.
struct ImageRequest {
    RunRequest run; // its tools compile
    std::function<void(std::size_t done, std::size_t total)> progress = {};
};

struct PlanImages {
    struct File {
        std::string member;
        std::string bytes;
    };
    artifact::LaunchPlan plan; // which names the images, and what is in them
    std::vector<File> files;
};

// What is compiled: the plan names functions of its modules.
struct ImageSource {
    artifact::LaunchPlan plan;
    std::vector<ir::ModuleRef> modules; // as they were written; each holds so many of the plan's
    std::vector<ir::ModuleRef> lowered; // for GPUs: the same for the emulator, whose host code launches
    std::size_t modules_each = 1;
};

// One object for each level of processors, which needs the C library alone: "model.x86-64-v3.so", where `stem` is "model".
// Nothing: the work says why.
std::optional<PlanImages> compile_for_cpu(Work& work, const ImageRequest& request, ImageSource source,
                                          const std::string& stem, const std::vector<std::string>& levels);
// Files are called `stem`, a number and what they are: "model.0.sm_90a.cubin".
struct GpuForm {
    std::string architecture; // "sm_90a"
    artifact::ImageKind kind = artifact::ImageKind::Cubin;
};
std::optional<PlanImages> compile_for_gpus(Work& work, const ImageRequest& request, ImageSource source,
                                           const std::vector<GpuForm>& forms, const std::string& stem);

// Of a graph. For GPUs its plan becomes one that launches kernels. Nothing: the work says why.
ImageSource source_for_cpu(const graph::Plan& plan);
std::optional<ImageSource> source_for_gpus(Work& work, const graph::CompiledGraph& compiled);

// Gives a function the symbol and the parameters of its entry point; false: there is none of its name.
bool describe(artifact::PlanFunction& function, const std::vector<artifact::EntryPoint>& entries);

// As many programs an image as make no difference to the compiler; how many there are does not depend on the machine.
inline constexpr std::size_t programs_per_image = 16;
std::vector<ir::ModuleRef> image_modules(const graph::Plan& plan);

// The levels of x86-64 that C++ is compiled for, the best first.
struct ProcessorLevel {
    const char* name;
    vm::VectorIsa isa;
};
inline constexpr ProcessorLevel processor_levels[] = {
    {"x86-64-v4", vm::VectorIsa::V4}, {"x86-64-v3", vm::VectorIsa::V3}, {"x86-64-v2", vm::VectorIsa::V2}};
std::vector<std::string> processor_level_names();

} // namespace hidet::session
