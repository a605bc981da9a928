// SPDX-License-Identifier: Apache-2.0
// Compiled C++: loading it, calling it with values of every kind, failing in it. Needs the system's compiler.
#include "runtime/cpu/library.h"

#include <cmath>
#include <cstdio>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <string_view>

#include "compiler/artifact/host_table.h"
#include "runtime/toolchain/toolchain.h"
#include "tests/harness/skip.h"

using namespace hidet;
using artifact::Scalar;

namespace {

const char* const text = R"(
struct hidet_host {
    void* self;
    void (*parallel_for)(void*, long long, int, void (*)(void*, long long, long long), void*);
    void (*print)(void*, const char*, long long);
    void (*fail)(void*, int, const char*);
    void (*outside)(void*, int, int, const long long*, const long long*);
    void* (*workspace)(void*, long long, int);
    long long (*symbol)(void*, const char*);
};
template <class T> T& at(void* const* args, int i) { return *static_cast<T*>(args[i]); }
extern "C" void mix(const hidet_host*, void* const* args, void* result) {
    double sum = at<signed char>(args, 0) + at<unsigned short>(args, 1) + at<int>(args, 2) + at<long long>(args, 3);
    *static_cast<double*>(result) = sum + at<float>(args, 4) + at<double>(args, 5) + (at<bool>(args, 6) ? 0.5 : 0);
}
extern "C" void half_bits(const hidet_host*, void* const* args, void* result) {
    *static_cast<unsigned*>(result) = at<unsigned short>(args, 0);
}
extern "C" void negative(const hidet_host*, void* const* args, void* result) {
    *static_cast<signed char*>(result) = at<signed char>(args, 0);
}
extern "C" void fill(const hidet_host* host, void* const* args, void*) {
    struct Context { int* to; const hidet_host* host; } context = {at<int*>(args, 0), host};
    host->parallel_for(host->self, at<int>(args, 1), 0, [](void* pointer, long long begin, long long end) {
        Context& context = *static_cast<Context*>(pointer);
        for (long long i = begin; i < end; ++i) {
            if (i == 700)
                context.host->fail(context.host->self, 5, "the seven hundredth");
            context.to[i] = int(i) * 2;
        }
    }, &context);
}
extern "C" void talk(const hidet_host* host, void* const*, void* result) {
    host->print(host->self, "hello", 5);
    char* bytes = static_cast<char*>(host->workspace(host->self, 1000, 1));
    *static_cast<long long*>(result) = host->symbol(host->self, "n") + bytes[999];
}
)";

artifact::Parameter scalar(const char* name, Scalar type) {
    return {.name = name, .type = type};
}

std::vector<artifact::EntryPoint> entries() {
    std::vector<artifact::EntryPoint> out;
    out.push_back({.name = "mix",
                   .symbol = "mix",
                   .params = {scalar("a", Scalar::I8), scalar("b", Scalar::U16), scalar("c", Scalar::I32),
                              scalar("d", Scalar::I64), scalar("e", Scalar::F32), scalar("f", Scalar::F64),
                              scalar("g", Scalar::Bool)},
                   .returns_value = true,
                   .return_type = Scalar::F64});
    out.push_back({.name = "half_bits",
                   .symbol = "half_bits",
                   .params = {scalar("x", Scalar::F16)},
                   .returns_value = true,
                   .return_type = Scalar::U32});
    out.push_back({.name = "negative",
                   .symbol = "negative",
                   .params = {scalar("x", Scalar::I8)},
                   .returns_value = true,
                   .return_type = Scalar::I8});
    out.push_back({.name = "fill",
                   .symbol = "fill",
                   .params = {{.name = "to", .type = Scalar::I32, .is_pointer = true}, scalar("n", Scalar::I32)}});
    out.push_back({.name = "talk", .symbol = "talk", .params = {}, .returns_value = true, .return_type = Scalar::I64});
    return out;
}

std::string compiled(toolchain::Toolchain& toolchain) {
    toolchain::CompileRequest request;
    request.language = artifact::Language::Cxx;
    request.text = text;
    request.product = toolchain::Product::SharedObject;
    request.arch = "native";
    return std::move(toolchain.compiler().compile(request)).value().bytes;
}

