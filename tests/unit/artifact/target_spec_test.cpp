// SPDX-License-Identifier: Apache-2.0
// The table of machines is complete and agrees with itself, and names are found.
#include "compiler/artifact/target_spec.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "lang/base/text.h"

using namespace hidet;
using namespace hidet::artifact;

namespace {

void expect_limits(const TargetSpec& gpu) {
    REQUIRE((gpu.warp_threads == 32 && gpu.threads_per_block == 1024 && gpu.shared_per_block == 48 * 1024));
    REQUIRE((gpu.grid_blocks == std::array<std::int64_t, 3>{0x7fffffff, 65535, 65535}));
    REQUIRE((gpu.block_threads == std::array<std::int64_t, 3>{1024, 1024, 64}));
    REQUIRE(gpu.cluster_blocks == (gpu.arch.number >= 90 ? 16 : 0));
    REQUIRE(gpu.portable_cluster_blocks == (gpu.arch.number >= 90 ? 8 : 0));
    REQUIRE((gpu.warps >= 32 && gpu.blocks >= 16 && gpu.partitions > 0 && gpu.registers == 65'536));
    REQUIRE((gpu.register_unit > 0 && gpu.registers_per_thread == 255 && gpu.shared_unit > 0));
    REQUIRE(gpu.shared_per_block_optin >= gpu.shared_per_block);
    REQUIRE(gpu.shared_bytes >= gpu.shared_per_block_optin + gpu.shared_reserved);
    REQUIRE((gpu.l1_bytes == 0 || gpu.l1_bytes >= gpu.shared_bytes));
    REQUIRE(gpu.launch_seconds > 0);
}

void expect_figures(const TargetSpec& gpu) {
    REQUIRE((gpu.multiprocessors > 0 && gpu.clock_mhz > 0 && gpu.memory_bytes > 0 && gpu.l2_bytes > 0));
    REQUIRE(gpu.bytes_per_second > 0);
    REQUIRE((gpu.peak(Arithmetic::F64) > 0 && gpu.peak(Arithmetic::F32) > 0));
    REQUIRE(gpu.peak(Arithmetic::MatrixF16) > gpu.peak(Arithmetic::F32));
    REQUIRE(gpu.peak(Arithmetic::MatrixF16SumF16) >= gpu.peak(Arithmetic::MatrixF16));
    REQUIRE(gpu.peak(Arithmetic::MatrixI8) >= gpu.peak(Arithmetic::MatrixF16));
    REQUIRE((gpu.peak(Arithmetic::MatrixTf32) > 0) == gpu.has(Feature::MatrixTf32));
    REQUIRE((gpu.peak(Arithmetic::MatrixF8) > 0) == gpu.has(Feature::MatrixF8));
}

bool is_near(double value, double other) {
    return value > 0.9 * other && value < 1.1 * other;
}

TEST_CASE("every machine has all figures that a roof divides by") {
    for (const TargetSpec& machine : machines()) {
        REQUIRE((!machine.id.empty() && !machine.name.empty()));
        REQUIRE((machine.bytes_per_second > 0 && machine.peak(Arithmetic::F32) > 0 && machine.launch_seconds > 0));
        if (!machine.is_cuda()) {
            REQUIRE((machine.cores > 0 && machine.vector_bytes >= 16 && machine.l1_bytes > 0));
            REQUIRE(!machine.has(Feature::AsyncCopy));
            continue;
        }
        expect_limits(machine);
        expect_figures(machine);
        const Links& links = machine.links;
        REQUIRE((links.seconds > 0 && links.host_size == 8 && links.network_seconds > 0));
        REQUIRE(links.bytes_per_second > links.network_bytes_per_second);
        REQUIRE(links.network_bytes_per_second > 0);
    }
}

TEST_CASE("the peaks of the table are those that rates and clocks give") {
    for (const TargetSpec& machine : machines()) {
        if (!machine.is_cuda())
            continue;
        const TargetSpec unknown =
            spec_of({"of another name", machine.arch.number, machine.multiprocessors, machine.clock_mhz});
        for (const Arithmetic arithmetic :
             {Arithmetic::F32, Arithmetic::MatrixTf32, Arithmetic::MatrixF16SumF16, Arithmetic::MatrixI8}) {
            // Data sheets reckon matrix units with a clock below the highest, and desktop cards at half their rate.
            const double ratio = unknown.peak(arithmetic) / std::max(machine.peak(arithmetic), 1.0);
            const bool is_desktop_tf32 = machine.id == "rtx4090" && arithmetic == Arithmetic::MatrixTf32;
            REQUIRE((machine.peak(arithmetic) == unknown.peak(arithmetic) || is_near(ratio, is_desktop_tf32 ? 2 : 1)));
        }
    }
}

TEST_CASE("every architecture has limits, and they are those of the programming guide") {
    int found = 0;
    for (int number = 0; number < 200; ++number)
        if (const auto gpu = find_target(cat("sm_", number))) {
            expect_limits(*gpu);
            ++found;
        }
    REQUIRE(found == 21);
    REQUIRE(find_target("sm_103")->warps == find_target("sm_100")->warps);
    REQUIRE(find_target("sm_70")->shared_per_block_optin == 96 * 1024);
    REQUIRE(default_gpu().shared_per_block_optin == 227 * 1024);
}

TEST_CASE("ids are unique, and each finds its machine") {
    std::set<std::string> ids;
    for (const TargetSpec& machine : machines()) {
        REQUIRE(ids.insert(machine.id).second);
        REQUIRE(find_target(machine.id)->id == machine.id);
    }
}

TEST_CASE("architectures have the names that nvcc gives them") {
    REQUIRE(find_architecture("sm_75") == Architecture({75, false}));
    REQUIRE(find_architecture("sm_90") == Architecture({90, false}));
    REQUIRE(find_architecture("sm_90a") == Architecture({90, true}));
    REQUIRE(find_architecture("sm_100a") == Architecture({100, true}));
    for (const char* name :
         {"", "sm_", "sm_a", "sm_9", "sm_75a", "sm_91", "sm_090", "sm_90b", "sm_90aa", "compute_90", "SM_90"}) {
        REQUIRE(!find_architecture(name));
        REQUIRE(!find_target(name));
    }
    REQUIRE(architecture_name({100, true}) == "sm_100a");
}

TEST_CASE("an architecture provides what older ones have, but for what is special to one") {
    const Architecture hopper{90, true};
    REQUIRE((hopper.provides({80, false}) && hopper.provides({90, false}) && hopper.provides({90, true})));
    REQUIRE((!Architecture({90, false}).provides({90, true}) && !Architecture({100, true}).provides({90, true})));
    REQUIRE(!hopper.provides({100, false}));
    REQUIRE((default_gpu().has(Feature::Wgmma) && !default_gpu().has(Feature::Tcgen05)));
    REQUIRE((!find_target("sm_90")->has(Feature::Wgmma) && find_target("sm_90")->has(Feature::Clusters)));
    REQUIRE((find_target("b200")->has(Feature::Tcgen05) && !find_target("b200")->has(Feature::Wgmma)));
}

TEST_CASE("an architecture has the figures of the first machine that has it") {
    REQUIRE(find_target("sm_90a")->name == "NVIDIA H200");
    REQUIRE(find_target("sm_90a")->id == "sm_90a");
    REQUIRE(find_target("sm_89")->multiprocessors == 128);
    REQUIRE(find_target("sm_86")->multiprocessors == 0);
}

TEST_CASE("operands and sums say which matrix units work") {
    REQUIRE(matrix_arithmetic("bf16", "f32") == Arithmetic::MatrixF16);
    REQUIRE(matrix_arithmetic("f16", "f16") == Arithmetic::MatrixF16SumF16);
    REQUIRE(matrix_arithmetic("tf32", "f32") == Arithmetic::MatrixTf32);
    REQUIRE(matrix_arithmetic("f8e4m3", "f32") == Arithmetic::MatrixF8);
    REQUIRE(matrix_arithmetic("i8", "i32") == Arithmetic::MatrixI8);
    REQUIRE(!matrix_arithmetic("f64", "f64"));
}

TEST_CASE("a GPU that the table has gets its peaks, by the name that its driver gives") {
    const TargetSpec gpu = spec_of({"NVIDIA H100 80GB HBM3", 90, 132, 1980});
    REQUIRE(gpu.name == "NVIDIA H100 80GB HBM3");
    REQUIRE(gpu.id == "");
    REQUIRE(architecture_name(gpu.arch) == "sm_90a");
    REQUIRE(gpu.peak(Arithmetic::MatrixF16) == find_target("h100")->peak(Arithmetic::MatrixF16));
    REQUIRE(spec_of({"Tesla T4", 75, 40, 1590}).l2_bytes == 4 << 20);
    REQUIRE(spec_of({"NVIDIA A100-SXM4-80GB", 80, 108, 1410}).peak(Arithmetic::MatrixF16) == 312e12);
}

TEST_CASE("one of a similar name does not, and has those of its clock") {
    REQUIRE(spec_of({"NVIDIA L40S", 89, 142, 2520}).l2_bytes == 0);
    REQUIRE(spec_of({"NVIDIA GeForce RTX 4090 Laptop GPU", 89, 76, 2040}).l2_bytes == 0);
    const TargetSpec gpu = spec_of({"NVIDIA GeForce RTX 3090", 86, 82, 1695});
    REQUIRE((is_near(gpu.peak(Arithmetic::F32), 35.6e12) && is_near(gpu.peak(Arithmetic::MatrixF16SumF16), 142e12)));
    REQUIRE(gpu.peak(Arithmetic::MatrixF8) == 0.0);
}

TEST_CASE("one that is newer than the table counts as the newest") {
    const TargetSpec gpu = spec_of({"of tomorrow", 990, 200, 3000});
    expect_limits(gpu);
    REQUIRE(gpu.arch.number == 990);
}

} // namespace
