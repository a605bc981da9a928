// SPDX-License-Identifier: Apache-2.0
// Packages on a GPU where something fails: it is told, nothing is kept, and the caller's thread is as it was.
#include "tests/unit/capi/cuda_rig.h"

using namespace hidet;
using namespace hidet::test;

namespace {

// Opens, runs three times, reads, with a stream of the caller's in between. Empty: the results are right.
std::string use_all(GpuRig& rig) {
    GpuKernels kernels;
    hidet_context* const context = rig.context();
    std::string failed = context ? "" : rig.error.message;
    Floats x = {1, 2, 3};
    if (context && !rig.bind(context, x.data(), 3))
        failed = rig.error.message;
    for (int round = 0; round < 3 && failed.empty(); ++round) {
        x[0] = static_cast<float>(round);
        const Floats wanted = {1.5f * static_cast<float>(round + 10), 18, 19.5};
        if (!rig.run(context) || hidet_wait(context, &rig.error) != HIDET_OK)
            failed = rig.error.message;
        else if (const Floats got = rig.result(context, 3); got != wanted)
            failed = got.empty() ? rig.error.message : "the results are wrong";
    }
    hidet_destroy(context);
    return failed;
}

// What it does not destroy when it is told to fail stays.
bool is_end_of_something(const std::string& function) {
    for (const char* word : {"Destroy", "Free", "Unload", "Release"})
        if (function.find(word) != std::string::npos)
            return true;
    return false;
}

LaunchPlan checking_plan() {
    LaunchPlan plan = gpu_plan();
    plan.values.push_back({.name = "indices", .dtype = "int64", .shape = {2}, .place = Place::Input, .bytes = 7});
    plan.values.push_back({.name = "checked", .dtype = "int64", .shape = {2}, .place = Place::Host, .bytes = 7});
    plan.values[5].first_step = plan.values[5].last_step = 0;
    plan.expressions.push_back({{ExprOp::Constant, 8}});
    plan.inputs = {0, 4};
    PlanStep check = step_of(StepKind::Host, 0, {4}, {5});
    check.op = HostOperator::CheckIndices;
    check.attributes = {{"extents", package::AttributeKind::Shape, {}, {}, {}, {0}},
                        {"from_end", package::AttributeKind::Bool, {1}, {}, {}, {}},
                        {"ignored", package::AttributeKind::Ints, {}, {}, {}, {}},
                        {"tensor", package::AttributeKind::Text, {}, {}, {"indices"}, {}}};
    plan.steps.insert(plan.steps.begin(), check);
    plan.sections = {{0, 1, 3, no_row}, {1, 3, 1, no_row}};
    for (std::size_t i = 1; i < 3; ++i)
        plan.steps[i].section = 1;
    plan.values[2].first_step = 1;
    return plan;
}

} // namespace

TEST_CASE("whichever call of the driver fails, it is told or done without, and nothing is left") {
    const char* const functions[] = {
#define HIDET_CUDA_FUNCTION(member, symbol, need, params) #symbol,
#include "runtime/cuda/driver_functions.def"
#undef HIDET_CUDA_FUNCTION
    };
    int failures = 0, others = 0;
    for (const std::string function : functions) {
        if (is_end_of_something(function))
            continue;
        for (int nth = 1;; ++nth) {
            GpuRig rig(("fail=" + function + ":" + std::to_string(nth) + ":304").c_str());
            const std::string failed = use_all(rig);
            if (fake_cuda_calls(function.c_str()) < nth)
                break;
            INFO(function, ", call ", nth, ": ", failed, rig.logged);
            REQUIRE(failed != "the results are wrong");
            REQUIRE(leftovers() == "");
            ++(failed.empty() ? others : failures);
            const bool is_named = function != "cuDeviceGetAttribute"; // else the driver is an older one
            if (!failed.empty() && is_named)
                REQUIRE(failed.find("CUDA_ERROR_OPERATING_SYSTEM") != std::string::npos);
        }
    }
    REQUIRE(failures > 40);
    REQUIRE(others > 5); // names, attributes, graphs
}