// The text as a shared object, compiled once; empty where there is no C++ compiler.
const std::string& object() {
    static const std::string bytes = [] {
        toolchain::Toolchain toolchain({.places = {}, .cache = toolchain::CacheOptions{}});
        const bool is_there = toolchain.locate(toolchain::Tool::CxxCompiler).state == toolchain::State::Found;
        return is_there ? compiled(toolchain) : "";
    }();
    return bytes;
}

struct WithLibrary {
    WithLibrary() {
        if (!object().empty())
            library = std::move(cpu::Library::load(object(), entries())).value();
    }
    // Whether the case has to be skipped.
    bool is_skipped() const {
        if (!library)
            test::skip("there is no C++ compiler");
        return !library;
    }
    std::shared_ptr<cpu::Library> library;
    cpu::ThreadPool pool{3};
    cpu::CallContext context{.pool = &pool, .print = {}, .symbol = {}};
};

} // namespace

TEST_CASE_FIXTURE(WithLibrary, "values of every kind arrive, and results come back") {
    if (is_skipped())
        return;
    auto called = library->call(
        *library->find("mix"),
        {std::int64_t{-3}, std::int64_t{65535}, std::int64_t{-7}, std::int64_t{1} << 40, 0.25, 1e-3, std::int64_t{1}},
        context);
    REQUIRE(std::get<double>(called.value) == -3 + 65535 - 7 + 0x1p40 + 0.25 + 1e-3 + 0.5);
    REQUIRE(std::get<std::int64_t>(library->call(*library->find("half_bits"), {1.0}, context).value) == 0x3c00);
    auto negative = library->call(*library->find("negative"), {std::int64_t{-5}}, context);
    REQUIRE(std::get<std::int64_t>(negative.value) == -5);
}

TEST_CASE_FIXTURE(WithLibrary, "a parallel loop fills an array, and a failure on any of its threads ends the call") {
    if (is_skipped())
        return;
    std::vector<int> numbers(2000, -1);
    auto called = library->call(*library->find("fill"), {numbers.data(), std::int64_t{600}}, context);
    REQUIRE(!called.failure);
    REQUIRE((numbers[599] == 1198 && numbers[600] == -1));
    called = library->call(*library->find("fill"), {numbers.data(), std::int64_t{2000}}, context);
    REQUIRE((called.failure && called.failure->message == "the seven hundredth" && called.failure->check == 5));
}

TEST_CASE_FIXTURE(WithLibrary, "compiled code prints, asks for symbols, and gets workspaces that are zeroed") {
    if (is_skipped())
        return;
    std::string printed;
    cpu::CallContext talking{.pool = nullptr,
                             .print = [&](std::string_view words) { printed += words; },
                             .symbol = [](const std::string& name) { return std::int64_t(name == "n" ? 42 : 0); }};
    auto called = library->call(*library->find("talk"), {}, talking);
    REQUIRE(std::get<std::int64_t>(called.value) == 42);
    REQUIRE(printed == "hello");
}

TEST_CASE_FIXTURE(WithLibrary, "two libraries that are loaded at once keep their own functions") {
    if (is_skipped())
        return;
    auto second = std::move(cpu::Library::load(object(), entries())).value();
    REQUIRE((second->find("fill") != nullptr && second->find("nothing") == nullptr));
    auto called = second->call(*second->find("negative"), {std::int64_t{9}}, context);
    REQUIRE(std::get<std::int64_t>(called.value) == 9);
}

TEST_CASE_FIXTURE(WithLibrary, "what is no shared object, or lacks a function, is refused") {
    if (is_skipped())
        return;
    auto broken = cpu::Library::load("no object at all", entries());
    REQUIRE((!broken && broken.error().code == "library-not-loaded"));
    std::vector<artifact::EntryPoint> more = entries();
    more.push_back({.name = "missing", .symbol = "missing", .params = {}});
    auto lacking = cpu::Library::load(object(), more);
    REQUIRE((!lacking && lacking.error().message.find("missing") != std::string::npos));
}
