// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/ptx_text.h"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hidet::toolchain;

namespace {

constexpr const char* small_ptx = R"(.version 9.0
.target sm_90a, debug // a GPU
.address_size 64
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};
/* .entry no(.param .u64 x) */
.visible .entry scale(
    .param .u64 .ptr .global .align 16 scale_param_0,
    .param .align 64 .b8 scale_param_1[128],
    .param .f32 scale_param_2
)
.maxntid 256, 1, 1
{
    .reg .pred %p<2>;
    .loc 1 7 3
    ld.global.v2.f32 {%f1, %f2},
        [%rd1];
    @%p1 bra $L_end;
    { // callseq 0, 0
    .param .b64 param0;
    st.param.b64 [param0], %rd2;
    }
$L_end: ret;
}
.entry nothing() { ret; }
)";

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

} // namespace

TEST_CASE("kernels of PTX, and how much their parameters take") {
    const std::vector<PtxEntry> wanted = {{"scale", {8, 128, 4}}, {"nothing", {}}};
    REQUIRE(entries_of_ptx(small_ptx) == wanted);
    REQUIRE(target_of_ptx(small_ptx) == "sm_90a");
    REQUIRE(target_of_ptx("") == "");
    REQUIRE(entries_of_ptx(".entry") == std::vector<PtxEntry>{{"", {}}});
    REQUIRE(entries_of_ptx(".entry x(.param .b8 y[99999999999999999999]").front().parameter_bytes.front() == 0);
}

TEST_CASE("statements get the line that they stand on, and lines stay where they are") {
    const std::vector<std::string> before = lines_of(small_ptx), after = lines_of(with_own_lines(small_ptx));
    REQUIRE(after.size() == before.size() + 1);
    REQUIRE(after.back().starts_with(".file 1 "));
    REQUIRE(after[4] == before[4]); // a variable
    REQUIRE(after[13] == before[13]);
    REQUIRE(after[14] == "    ");
    REQUIRE(after[15] == "    .loc 1 16 1 ld.global.v2.f32 {%f1, %f2},");
    REQUIRE(after[16] == before[16]); // goes on
    REQUIRE(after[17] == "    .loc 1 18 1 @%p1 bra $L_end;");
    REQUIRE(after[18] == before[18]);
    REQUIRE(after[20] == "    .loc 1 21 1 st.param.b64 [param0], %rd2;");
    REQUIRE(after[22] == "$L_end: .loc 1 23 1 ret;");
    REQUIRE(after[24] == ".entry nothing() { .loc 1 25 1 ret; }");
}

TEST_CASE("a text that ends anywhere has an end") {
    const std::string whole = small_ptx;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        REQUIRE(!with_own_lines(whole.substr(0, size)).empty());
        REQUIRE(entries_of_ptx(whole.substr(0, size)).size() <= 2);
    }
}