TEST_CASE("a graph that cannot be recorded is done without, and why is logged") {
    for (const char* settings : {"fail=cuStreamBeginCapture_v2:1:801", "fail=cuStreamEndCapture:1:901",
                                 "fail=cuGraphInstantiateWithFlags:1:2"}) {
        GpuRig rig(settings);
        REQUIRE(use_all(rig) == "");
        REQUIRE(rig.logged.starts_with("no CUDA graph: "));
        REQUIRE(fake_cuda_calls("cuStreamBeginCapture_v2") == 1);
        REQUIRE(leftovers() == "");
    }
}

TEST_CASE("an error that a kernel causes is told by whoever waits, with what was launched last") {
    GpuRig rig("fault=scale:700");
    GpuKernels kernels;
    hidet_context* const context = rig.context();
    Floats x = {1};
    REQUIRE((rig.bind(context, x.data(), 1) && rig.run(context)));
    REQUIRE(hidet_wait(context, &rig.error) == HIDET_FAILED);
    REQUIRE(std::string(rig.error.message) ==
            "waiting for the last run failed: a kernel accessed an illegal address (CUDA_ERROR_ILLEGAL_ADDRESS); "
            "launched last was 'scale' in step 1; this process cannot use the GPU any more");
    REQUIRE(!rig.run(context));
    REQUIRE(rig.result(context, 1).empty());
    hidet_destroy(context);
}

TEST_CASE("memory that there is not is refused with how much was wanted") {
    GpuRig rig("memory=300");
    GpuKernels kernels;
    hidet_context* const context = rig.context();
    REQUIRE_MESSAGE(context, rig.error.message);
    Floats x = {1};
    REQUIRE(!rig.bind(context, x.data(), 1));
    REQUIRE(rig.error.status == HIDET_OUT_OF_MEMORY);
    REQUIRE(std::string(rig.error.message).find("Fake GPU has no 256 bytes left: 44 of its 300 are free") !=
            std::string::npos);
    hidet_destroy(context);
    REQUIRE(leftovers() == "");
}

TEST_CASE("a GPU that the package has no code for is told so") {
    GpuRig old("sm=80");
    REQUIRE(old.create_error().find("'main' is compiled for cuda (sm_90)") != std::string::npos);
    REQUIRE(old.error.status == HIDET_UNSUPPORTED);
    GpuRig none;
    none.options.device.id = 3;
    REQUIRE(none.create_error() == "there is no GPU 3; the driver sees 1");
    REQUIRE(none.error.status == HIDET_NO_DEVICE);
    REQUIRE(leftovers() == "");
}

TEST_CASE("PTX stands behind machine code, and is given to the driver as a text") {
    LaunchPlan plan = gpu_plan();
    plan.images.push_back({0, ImageKind::Ptx, "sm_80", "k.ptx", {}, ""});
    const std::string ptx = "fake-module sm_80\nkernel add params=8,8,8,8\nkernel scale params=128,8,4";
    GpuRig newer("sm=89", plan, {{"k.ptx", ptx}});
    REQUIRE(use_all(newer).find("its blocks need 100000 bytes of shared memory beside 0, and Fake GPU has 65536") !=
            std::string::npos);
    REQUIRE(newer.logged.starts_with("'k.ptx' is PTX, which the driver compiled"));
    REQUIRE(fake_cuda_calls("cuModuleLoadDataEx") == 1);
    REQUIRE(leftovers() == "");
}

