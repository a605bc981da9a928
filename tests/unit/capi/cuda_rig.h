// SPDX-License-Identifier: Apache-2.0
// A package for a GPU that is none (tests/fake/cuda), and what is done with it through the interface of C.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <doctest/doctest.h>

#include "compiler/artifact/tensor_map.h"
#include "runtime/capi/hidet_runtime.h"
#include "runtime/cuda/driver_api.h"
#include "tests/fake/cuda/control.h"
#include "tests/unit/artifact/full_plan.h"
#include "tests/unit/capi/package_bytes.h"

extern "C" {
hidet::cuda::Status cuMemAlloc_v2(hidet::cuda::DeviceAddress* address, std::size_t bytes);
hidet::cuda::Status cuMemFree_v2(hidet::cuda::DeviceAddress address);
hidet::cuda::Status cuStreamCreateWithPriority(hidet::cuda::StreamHandle* stream, unsigned flags, int priority);
hidet::cuda::Status cuStreamDestroy_v2(hidet::cuda::StreamHandle stream);
hidet::cuda::Status cuCtxSetCurrent(hidet::cuda::ContextHandle context);
}

namespace hidet::test {

inline const char* const gpu_image = "fake-module sm_90\n"
                                     "kernel add params=8,8,8,8 shared=1024 registers=64\n"
                                     "kernel scale params=128,8,4\n";

// t = x + w by one kernel; y = 1.5 t by another, which begins early, reads t by a tensor map, and wants clusters and much shared
// memory.
inline LaunchPlan gpu_plan() {
    LaunchPlan plan;
    plan.target = "cuda";
    plan.symbols = {{"n", 0, 0, 0, 64}};
    plan.expressions = {{{ExprOp::Symbol, 0}},
                        {{ExprOp::Symbol, 0}, {ExprOp::Constant, 4}, {ExprOp::Mul}},
                        {{ExprOp::Constant, 1}},
                        {{ExprOp::Constant, 0}},
                        {{ExprOp::Constant, 4}},
                        {{ExprOp::Constant, 100'000}},
                        {{ExprOp::Constant, std::bit_cast<std::int64_t>(1.5)}}};
    plan.weights = {{"w.bin", 4, 4, "float32", {1}, {1}, ""}};
    const auto value = [&](const char* name, Place place, Row extent, Row bytes) -> PlanValue& {
        return plan.values.emplace_back(
            PlanValue{.name = name, .dtype = "float32", .shape = {extent}, .place = place, .bytes = bytes});
    };
    value("x", Place::Input, 0, 1);
    value("w", Place::Constant, 2, 4).weight = 0;
    PlanValue& t = value("t", Place::Arena, 0, 1);
    t.offset = 3;
    t.first_step = 0;
    value("y", Place::Output, 0, 1);
    plan.inputs = {0};
    plan.outputs = {3};
    plan.modules = {{"0123456789abcdef"}};
    plan.functions = {
        {0,
         "add",
         "add",
         {{"x", Scalar::F32, true}, {"w", Scalar::F32, true}, {"t", Scalar::F32, true}, {"n", Scalar::I64}}},
        {0, "scale", "scale", {{"t", Scalar::F32, false, true}, {"y", Scalar::F32, true}, {"factor", Scalar::F32}}}};
    plan.images = {{0, ImageKind::Cubin, "sm_90", "k.cubin", {}, ""}};
    plan.maps = {{.element = package::MapElement::F32,
                  .swizzle = 32,
                  .l2_promotion = 128,
                  .extents = {0},
                  .strides = {},
                  .box = {8},
                  .lower = {},
                  .upper = {},
                  .element_strides = {1}}};
    plan.sections = {{0, 2, 1, no_row}};
    PlanStep add = step_of(StepKind::Launch, 0, {0, 1}, {2}), scale = step_of(StepKind::Launch, 0, {2}, {3});
    add.function = 0;
    add.arguments = {
        {.value = 0}, {.value = 1}, {.value = 2}, {.kind = ArgumentKind::Scalar, .expression = 0, .type = Scalar::I64}};
    add.grid = {0, 2, 2};
    add.block = {4, 2, 2};
    add.cluster = scale.grid = {2, 2, 2};
    add.overlaps = true; // of nothing
    add.kernels = {"add"};
    scale.function = 1;
    scale.arguments = {{.kind = ArgumentKind::TensorMap, .value = 2, .map = 0},
                       {.value = 3},
                       {.kind = ArgumentKind::Scalar, .expression = 6, .type = Scalar::F32}};
    scale.grid = scale.block = scale.cluster = {4, 2, 2};
    scale.dynamic_shared = 5;
    scale.overlaps = true;
    scale.kernels = {"scale", "after"};
    plan.steps = {add, scale};
    return plan;
}

using Floats = std::vector<float>;

// What the kernels do, and what they were launched with.
struct GpuKernels {
    std::vector<FakeCudaLaunch> launches; // without their parameters
    std::vector<std::string> names;
    const float* x = nullptr; // of the last one

    GpuKernels() {
        fake_cuda_on_launch(
            [](const FakeCudaLaunch* launch, void* self) { static_cast<GpuKernels*>(self)->run(*launch); }, this);
    }
    ~GpuKernels() { fake_cuda_on_launch(nullptr, nullptr); }
    template <class T>
    static T parameter(const FakeCudaLaunch& launch, std::size_t i) {
        T value;
        REQUIRE(launch.parameter_bytes[i] == sizeof value);
        std::memcpy(&value, launch.parameters[i], sizeof value);
        return value;
    }
    void run(const FakeCudaLaunch& launch) {
        names.emplace_back(launch.kernel);
        launches.push_back(launch);
        if (names.back() == "add") {
            x = parameter<const float*>(launch, 0);
            for (std::int64_t i = 0; i < parameter<std::int64_t>(launch, 3); ++i)
                parameter<float*>(launch, 2)[i] = x[i] + *parameter<const float*>(launch, 1);
        } else if (names.back() == "scale") {
            TensorMap map;
            REQUIRE(launch.parameter_bytes[0] == TensorMap::bytes);
            std::memcpy(&map, launch.parameters[0], sizeof map);
            REQUIRE(map.made == TensorMap::mark);
            REQUIRE((map.dtype == 7 && map.rank == 1 && map.swizzle == 32 && map.promotion == 2 && map.box[0] == 8));
            const auto* t = reinterpret_cast<const float*>(map.address);
            for (std::uint64_t i = 0; i < map.extents[0]; ++i)
                parameter<float*>(launch, 1)[i] = parameter<float>(launch, 2) * t[i];
        }
    }
};

// A package and the fake driver, as new.
class GpuRig {
public:
    explicit GpuRig(const char* settings = "", const LaunchPlan& plan = gpu_plan(),
                    std::map<std::string, std::string> members = {}) {
        setenv("HIDET_LIBCUDA", HIDET_FAKE_CUDA_LIBRARY, 1);
        cuCtxSetCurrent(nullptr);
        fake_cuda_reset();
        fake_cuda_set(settings);
        constexpr float weights[] = {0, 10};
        members.emplace("k.cubin", gpu_image);
        members.emplace("w.bin", std::string(reinterpret_cast<const char*>(weights), sizeof weights));
        m_bytes = package_bytes(plan, std::move(members));
        hidet_open_options open = {};
        open.size = sizeof open;
        open.log = [](void* self, int, const char* message) { static_cast<GpuRig*>(self)->logged += message; };
        open.log_self = this;
        if (hidet_open_memory(m_bytes.data(), m_bytes.size(), &open, &package, &error) != HIDET_OK)
            FAIL(error.message);
        options.size = sizeof options;
        options.device = {HIDET_CUDA, 0};
    }
    ~GpuRig() { hidet_close(package); }
    GpuRig(const GpuRig&) = delete;
    GpuRig& operator=(const GpuRig&) = delete;

    // Null: the error says why.
    hidet_context* context() {
        hidet_context* made = nullptr;
        hidet_create(package, &options, &made, &error);
        return made;
    }
    bool bind(hidet_context* context, void* data, std::int64_t n, hidet_device device = {HIDET_CPU, 0}) {
        std::int64_t shape[] = {n};
        const hidet_tensor input{data, device, 1, {HIDET_FLOAT, 32, 1}, shape, nullptr, 0};
        return hidet_bind(context, &input, 1, &error) == HIDET_OK;
    }
    bool run(hidet_context* context, void* stream = nullptr) { return hidet_run(context, stream, &error) == HIDET_OK; }
    Floats result(hidet_context* context, std::size_t n) {
        Floats out(n);
        if (hidet_read_output(context, 0, out.data(), n * sizeof(float), &error) != HIDET_OK)
            return {};
        return out;
    }
    std::string create_error() {
        hidet_context* const made = context();
        hidet_destroy(made);
        return made ? "" : error.message;
    }

    hidet_package* package = nullptr;
    hidet_context_options options = {};
    hidet_error error = {};
    std::string logged;

private:
    std::string m_bytes;
};

// Nothing is left, and the thread has the context that it had.
inline std::string leftovers() {
    return fake_cuda_bytes() == 0 && fake_cuda_objects() == 0 && !fake_cuda_current()
               ? ""
               : std::to_string(fake_cuda_bytes()) + " bytes, " + std::to_string(fake_cuda_objects()) + " objects" +
                     (fake_cuda_current() ? ", and a current context" : "");
}

} // namespace hidet::test
