// SPDX-License-Identifier: Apache-2.0
// Scripts on a GPU: which bytes go where and when, what the user is told when the device fails, and that every script of
// tests/run and samples passes there.
#include "tests/unit/cuda/gpu_engine.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet;
using namespace hidet::test;

namespace {

const std::string doubling = "import hidet\nfrom hidet.lang import attrs, f32\nfrom hidet.lang.cuda import threadIdx\n"
                             "with hidet.script_module() as m:\n    @hidet.script\n    def double(a: f32[8]):\n"
                             "        attrs.cuda.grid_dim = 1\n        attrs.cuda.block_dim = 8\n"
                             "        a[threadIdx.x] = a[threadIdx.x] * 2.0\n"
                             "f = m.build()\na = hidet.ones([8], device='cuda')\n";

TEST_CASE("what a kernel wrote is fetched once, when the host looks") {
    Outcome outcome = run_script(doubling + "f(a)\nf(a)\nx = a.tolist()\ny = a.tolist()\nprint(x == y, x[7])\n");
    REQUIRE(outcome.errors == "");
    REQUIRE(outcome.output == "True 4.0\n");
    REQUIRE(outcome.launches == 2);
    REQUIRE(fake_cuda_calls("cuMemcpyDtoHAsync_v2") == 1);
    REQUIRE(fake_cuda_calls("cuMemcpyHtoDAsync_v2") == 1);
}

TEST_CASE("what the host wrote goes to the device before the next launch") {
    Outcome outcome = run_script(doubling + "f(a)\na[3] = 10.0\nf(a)\nprint(a.tolist())\n");
    REQUIRE(outcome.errors == "");
    REQUIRE(outcome.output == "[4.0, 4.0, 4.0, 20.0, 4.0, 4.0, 4.0, 4.0]\n");
    REQUIRE(fake_cuda_calls("cuMemcpyHtoDAsync_v2") == 2);
}

TEST_CASE("views share one copy on the device") {
    Outcome outcome = run_script(
        doubling + "b = hidet.ones([3, 8], device='cuda')\nf(b[1])\nf(b[1])\nf(b[2])\nprint(b[:, 0].tolist())\n");
    REQUIRE(outcome.errors == "");
    REQUIRE(outcome.output == "[1.0, 4.0, 2.0]\n");
    REQUIRE(fake_cuda_calls("cuMemAllocAsync") == 1);
}

TEST_CASE("copies, operators and comparisons see the device's bytes") {
    Outcome outcome = run_script(doubling + "f(a)\nb = a.cpu()\nc = b.cuda()\nf(c)\nprint((a + c).tolist()[0], "
                                            "b.tolist()[0])\n");
    REQUIRE(outcome.errors == "");
    REQUIRE(outcome.output == "6.0 2.0\n");
}

TEST_CASE("memory on the device goes when the tensor goes") {
    Outcome outcome = run_script(doubling + "for i in range(100):\n    b = hidet.ones([8], device='cuda')\n    f(b)\n");
    REQUIRE(outcome.errors == "");
    REQUIRE(outcome.launches == 100);
    REQUIRE(fake_cuda_bytes() == 0u);
}

TEST_CASE("a kernel that broke the device is an error at the expression that reads its result") {
    Outcome outcome =
        run_script(doubling + "f(a)\nb = 1\nprint(b, a)\nprint('not reached')\n", "", "fault=k_double:700");
    REQUIRE_HOLDS(outcome.errors, "script.py:14:1: error: kernel 'double' <<<(1, 1, 1), (8, 1, 1)>>> (a: f32[8]) "
                                  "accessed an illegal address (CUDA_ERROR_ILLEGAL_ADDRESS)");
    REQUIRE_HOLDS(outcome.errors, "[kernel-fault]\n    print(b, a)\n    ^~~~~~~~~~~");
    REQUIRE(outcome.output.find("not reached") == std::string::npos);
}

TEST_CASE("a script cannot catch a lost device and go on") {
    Outcome outcome = run_script(doubling + "f(a)\ntry:\n    a.tolist()\nexcept Exception:\n    pass\nprint('no')\n",
                                 "", "fault=k_double:700");
    REQUIRE_HOLDS(outcome.errors, "script.py:14:5: error: kernel 'double'");
    REQUIRE(outcome.output == "");
}

TEST_CASE("a kernel that never ends is reported where its result is read") {
    Outcome outcome = run_script(doubling + "f(a)\nprint(a.sum().item())\n", "", "hang=k_double");
    REQUIRE_HOLDS(outcome.errors,
                  "script.py:13:7: error: kernel 'double' <<<(1, 1, 1), (8, 1, 1)>>> (a: f32[8]) has not "
                  "ended after 0.2 s");
}

TEST_CASE("a tensor that the device has no memory for is named at the call") {
    Outcome outcome = run_script(doubling + "f(a)\n", "", "memory=16");
    REQUIRE(outcome.errors.substr(0, outcome.errors.find('\n')) ==
            "script.py:12:1: error: the device is out of memory: 'a' needs 32 bytes, and 16 bytes of the 16 bytes of "
            "Fake GPU are free [device-error]");
}

TEST_CASE("scripts give on a GPU what they give without one") {
    for (const auto& path : all_scripts())
        SUBCASE(path.stem().c_str()) {
            REQUIRE(run_script(read_text(path), path.parent_path().string()).errors == "");
        }
}

} // namespace