TEST_CASE("code that is not what the plan says is refused") {
    const auto error_with = [](const std::string& image, const LaunchPlan& plan = gpu_plan()) {
        GpuRig rig("", plan, {{"k.cubin", image}});
        const std::string error = rig.create_error();
        REQUIRE(leftovers() == "");
        return error;
    };
    REQUIRE(error_with("\177ELF") == "'k.cubin' is no whole cubin");
    std::string elf("\177ELF\2\1\1", 7);
    elf.resize(64);
    elf[58] = 64;  // bytes of a section's row
    elf[60] = 3;   // sections
    elf[40] = 100; // where they are
    REQUIRE(error_with(elf) == "'k.cubin' is no whole cubin");
    REQUIRE(error_with("\x50\xed\x55\xba and more").find("is a fatbin") != std::string::npos);
    REQUIRE(error_with("nonsense").find("cannot read 'k.cubin', which is compiled for sm_90") != std::string::npos);
    REQUIRE(error_with("").find("cannot read 'k.cubin'") != std::string::npos);
    REQUIRE(error_with("fake-module sm_90\nkernel add params=8,8,8,8") == "'k.cubin' has no kernel 'scale'");
    const std::string scale = "\nkernel scale params=128,8,4";
    REQUIRE(error_with("fake-module sm_90\nkernel add params=8,8,8,4" + scale) ==
            "'add' was compiled with 4 bytes for 'n', not 8");
    REQUIRE(error_with("fake-module sm_90\nkernel add params=8,8,8" + scale) ==
            "'add' was compiled with fewer parameters");
    REQUIRE(error_with("fake-module sm_90\nkernel add params=8,8,8,8,8" + scale) ==
            "'add' was compiled with more parameters");
    LaunchPlan nameless = gpu_plan();
    nameless.functions[0].symbol = "";
    REQUIRE(error_with(gpu_image, nameless) == "'add' has no symbol that it could be found by");
    LaunchPlan other_type = gpu_plan();
    other_type.steps[0].arguments[3].type = Scalar::F64;
    REQUIRE(error_with(gpu_image, other_type) == "the package is damaged: 'n' of 'add' is i64, and is given f64");
    LaunchPlan calling = gpu_plan();
    calling.steps[0].kind = StepKind::Call;
    REQUIRE(error_with(gpu_image, calling).find("calls functions of the CPU") != std::string::npos);
    LaunchPlan resizing = checking_plan();
    resizing.steps[0].op = HostOperator::OnnxNode;
    resizing.steps[0].attributes = {{"op", package::AttributeKind::Text, {}, {}, {"Resize"}, {}}};
    REQUIRE(error_with(gpu_image, resizing) ==
            "the operator 'Resize', whose parameters are data, is not one that packages have");
}

TEST_CASE("launches that a plan cannot mean are refused before the driver sees them") {
    const auto error_with = [](auto&& change) {
        LaunchPlan plan = gpu_plan();
        plan.expressions.push_back({{ExprOp::Constant, INT64_MAX}});
        plan.expressions.push_back({{ExprOp::Constant, -1}});
        change(plan);
        GpuRig rig("", plan);
        const std::string error = use_all(rig);
        REQUIRE(leftovers() == "");
        return error;
    };
    constexpr Row huge = 7, negative = 8;
    REQUIRE(error_with([](LaunchPlan& plan) { plan.steps[0].grid[1] = huge; }).find("'add' cannot be launched") == 0);
    REQUIRE(error_with([](LaunchPlan& plan) { plan.steps[1].grid[2] = negative; }).find("'scale' cannot") == 0);
    REQUIRE(error_with([](LaunchPlan& plan) { plan.steps[0].cluster[0] = 3; }).find("'add' cannot") == 0);
    REQUIRE(error_with([](LaunchPlan& plan) { plan.steps[0].block[0] = 5; }).find("have 100000 threads, and 1024") !=
            std::string::npos);
    REQUIRE(error_with([](LaunchPlan& plan) { plan.steps[1].dynamic_shared = huge; }) != "");
}

