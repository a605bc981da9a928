// SPDX-License-Identifier: Apache-2.0
// The system's C++ compiler behind the interface, and programs that stand in for compilers that misbehave.
#include <cstdio>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <string>
#include <thread>

#include "tests/unit/codegen/with_cxx.h"
#include "tests/unit/process/fake_compiler.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using namespace hidet::toolchain;
using hidet::test::Scratch;

namespace {

CompileRequest cxx_request(std::string text) {
    return {.language = artifact::Language::Cxx,
            .text = std::move(text),
            .product = Product::SharedObject,
            .arch = "native"};
}

const std::string sum = "extern \"C\" float sum(const float* x, int n) {\n"
                        "    float s = 0;\n"
                        "    for (int i = 0; i < n; ++i)\n"
                        "        s = s + x[i] * x[i];\n"
                        "    return s;\n"
                        "}\n";

Result<CompileResult> compile_with(const std::string& cxx, CompileRequest wanted) {
    Places places = default_places();
    places.cxx = cxx;
    InProcessCompiler compiler(places);
    return compiler.compile(wanted);
}

} // namespace

TEST_CASE("no compiler is an error that says how to get one") {
    InProcessCompiler compiler(Places{});
    auto result = compiler.compile(cxx_request(sum));
    REQUIRE(result.error().code == "compiler-missing");
    REQUIRE(result.error().message.find("install g++") != std::string::npos);
    REQUIRE(compiler.recipe(cxx_request(sum)).error().code == "compiler-missing");
}

TEST_CASE("a compiler that crashes or says nothing fails with its story") {
    Scratch scratch;
    std::string crashing =
        scratch.program("crashing", "[ \"$1\" = --version ] && echo 'g++ (Test) 99.1.0' || kill -SEGV $$\n");
    auto result = compile_with(crashing, cxx_request(sum));
    REQUIRE(result.error().code == "compiler-broken");
    REQUIRE(result.error().message == "g++ 99.1.0 was ended by signal 11");
    std::string silent = scratch.program("silent", "[ \"$1\" = --version ] && echo 'g++ (Test) 99.1.0' || exit 1\n");
    result = compile_with(silent, cxx_request(sum));
    REQUIRE(result.error().code == "compiler-broken");
    REQUIRE(result.error().message == "g++ 99.1.0 exited with code 1 and says nothing of it");
    std::string lying = scratch.program("lying", "echo 'g++ (Test) 99.1.0'\n");
    REQUIRE(compile_with(lying, cxx_request(sum)).error().message == "g++ 99.1.0 wrote no file: ");
    std::string broken = scratch.program("broken", "exit 9\n");
    REQUIRE(compile_with(broken, cxx_request(sum)).error().code == "compiler-missing");
}

TEST_CASE("a compiler that hangs is ended when its work is cancelled") {
    hidet::test::FakeCompiler hanging;
    std::atomic<bool> cancelled{false};
    CompileRequest stale = cxx_request(sum);
    stale.cancelled = &cancelled;
    std::jthread later([&] {
        hanging.processes(); // it works
        cancelled = true;
    });
    REQUIRE(compile_with(hanging.path(), stale).error().code == "cancelled");
}

TEST_CASE("a full disk is told as such") {
    Scratch scratch;
    std::string full = scratch.program("full", "[ \"$1\" = --version ] && echo 'g++ (Test) 99.1.0' && exit 0\n"
                                               "echo '/tmp/x.s: fatal error: No space left on device' >&2; exit 1\n");
    REQUIRE(compile_with(full, cxx_request(sum)).error().code == "disk-full");
}

TEST_CASE("CXX may be a name or a command, and one that is wrong is no excuse for another") {
    Scratch scratch;
    scratch.program("c++-99", "echo 'g++ (Test) 99.1.0'\n");
    Places places;
    places.programs = {scratch.path("")};
    places.cxx = "c++-99 -Wall";
    Finding found = find(Tool::CxxCompiler, places);
    REQUIRE(found.state == State::Found);
    REQUIRE(found.path.ends_with("/c++-99 -Wall"));
    places.cxx = "c++-98";
    REQUIRE(find(Tool::CxxCompiler, places).state == State::Missing);
    REQUIRE(find(Tool::CxxCompiler, places).problem.find("'c++-98'") != std::string::npos);
}

