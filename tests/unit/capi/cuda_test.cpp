// SPDX-License-Identifier: Apache-2.0
// Packages on a GPU: what the driver is asked to do, and in which order.
#include "tests/unit/capi/cuda_rig.h"

using namespace hidet;
using namespace hidet::test;

TEST_CASE("the second run of what is bound is recorded, and later ones are launches of its graph") {
    GpuRig rig;
    GpuKernels kernels;
    hidet_context* const context = rig.context();
    REQUIRE_MESSAGE(context, rig.error.message);
    Floats x = {1, 2, 3};
    REQUIRE(rig.bind(context, x.data(), 3));
    for (int round = 0; round < 4; ++round) {
        x[0] = static_cast<float>(round); // read at each run
        REQUIRE_MESSAGE(rig.run(context), rig.error.message);
        REQUIRE(rig.result(context, 3) == Floats{1.5f * static_cast<float>(round + 10), 18, 19.5});
        REQUIRE(fake_cuda_calls("cuGraphInstantiateWithFlags") == (round > 0));
        REQUIRE(fake_cuda_calls("cuGraphLaunch") == round);
    }
    REQUIRE(fake_cuda_calls("cuTensorMapEncodeTiled") == 1);
    Floats longer(5, 1);
    REQUIRE(rig.bind(context, longer.data(), 5));
    REQUIRE(rig.run(context));
    REQUIRE(rig.result(context, 5) == Floats(5, 16.5));
    REQUIRE(fake_cuda_calls("cuGraphLaunch") == 3);
    REQUIRE(rig.logged.empty());
    hidet_destroy(context);
    REQUIRE(leftovers() == "");
}