TEST_CASE("indices that data decides are looked at before kernels use them") {
    GpuRig rig("", checking_plan());
    GpuKernels kernels;
    hidet_context* const context = rig.context();
    REQUIRE_MESSAGE(context, rig.error.message);
    Floats x = {1, 2, 3};
    std::int64_t index = -3, shapes[] = {3, 1};
    const hidet_tensor inputs[] = {{x.data(), {HIDET_CPU, 0}, 1, {HIDET_FLOAT, 32, 1}, &shapes[0], nullptr, 0},
                                   {&index, {HIDET_CPU, 0}, 1, {HIDET_INT, 64, 1}, &shapes[1], nullptr, 0}};
    REQUIRE_MESSAGE(hidet_bind(context, inputs, 2, &rig.error) == HIDET_OK, rig.error.message);
    for (int round = 0; round < 3; ++round)
        REQUIRE_MESSAGE(rig.run(context), rig.error.message);
    REQUIRE(rig.result(context, 3) == Floats{16.5, 18, 19.5});
    REQUIRE(fake_cuda_calls("cuStreamBeginCapture_v2") == 0);
    index = 3;
    REQUIRE(!rig.run(context));
    REQUIRE(std::string(rig.error.message) == "'indices'[0] is 3, which is outside of the extent 3 that it indexes");
    REQUIRE(rig.error.status == HIDET_BAD_INPUT);
    hidet_destroy(context);
    REQUIRE(leftovers() == "");
}

TEST_CASE("indices among the inputs are looked at before a run, which is one graph nevertheless") {
    LaunchPlan plan = checking_plan();
    PlanStep check = plan.steps[0];
    check.section = 0;
    check.writes.clear();
    plan.steps.erase(plan.steps.begin());
    plan.steps[0].section = plan.steps[1].section = 0;
    plan.steps.push_back(check);
    plan.sections = {{0, 3, 1, no_row}};
    plan.values[2].first_step = 0;
    plan.values.pop_back();
    for (const bool trusts : {false, true})
        for (const hidet_device device : {hidet_device{HIDET_CPU, 0}, {HIDET_CUDA, 0}}) {
            GpuRig rig("", plan);
            GpuKernels kernels;
            rig.options.trusts_indices = trusts;
            hidet_context* const context = rig.context();
            REQUIRE_MESSAGE(context, rig.error.message);
            Floats x = {1, 2, 3};
            cuda::DeviceAddress memory = 0;
            REQUIRE(cuMemAlloc_v2(&memory, 16) == cuda::Status::Success);
            std::int64_t own = 0, shapes[] = {3, 1};
            std::int64_t& index = device.type == HIDET_CPU ? own : *reinterpret_cast<std::int64_t*>(memory);
            index = -3;
            const hidet_tensor inputs[] = {{x.data(), {HIDET_CPU, 0}, 1, {HIDET_FLOAT, 32, 1}, &shapes[0], nullptr, 0},
                                           {&index, device, 1, {HIDET_INT, 64, 1}, &shapes[1], nullptr, 0}};
            REQUIRE_MESSAGE(hidet_bind(context, inputs, 2, &rig.error) == HIDET_OK, rig.error.message);
            for (int round = 0; round < 3; ++round)
                REQUIRE_MESSAGE(rig.run(context), rig.error.message);
            REQUIRE(rig.result(context, 3) == Floats{16.5, 18, 19.5});
            REQUIRE(fake_cuda_calls("cuStreamBeginCapture_v2") == 1);
            index = 3;
            const std::size_t launched = kernels.launches.size();
            REQUIRE(rig.run(context) == trusts);
            if (!trusts) {
                REQUIRE(std::string(rig.error.message) ==
                        "'indices'[0] is 3, which is outside of the extent 3 that it indexes");
                REQUIRE(rig.error.status == HIDET_BAD_INPUT);
                REQUIRE(kernels.launches.size() == launched);
            }
            index = 2;
            REQUIRE_MESSAGE(rig.run(context), rig.error.message);
            REQUIRE(rig.result(context, 3) == Floats{16.5, 18, 19.5});
            hidet_destroy(context);
            cuMemFree_v2(memory);
            REQUIRE(leftovers() == "");
        }
}
