// SPDX-License-Identifier: Apache-2.0
// The parts of CUDA's prelude that are software, compiled for this machine with the few functions of NVRTC they call: updates
// of small types by compare and swap of the word that holds them, and bfloat16 where the GPU has no conversion.
#include <cstdio>
#include <cstring>

#include "compiler/codegen/text/dialect.h"
#include "lang/base/numeric.h"
#include "lang/base/text.h"
#include "runtime/toolchain/in_process.h"
#include "tests/harness/unit.h"
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

} // namespace

int main(int argc, char** argv) {
    toolchain::InProcessCompiler compiler(toolchain::default_places());
    if (auto cxx = compiler.cxx(); !cxx) {
        std::printf("%s\n", cxx.error().message.c_str());
        return 77;
    }
    std::string prelude = compiler::cuda_dialect().prelude(
        {"atomic_add(int8_t, int)", "atomic_add(uint16_t, int)", "atomic_max(float, float)",
         "atomic_min(double, double)", "atomic_cas(uint8_t, uint8_t)", "atomic_add(bfloat16, float)"});
    auto built = compiler.compile({.language = artifact::Language::Cxx,
                                   .text = shims + prelude + functions,
                                   .product = toolchain::Product::SharedObject,
                                   .arch = "x86-64-v2",
                                   .options = {"-O1"}});
    if (!built) {
        std::printf("%s\n", built.error().message.c_str());
        return 1;
    }
    test::Loaded loaded(built.value().bytes);
    test::Suite suite(argc, argv);
    suite.run("bytes are added to without touching their neighbours", [&] {
        alignas(8) std::int8_t bytes[8] = {0, 1, 27, 28, -1, -128, 127, 50}, old[8];
        call(loaded, "add_bytes", bytes, old);
        EXPECT_EQUAL(text_of(old, 8), "0 1 27 28 -1 -128 127 50");
        EXPECT_EQUAL(text_of(bytes, 8), "100 101 127 -128 99 -28 -29 -106");
    });
    suite.run("words of 16 bits wrap", [&] {
        alignas(8) std::uint16_t words[4] = {0, 1, 65535, 7}, old[4];
        call(loaded, "add_words", words, old);
        EXPECT_EQUAL(text_of(old, 4), "0 1 65535 7");
        EXPECT_EQUAL(text_of(words, 4), "65535 0 65534 6");
    });
    suite.run("minima and maxima of floats", [&] {
        float values[4] = {1, 2, 3, -4}, old[4];
        call(loaded, "raise", values, old);
        EXPECT_EQUAL(text_of(values, 4), "2 2 3 2");
        EXPECT_EQUAL(text_of(old, 4), "1 2 3 -4");
        double wide[4] = {1, 2, 3, -4}, before[4];
        call(loaded, "lower", wide, before);
        EXPECT_EQUAL(text_of(wide, 4), "1 2 2 -4");
    });
    suite.run("compare and swap of bytes", [&] {
        alignas(8) std::uint8_t bytes[8] = {3, 4, 3, 3, 0, 3, 255, 3}, old[8];
        call(loaded, "swap", bytes, old);
        EXPECT_EQUAL(text_of(bytes, 8), "77 4 77 77 0 77 255 77");
        EXPECT_EQUAL(text_of(old, 8), "3 4 3 3 0 3 255 3");
    });
    suite.run("short floats are added to", [&] {
        alignas(8) std::uint16_t values[4], old[4];
        for (int i = 0; i < 4; ++i)
            values[i] = f32_to_bf16(static_cast<float>(i));
        call(loaded, "add_short", values, old);
        for (int i = 0; i < 4; ++i) {
            float step = bf16_to_f32(f32_to_bf16(0.3f));
            EXPECT_EQUAL(values[i], f32_to_bf16(static_cast<float>(i) + step));
            EXPECT_EQUAL(old[i], f32_to_bf16(static_cast<float>(i)));
        }
    });
    suite.run("bfloat16 rounds to nearest even in software", [&] {
        constexpr int count = 1 << 16;
        std::vector<float> values(count);
        std::vector<std::uint16_t> bits(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            std::uint32_t word = i * 65537u + (i % 5) * 0x7fffu;
            std::memcpy(&values[i], &word, 4);
        }
        call(loaded, "round", values.data(), bits.data(), count);
        for (int i = 0; i < count; ++i)
            EXPECT_EQUAL(bits[static_cast<std::size_t>(i)], f32_to_bf16(values[static_cast<std::size_t>(i)]));
    });
    return suite.result();
}
