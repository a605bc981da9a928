// SPDX-License-Identifier: Apache-2.0
// The parts of CUDA's prelude that are software, compiled for this machine with the few functions of NVRTC they call: updates
// of small types by compare and swap of the word that holds them, and bfloat16 where the GPU has no conversion.
#include <cstdio>
#include <cstring>
#include <doctest/doctest.h>
#include <string>

#include "compiler/codegen/cuda/dialect.h"
#include "lang/base/numeric.h"
#include "lang/base/text.h"
#include "runtime/toolchain/in_process.h"
#include "tests/harness/skip.h"
#include "tests/unit/codegen/loaded.h"

using namespace hidet;

namespace {

constexpr const char* shims = R"(
#define __device__
#define __CUDA_ARCH__ 750
#define memcpy __builtin_memcpy
inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
template <class T> inline T atomicCAS(T* address, T compare, T value) {
    T old = *address;
    if (old == compare)
        *address = value;
    return old;
}
)";

constexpr const char* functions = R"(
extern "C" void add_bytes(int8_t* bytes, int8_t* old) {
    for (int i = 0; i < 8; ++i)
        old[i] = atomicAdd(bytes + i, int8_t(100));
}
extern "C" void add_words(uint16_t* words, uint16_t* old) {
    for (int i = 0; i < 4; ++i)
        old[i] = atomicAdd(words + i, uint16_t(65535));
}
extern "C" void raise(float* values, float* old) {
    for (int i = 0; i < 4; ++i)
        old[i] = atomicMax(values + i, 2.0f);
}
extern "C" void lower(double* values, double* old) {
    for (int i = 0; i < 4; ++i)
        old[i] = atomicMin(values + i, 2.0);
}
extern "C" void swap(uint8_t* bytes, uint8_t* old) {
    for (int i = 0; i < 8; ++i)
        old[i] = atomicCAS(bytes + i, uint8_t(3), uint8_t(77));
}
extern "C" void add_short(bfloat16* values, bfloat16* old) {
    for (int i = 0; i < 4; ++i)
        old[i] = atomicAdd(values + i, bfloat16(0.3f));
}
extern "C" void round(const float* values, uint16_t* bits, int count) {
    for (int i = 0; i < count; ++i)
        bits[i] = bfloat16(values[i]).bits;
}
)";

template <class... Args>
void call(const test::Loaded& code, const char* name, Args... args) {
    code.find<void (*)(Args...)>(name)(args...);
}

template <class T>
std::string text_of(const T* values, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += cat(i ? " " : "", +values[i]);
    return text;
}

// What the compiler makes of the functions, once; nothing where there is no compiler.
const test::Loaded* built() {
    static const std::unique_ptr<test::Loaded> loaded = []() -> std::unique_ptr<test::Loaded> {
        toolchain::InProcessCompiler compiler(toolchain::default_places());
        if (!compiler.cxx())
            return nullptr;
        std::string prelude = compiler::cuda_dialect().prelude(
            {"atomic_add(int8_t, int)", "atomic_add(uint16_t, int)", "atomic_max(float, float)",
             "atomic_min(double, double)", "atomic_cas(uint8_t, uint8_t)", "atomic_add(bfloat16, float)"});
        return std::make_unique<test::Loaded>(compiler, shims + prelude + functions, std::vector<std::string>{"-O1"});
    }();
    return loaded.get();
}

struct WithFunctions {
    // Whether the case has to be skipped.
    bool is_skipped() const {
        if (!built())
            test::skip("there is no C++ compiler");
        return !built();
    }
};

} // namespace

TEST_CASE_FIXTURE(WithFunctions, "bytes are added to without touching their neighbours") {
    if (is_skipped())
        return;
    alignas(8) std::int8_t bytes[8] = {0, 1, 27, 28, -1, -128, 127, 50}, old[8];
    call(*built(), "add_bytes", bytes, old);
    REQUIRE(text_of(old, 8) == "0 1 27 28 -1 -128 127 50");
    REQUIRE(text_of(bytes, 8) == "100 101 127 -128 99 -28 -29 -106");
}

TEST_CASE_FIXTURE(WithFunctions, "words of 16 bits wrap") {
    if (is_skipped())
        return;
    alignas(8) std::uint16_t words[4] = {0, 1, 65535, 7}, old[4];
    call(*built(), "add_words", words, old);
    REQUIRE(text_of(old, 4) == "0 1 65535 7");
    REQUIRE(text_of(words, 4) == "65535 0 65534 6");
}

TEST_CASE_FIXTURE(WithFunctions, "minima and maxima of floats") {
    if (is_skipped())
        return;
    float values[4] = {1, 2, 3, -4}, old[4];
    call(*built(), "raise", values, old);
    REQUIRE(text_of(values, 4) == "2 2 3 2");
    REQUIRE(text_of(old, 4) == "1 2 3 -4");
    double wide[4] = {1, 2, 3, -4}, before[4];
    call(*built(), "lower", wide, before);
    REQUIRE(text_of(wide, 4) == "1 2 2 -4");
}

TEST_CASE_FIXTURE(WithFunctions, "compare and swap of bytes") {
    if (is_skipped())
        return;
    alignas(8) std::uint8_t bytes[8] = {3, 4, 3, 3, 0, 3, 255, 3}, old[8];
    call(*built(), "swap", bytes, old);
    REQUIRE(text_of(bytes, 8) == "77 4 77 77 0 77 255 77");
    REQUIRE(text_of(old, 8) == "3 4 3 3 0 3 255 3");
}

TEST_CASE_FIXTURE(WithFunctions, "short floats are added to") {
    if (is_skipped())
        return;
    alignas(8) std::uint16_t values[4], old[4];
    for (int i = 0; i < 4; ++i)
        values[i] = f32_to_bf16(static_cast<float>(i));
    call(*built(), "add_short", values, old);
    for (int i = 0; i < 4; ++i) {
        float step = bf16_to_f32(f32_to_bf16(0.3f));
        REQUIRE(values[i] == f32_to_bf16(static_cast<float>(i) + step));
        REQUIRE(old[i] == f32_to_bf16(static_cast<float>(i)));
    }
}

TEST_CASE_FIXTURE(WithFunctions, "bfloat16 rounds to nearest even in software") {
    if (is_skipped())
        return;
    constexpr int count = 1 << 16;
    std::vector<float> values(count);
    std::vector<std::uint16_t> bits(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t word = i * 65537u + (i % 5) * 0x7fffu;
        std::memcpy(&values[i], &word, 4);
    }
    call(*built(), "round", values.data(), bits.data(), count);
    for (int i = 0; i < count; ++i)
        REQUIRE(bits[static_cast<std::size_t>(i)] == f32_to_bf16(values[static_cast<std::size_t>(i)]));
}