TEST_CASE("a kernel is launched with its extents, its attributes and the shared memory that it wants") {
    GpuRig rig;
    GpuKernels kernels;
    hidet_context* const context = rig.context();
    Floats x = {1, 2, 3};
    REQUIRE(rig.bind(context, x.data(), 3));
    REQUIRE(rig.run(context));
    REQUIRE(kernels.names == std::vector<std::string>{"add", "scale"});
    const FakeCudaLaunch &add = kernels.launches[0], &scale = kernels.launches[1];
    REQUIRE((add.grid[0] == 3 && add.block[0] == 4 && add.cluster[0] == 1 && add.dynamic_shared == 0));
    REQUIRE(!add.is_programmatic); // the inputs are copied before
    REQUIRE((scale.grid[0] == 4 && scale.cluster[0] == 4 && scale.dynamic_shared == 100'000));
    REQUIRE(scale.is_programmatic);
    REQUIRE(std::string(hidet_runs_on(context)) == "Fake GPU (sm_90a)");
    hidet_destroy(context);
}

TEST_CASE("a launch without blocks is none") {
    GpuRig rig;
    GpuKernels kernels;
    hidet_context* const context = rig.context();
    REQUIRE(rig.bind(context, nullptr, 0));
    REQUIRE_MESSAGE(rig.run(context), rig.error.message);
    REQUIRE(kernels.names.empty());
    hidet_destroy(context);
    REQUIRE(leftovers() == "");
}

TEST_CASE("memory of the GPU is read where it is, unless kernels could not read it there") {
    GpuRig rig;
    GpuKernels kernels;
    hidet_context* const context = rig.context();
    cuda::DeviceAddress memory = 0;
    REQUIRE(cuMemAlloc_v2(&memory, 64) == cuda::Status::Success);
    auto* const data = reinterpret_cast<float*>(memory);
    std::fill_n(data, 16, 2.0f);
    const int copies = fake_cuda_calls("cuMemcpyHtoDAsync_v2");
    for (const std::size_t offset : {4, 1}) { // numbers
        REQUIRE(rig.bind(context, data + offset, 3, {HIDET_CUDA, 0}));
        REQUIRE(rig.run(context));
        REQUIRE((kernels.x == data + offset) == (offset == 4));
        REQUIRE(rig.result(context, 3) == Floats(3, 18));
    }
    REQUIRE(fake_cuda_calls("cuMemcpyHtoDAsync_v2") == copies);
    REQUIRE(!rig.bind(context, data, 3, {HIDET_CUDA, 1}));
    REQUIRE(std::string(rig.error.message) == "input 'x' is on GPU 1, and the context on GPU 0");
    REQUIRE(!rig.bind(context, data, 3, {10, 0}));
    cuMemFree_v2(memory);
    hidet_destroy(context);
    REQUIRE(leftovers() == "");
}

TEST_CASE("a run is made in the stream that the caller names, and results stay on the GPU") {
    GpuRig rig;
    GpuKernels kernels;
    cuda::StreamHandle stream = nullptr;
    cuStreamCreateWithPriority(&stream, 0, 0);
    hidet_context* const context = rig.context();
    Floats x = {1, 2, 3};
    REQUIRE(rig.bind(context, x.data(), 3));
    REQUIRE((rig.run(context) && rig.run(context, stream)));
    REQUIRE(fake_cuda_graph_stream() == stream);
    REQUIRE(fake_cuda_calls("cuStreamWaitEvent") == 1); // for the run in the other stream
    REQUIRE(rig.run(context, stream));
    REQUIRE(fake_cuda_calls("cuStreamWaitEvent") == 1);
    hidet_tensor y;
    REQUIRE(hidet_output(context, 0, &y, &rig.error) == HIDET_OK);
    REQUIRE((y.device.type == HIDET_CUDA && static_cast<float*>(y.data)[2] == 19.5f));
    cuda::DeviceAddress copy = 0;
    cuMemAlloc_v2(&copy, 12);
    y.data = reinterpret_cast<void*>(copy);
    REQUIRE(hidet_copy_output(context, 0, &y, &rig.error) == HIDET_OK);
    REQUIRE(hidet_wait(context, &rig.error) == HIDET_OK);
    REQUIRE(reinterpret_cast<float*>(copy)[0] == 16.5f);
    cuMemFree_v2(copy);
    hidet_destroy(context);
    cuStreamDestroy_v2(stream);
    REQUIRE(leftovers() == "");
}

TEST_CASE("contexts of a package share its weights and its code") {
    GpuRig rig;
    GpuKernels kernels;
    hidet_context *const one = rig.context(), *const other = rig.context();
    REQUIRE((one && other));
    REQUIRE(fake_cuda_calls("cuModuleLoadDataEx") == 1);
    REQUIRE(fake_cuda_calls("cuMemAlloc_v2") == 1);
    hidet_memory_use use;
    hidet_memory(other, &use);
    REQUIRE((use.weights == 256 && use.activations == 0));
    hidet_destroy(one);
    Floats x = {1};
    REQUIRE((rig.bind(other, x.data(), 1) && rig.run(other)));
    REQUIRE(rig.result(other, 1) == Floats{16.5});
    hidet_destroy(other);
    REQUIRE(leftovers() == "");
}

TEST_CASE("what is bound again needs no other memory, and no other graph where it is read at the same place") {
    GpuRig rig;
    GpuKernels kernels;
    hidet_context* const context = rig.context();
    Floats x = {1, 2, 3}, longer(5, 1);
    int allocations = 0;
    for (int round = 0; round < 3; ++round) {
        Floats other = {static_cast<float>(round), 2, 3};
        REQUIRE((rig.bind(context, other.data(), 3) && rig.run(context)));
        REQUIRE(rig.result(context, 3)[0] == 1.5f * static_cast<float>(round + 10));
        REQUIRE(fake_cuda_calls("cuGraphInstantiateWithFlags") == (round > 0));
    }
    for (int round = 0; round < 3; ++round) {
        REQUIRE((rig.bind(context, x.data(), 3) && rig.run(context) && rig.run(context)));
        REQUIRE((rig.bind(context, longer.data(), 5) && rig.run(context) && rig.run(context)));
        REQUIRE(rig.result(context, 5) == Floats(5, 16.5));
        if (round == 0)
            allocations = fake_cuda_calls("cuMemAlloc_v2");
    }
    REQUIRE(fake_cuda_calls("cuMemAlloc_v2") == allocations);
    cuda::DeviceAddress memory = 0;
    cuMemAlloc_v2(&memory, 512);
    for (int round = 0; round < 4; ++round) { // at two places of the GPU
        auto* const data = reinterpret_cast<float*>(memory + 256 * static_cast<unsigned>(round % 2));
        std::fill_n(data, 3, static_cast<float>(round));
        REQUIRE((rig.bind(context, data, 3, {HIDET_CUDA, 0}) && rig.run(context) && rig.run(context)));
        REQUIRE(rig.result(context, 3) == Floats(3, 1.5f * static_cast<float>(round + 10)));
        REQUIRE(kernels.x == data);
    }
    cuMemFree_v2(memory);
    hidet_destroy(context);
    REQUIRE(leftovers() == "");
}

TEST_CASE("a context that the caller made current is the one that is used, and stays current") {
    GpuRig rig;
    GpuKernels kernels;
    int theirs = 0;
    auto* const current = reinterpret_cast<cuda::ContextHandle>(&theirs);
    cuCtxSetCurrent(current);
    hidet_context* const context = rig.context();
    Floats x = {1};
    REQUIRE((rig.bind(context, x.data(), 1) && rig.run(context) && rig.run(context)));
    REQUIRE(fake_cuda_current() == current);
    hidet_destroy(context);
    REQUIRE(fake_cuda_current() == current);
    REQUIRE(fake_cuda_calls("cuDevicePrimaryCtxRetain") == 0);
    cuCtxSetCurrent(nullptr);
    REQUIRE(leftovers() == "");
}

TEST_CASE("the caller's allocator gives all memory, and gets it back") {
    struct Counts {
        int given = 0, back = 0;
        std::uint64_t misaligned = 0;
    } counts;
    const hidet_allocator allocator = {
        &counts,
        [](void* self, hidet_device device, std::size_t bytes, std::size_t, void*) -> void* {
            cuda::DeviceAddress address = 0;
            if (device.type != HIDET_CUDA || cuMemAlloc_v2(&address, bytes + 256) != cuda::Status::Success)
                return nullptr;
            ++static_cast<Counts*>(self)->given;
            return reinterpret_cast<void*>(address + static_cast<Counts*>(self)->misaligned);
        },
        [](void* self, hidet_device, void* data, std::size_t, void*) {
            ++static_cast<Counts*>(self)->back;
            cuMemFree_v2(reinterpret_cast<cuda::DeviceAddress>(data) - static_cast<Counts*>(self)->misaligned);
        }};
    GpuRig rig;
    GpuKernels kernels;
    rig.options.allocator = &allocator;
    hidet_context* const context = rig.context();
    Floats x = {1, 2, 3};
    cuda::StreamHandle stream = nullptr;
    cuStreamCreateWithPriority(&stream, 0, 0);
    REQUIRE((rig.bind(context, x.data(), 3) && rig.run(context, stream) && rig.run(context)));
    REQUIRE(rig.result(context, 3) == Floats{16.5, 18, 19.5});
    hidet_destroy(context);
    cuStreamDestroy_v2(stream);
    REQUIRE((counts.given == 4 && counts.back == 4)); // weights, the input's copy, the arena, the result
    counts.misaligned = 64;
    REQUIRE(rig.create_error().find("is not aligned to 256 bytes") != std::string::npos);
    REQUIRE(counts.given == counts.back);
    REQUIRE(leftovers() == "");
}

TEST_CASE("the time of each step is told, and then there is no graph") {
    GpuRig rig("time=add:12.5");
    GpuKernels kernels;
    std::vector<std::string> steps;
    rig.options.profile = [](void* self, const hidet_step_time* step) {
        static_cast<std::vector<std::string>*>(self)->push_back(
            std::string(step->name) + " " + std::to_string(static_cast<int>(step->microseconds * 10 + 0.5)));
    };
    rig.options.profile_self = &steps;
    hidet_context* const context = rig.context();
    Floats x = {1};
    REQUIRE((rig.bind(context, x.data(), 1) && rig.run(context)));
    REQUIRE(steps == std::vector<std::string>{"add 125", "scale+after 50"});
    REQUIRE((rig.run(context) && fake_cuda_calls("cuStreamBeginCapture_v2") == 0));
    hidet_destroy(context);
    REQUIRE(leftovers() == "");
}

TEST_CASE("a run that is cancelled ends between two steps") {
    GpuRig rig;
    GpuKernels kernels;
    int looks = 3;
    rig.options.is_cancelled = [](void* self) { return --*static_cast<int*>(self) < 0 ? 1 : 0; };
    rig.options.is_cancelled_self = &looks;
    hidet_context* const context = rig.context();
    Floats x = {1};
    REQUIRE((rig.bind(context, x.data(), 1) && rig.run(context)));
    REQUIRE(!rig.run(context));
    REQUIRE(rig.error.status == HIDET_CANCELLED);
    REQUIRE(kernels.names.size() == 3);
    hidet_destroy(context);
    REQUIRE(leftovers() == "");
}

TEST_CASE("copies may overlap, and memory is filled") {
    LaunchPlan plan = gpu_plan();
    plan.expressions.push_back({{ExprOp::Constant, 8}});
    plan.values[2].bytes = 1;
    plan.sections[0].end_step = 4;
    // The arena is t and, four bytes later, another value over it.
    plan.expressions.push_back(
        {{ExprOp::Symbol, 0}, {ExprOp::Constant, 4}, {ExprOp::Mul}, {ExprOp::Constant, 4}, {ExprOp::Add}});
    plan.sections[0].arena_bytes = 8;
    plan.values.push_back({.name = "later",
                           .dtype = "float32",
                           .shape = {0},
                           .place = Place::Arena,
                           .bytes = 1,
                           .offset = 4,
                           .first_step = 0});
    PlanStep copy = step_of(StepKind::Copy, 0, {2}, {4}), fill = step_of(StepKind::Fill, 0, {}, {2});
    copy.bytes = 7;
    fill.bytes = 4;
    plan.steps.insert(plan.steps.begin() + 1, {copy, fill});
    GpuRig rig("", plan);
    GpuKernels kernels;
    hidet_context* const context = rig.context();
    REQUIRE_MESSAGE(context, rig.error.message);
    Floats x = {1, 2, 3};
    REQUIRE(rig.bind(context, x.data(), 3));
    for (int round = 0; round < 3; ++round) {
        REQUIRE_MESSAGE(rig.run(context), rig.error.message);
        REQUIRE(rig.result(context, 3) == Floats{0, 16.5, 18});
    }
    REQUIRE((rig.logged.empty() && fake_cuda_calls("cuGraphLaunch") == 2));
    REQUIRE(!kernels.launches[1].is_programmatic); // what stands before it is no kernel
    hidet_destroy(context);
    REQUIRE(leftovers() == "");
}
