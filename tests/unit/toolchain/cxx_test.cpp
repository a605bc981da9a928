// SPDX-License-Identifier: Apache-2.0
// The system's C++ compiler behind the interface, and programs that stand in for compilers that misbehave.
#include <cstdio>
#include <dlfcn.h>
#include <thread>

#include "runtime/toolchain/in_process.h"
#include "tests/harness/unit.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using namespace hidet::toolchain;
using hidet::test::Scratch;
using hidet::test::Suite;

namespace {

CompileRequest request(std::string text) {
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

int main(int argc, char** argv) {
    Suite suite(argc, argv);
    suite.run("no compiler is an error that says how to get one", [] {
        InProcessCompiler compiler(Places{});
        auto result = compiler.compile(request(sum));
        EXPECT_EQUAL(result.error().code, "compiler-missing");
        EXPECT(result.error().message.find("install g++") != std::string::npos);
        EXPECT_EQUAL(compiler.recipe(request(sum)).error().code, "compiler-missing");
    });
    suite.run("a compiler that crashes or says nothing fails with its story", [] {
        Scratch scratch;
        std::string crashing =
            scratch.program("crashing", "[ \"$1\" = --version ] && echo 'g++ (Test) 99.1.0' || kill -SEGV $$\n");
        auto result = compile_with(crashing, request(sum));
        EXPECT_EQUAL(result.error().code, "compile-failed");
        EXPECT_EQUAL(result.error().message, "g++ 99.1.0 was ended by signal 11");
        std::string lying = scratch.program("lying", "echo 'g++ (Test) 99.1.0'\n");
        EXPECT_EQUAL(compile_with(lying, request(sum)).error().message, "g++ 99.1.0 wrote no file: ");
        std::string broken = scratch.program("broken", "exit 9\n");
        EXPECT_EQUAL(compile_with(broken, request(sum)).error().code, "compiler-missing");
    });
    suite.run("a compiler that hangs is ended when its work is cancelled", [] {
        Scratch scratch;
        std::string hanging =
            scratch.program("hanging", "[ \"$1\" = --version ] && echo 'g++ (Test) 99.1.0' || sleep 60\n");
        std::atomic<bool> cancelled{false};
        CompileRequest stale = request(sum);
        stale.cancelled = &cancelled;
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            cancelled = true;
        });
        EXPECT_EQUAL(compile_with(hanging, stale).error().code, "cancelled");
    });
    suite.run("a full disk is told as such", [] {
        Scratch scratch;
        std::string full =
            scratch.program("full", "[ \"$1\" = --version ] && echo 'g++ (Test) 99.1.0' && exit 0\n"
                                    "echo '/tmp/x.s: fatal error: No space left on device' >&2; exit 1\n");
        EXPECT_EQUAL(compile_with(full, request(sum)).error().code, "disk-full");
    });
    suite.run("CXX may be a name or a command, and one that is wrong is no excuse for another", [] {
        Scratch scratch;
        scratch.program("c++-99", "echo 'g++ (Test) 99.1.0'\n");
        Places places;
        places.programs = {scratch.path("")};
        places.cxx = "c++-99 -Wall";
        Finding found = find(Tool::CxxCompiler, places);
        EXPECT(found.state == State::Found);
        EXPECT(found.path.ends_with("/c++-99 -Wall"));
        places.cxx = "c++-98";
        EXPECT(find(Tool::CxxCompiler, places).state == State::Missing);
        EXPECT(find(Tool::CxxCompiler, places).problem.find("'c++-98'") != std::string::npos);
    });

    Places places = default_places();
    if (find(Tool::CxxCompiler, places).state != State::Found) {
        std::printf("the rest needs a C++ compiler\n");
        return suite.result();
    }
    InProcessCompiler compiler(places);
    suite.run("a function that was compiled can be loaded and called", [&] {
        auto result = compiler.compile(request(sum));
        EXPECT(result.ok());
        Scratch scratch;
        void* library = dlopen(scratch.write("sum.so", result.value().bytes).c_str(), RTLD_NOW | RTLD_LOCAL);
        EXPECT(library != nullptr);
        auto* call = reinterpret_cast<float (*)(const float*, int)>(dlsym(library, "sum"));
        float numbers[] = {1, 2, 3};
        EXPECT_EQUAL(call(numbers, 3), 14.0f);
        EXPECT_EQUAL(result.value().log, "");
    });
    suite.run("the same text gives the same bytes", [&] {
        EXPECT(compiler.compile(request(sum)).value().bytes == compiler.compile(request(sum)).value().bytes);
    });
    suite.run("products are rounded before they are added", [&] {
        auto result =
            compiler.compile(request("extern \"C\" double f(double a, double b, double c) { return a * b + c; }"));
        Scratch scratch;
        void* library = dlopen(scratch.write("f.so", result.value().bytes).c_str(), RTLD_NOW | RTLD_LOCAL);
        auto* f = reinterpret_cast<double (*)(double, double, double)>(dlsym(library, "f"));
        double tiny = 1.0 / (1ll << 30);
        EXPECT_EQUAL(f(1 + tiny, 1 - tiny, -1.0), 0.0); // fused it would be -tiny^2
    });
    suite.run("the message of a text that does not compile names the text", [&] {
        auto result = compiler.compile(request("int f() { return x; }\n"));
        EXPECT_EQUAL(result.error().code, "compile-failed");
        EXPECT(result.error().message.find("/hidet/functions.cpp:1:18: error: ") != std::string::npos);
    });
    suite.run("a processor that the compiler does not know is told as such", [&] {
        CompileRequest odd = request(sum);
        for (const char* arch : {"x86-64-v9", "a b", "", "-o/etc/passwd;"}) {
            odd.arch = arch;
            EXPECT_EQUAL(compiler.compile(odd).error().code, "arch-unknown");
        }
    });
    suite.run("the recipe tells processors, options and compilers apart", [&] {
        CompileRequest plain = request(sum);
        CompileRequest level = request(sum);
        level.arch = "x86-64-v3";
        CompileRequest option = request(sum);
        option.options = {"-DX=1"};
        std::string recipe = compiler.recipe(plain).value();
        EXPECT(recipe != compiler.recipe(level).value());
        EXPECT(recipe != compiler.recipe(option).value());
        EXPECT(recipe.find("flags") != std::string::npos || recipe.find("Features") != std::string::npos);
        Scratch scratch;
        Places other = places;
        other.cxx = scratch.program("c++", "echo 'g++ (Test) 99.1.0'\n");
        EXPECT(recipe != InProcessCompiler(other).recipe(plain).value());
    });
    return suite.result();
}