TEST_CASE("Zig is asked for nothing that it does not know") {
    Scratch scratch;
    const std::string zig = scratch.program("zig", "[ \"$2\" = --version ] && echo 'clang version 20.1.2' && "
                                                   "exit\necho \"asked: $*\" | sed s/-march=/for-/ >&2\nexit 1\n");
    CompileRequest request = cxx_request(sum);
    request.arch = "x86-64-v3";
    request.options = {"-Wl,--exclude-libs,ALL", "-Wl,--gc-sections"};
    const std::string said = compile_with(zig + " c++", request).error().message;
    CAPTURE(said);
    for (const char* word : {"asked: c++ ", "-nostdlib", "for-x86_64_v3", "-Wl,--gc-sections"})
        CHECK(said.find(word) != std::string::npos);
    for (const char* word : {"--exclude-libs", "-fno-thread-jumps", "-fno-tree-loop-distribute-patterns"})
        CHECK(said.find(word) == std::string::npos);
}

TEST_CASE_FIXTURE(test::WithCxx, "a function that was compiled can be loaded and called") {
    if (is_skipped())
        return;
    auto result = compiler.compile(cxx_request(sum));
    REQUIRE(result.ok());
    Scratch scratch;
    void* library = dlopen(scratch.write("sum.so", result.value().bytes).c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    auto* call = reinterpret_cast<float (*)(const float*, int)>(dlsym(library, "sum"));
    float numbers[] = {1, 2, 3};
    REQUIRE(call(numbers, 3) == 14.0f);
    REQUIRE(result.value().log == "");
}

TEST_CASE_FIXTURE(test::WithCxx, "the same text gives the same bytes") {
    if (is_skipped())
        return;
    REQUIRE(compiler.compile(cxx_request(sum)).value().bytes == compiler.compile(cxx_request(sum)).value().bytes);
}

TEST_CASE_FIXTURE(test::WithCxx, "an object is linked into what is compiled later") {
    if (is_skipped())
        return;
    CompileRequest part = cxx_request(sum);
    part.product = Product::Object;
    auto object = compiler.compile(part);
    REQUIRE(object.ok());
    CompileRequest whole = cxx_request("extern \"C\" float sum(const float*, int);\n"
                                       "extern \"C\" float twice(const float* x, int n) { return 2 * sum(x, n); }\n");
    whole.objects = {object.value().bytes};
    auto linked = compiler.compile(whole);
    REQUIRE(linked.ok());
    REQUIRE(linked.value().bytes.find("twice") != std::string::npos);
    CompileRequest without = whole;
    without.objects.clear();
    without.options = {"-Wl,-z,defs"};
    auto lacking = compiler.compile(without);
    REQUIRE(lacking.error().code == "compile-failed");
    REQUIRE(lacking.error().message.find("sum") != std::string::npos);
}

TEST_CASE_FIXTURE(test::WithCxx, "products are rounded before they are added") {
    if (is_skipped())
        return;
    auto result =
        compiler.compile(cxx_request("extern \"C\" double f(double a, double b, double c) { return a * b + c; }"));
    Scratch scratch;
    void* library = dlopen(scratch.write("f.so", result.value().bytes).c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* f = reinterpret_cast<double (*)(double, double, double)>(dlsym(library, "f"));
    double tiny = 1.0 / (1ll << 30);
    REQUIRE(f(1 + tiny, 1 - tiny, -1.0) == 0.0); // fused it would be -tiny^2
}

TEST_CASE_FIXTURE(test::WithCxx, "the message of a text that does not compile names the text") {
    if (is_skipped())
        return;
    auto result = compiler.compile(cxx_request("int f() { return x; }\n"));
    REQUIRE(result.error().code == "compile-failed");
    REQUIRE(result.error().message.find("/hidet/functions.cpp:1:18: error: ") != std::string::npos);
}

TEST_CASE_FIXTURE(test::WithCxx, "a processor that the compiler does not know is told as such") {
    if (is_skipped())
        return;
    CompileRequest odd = cxx_request(sum);
    for (const char* arch : {"x86-64-v9", "a b", "", "-o/etc/passwd;"}) {
        odd.arch = arch;
        REQUIRE(compiler.compile(odd).error().code == "arch-unknown");
    }
}

TEST_CASE_FIXTURE(test::WithCxx, "the recipe tells processors, options and compilers apart") {
    if (is_skipped())
        return;
    CompileRequest plain = cxx_request(sum);
    CompileRequest level = cxx_request(sum);
    level.arch = "x86-64-v3";
    CompileRequest option = cxx_request(sum);
    option.options = {"-DX=1"};
    std::string recipe = compiler.recipe(plain).value();
    REQUIRE(recipe != compiler.recipe(level).value());
    REQUIRE(recipe != compiler.recipe(option).value());
    REQUIRE((recipe.find("flags") != std::string::npos || recipe.find("Features") != std::string::npos));
    Scratch scratch;
    Places other = default_places();
    other.cxx = scratch.program("c++", "echo 'g++ (Test) 99.1.0'\n");
    REQUIRE(recipe != InProcessCompiler(other).recipe(plain).value());
}
