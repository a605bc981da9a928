// SPDX-License-Identifier: Apache-2.0
// Tools that are missing, old, broken, or hang: each is a message. A library of ours stands in for NVRTC.
#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <string>
#include <thread>

#include <sys/stat.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/toolchain/toolchain.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using namespace hidet::toolchain;
using hidet::test::Scratch;

namespace {

// NVRTC as the variable HIDET_NVRTC finds it, behaving in some way.
class Nvrtc {
public:
    explicit Nvrtc(const std::string& behaviour, const std::string& path = FAKE_NVRTC_LIBRARY)
        : compiler(places(path)) {
        setenv("FAKE_NVRTC", behaviour.c_str(), 1);
    }
    ~Nvrtc() { unsetenv("FAKE_NVRTC"); }
    Result<CompileResult> compile(Product product = Product::Ptx, const std::string& arch = "sm_90a") {
        return compiler.compile({.text = "text", .product = product, .arch = arch});
    }
    InProcessCompiler compiler;

private:
    static Places places(const std::string& path) {
        return places_in([&](const char* name) { return name == std::string("HIDET_NVRTC") ? path : std::string(); },
                         "");
    }
};

TEST_CASE("PTX is asked of a virtual architecture, a cubin of a real one") {
    Scratch scratch;
    setenv("FAKE_NVRTC_LOG", scratch.path("log").c_str(), 1);
    Nvrtc nvrtc("");
    REQUIRE(nvrtc.compile(Product::Ptx).value().bytes == "ptx of text");
    REQUIRE(nvrtc.compile(Product::Cubin).value().bytes == std::string("cubin of text\0", 14));
    unsetenv("FAKE_NVRTC_LOG");
    std::string log = read_file(scratch.path("log")).value();
    REQUIRE(log ==
            "--gpu-architecture=compute_90a -std=c++17 -default-device -lineinfo -no-cache -minimal \n"
            "--gpu-architecture=sm_90a -std=c++17 -default-device -lineinfo --ptxas-options=-v -no-cache -minimal \n");
}

TEST_CASE("an NVRTC that is too old says what it knows, and gets no option that it does not") {
    Scratch scratch;
    setenv("FAKE_NVRTC_LOG", scratch.path("log").c_str(), 1);
    Nvrtc nvrtc("old");
    auto result = nvrtc.compile();
    REQUIRE(result.error().code == "arch-unknown");
    REQUIRE(result.error().message == "NVRTC 11.8 does not know 'sm_90a'; it knows sm_75, sm_80, sm_89");
    REQUIRE(nvrtc.compile(Product::Ptx, "sm_80").value().compiler == "NVRTC 11.8");
    unsetenv("FAKE_NVRTC_LOG");
    REQUIRE(read_file(scratch.path("log")).value().find("-no-cache") == std::string::npos);
}

TEST_CASE("errors of NVRTC become ours") {
    REQUIRE(Nvrtc("wrong").compile().error().message == "/hidet/kernel.cu(3): error: it is wrong\n");
    REQUIRE(Nvrtc("wrong").compile().error().code == "compile-failed");
    REQUIRE(Nvrtc("memory").compile().error().message == "NVRTC: NVRTC_ERROR_OUT_OF_MEMORY");
    REQUIRE(Nvrtc("builtins").compile().error().code == "nvrtc-missing");
    REQUIRE(Nvrtc("builtins").compile().error().message.find("libnvrtc-builtins") != std::string::npos);
    REQUIRE(Nvrtc("mute").compile().error().code == "nvrtc-missing");
}

TEST_CASE("a compilation that hangs ends when it is cancelled") {
    Scratch scratch;
    const std::string log = scratch.path("log");
    REQUIRE(mkfifo(log.c_str(), 0600) == 0);
    setenv("FAKE_NVRTC_LOG", log.c_str(), 1);
    Nvrtc nvrtc("hang");
    std::atomic<bool> cancelled{false};
    std::jthread later([&] {
        std::string options; // which it writes when it begins
        std::getline(std::ifstream(log), options);
        cancelled = true;
    });
    auto start = std::chrono::steady_clock::now();
    auto result =
        nvrtc.compiler.compile({.text = "text", .product = Product::Ptx, .arch = "sm_90", .cancelled = &cancelled});
    REQUIRE(result.error().code == "cancelled");
    REQUIRE(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    unsetenv("FAKE_NVRTC_LOG");
}

TEST_CASE("a library that is missing, something else, or no library") {
    Scratch scratch;
    REQUIRE(Nvrtc("", scratch.path("nothing.so")).compile().error().code == "nvrtc-missing");
    REQUIRE(Nvrtc("", scratch.path("nothing.so")).compile().error().message.starts_with("HIDET_NVRTC names '"));
    auto text = Nvrtc("", scratch.write("text.so", "no library")).compile();
    REQUIRE(text.error().code == "nvrtc-missing");
    REQUIRE(text.error().message.starts_with("NVRTC cannot be loaded: "));
    InProcessCompiler nothing(Places{});
    auto missing = nothing.compile({.text = "text", .product = Product::Ptx, .arch = "sm_90"});
    REQUIRE(missing.error().code == "nvrtc-missing");
    REQUIRE(missing.error().message.find("pip install nvidia-cuda-nvrtc") != std::string::npos);
}

TEST_CASE("what the recipe says of a compiler changes with its file") {
    Scratch scratch;
    CompileRequest request{.text = "text", .product = Product::Ptx, .arch = "sm_90"};
    std::string first = Nvrtc("", scratch.write("a.so", "one")).compiler.recipe(request).value();
    std::string second = Nvrtc("", scratch.write("a.so", "another")).compiler.recipe(request).value();
    REQUIRE(first != second);
    std::string real = Nvrtc("").compiler.recipe(request).value();
    REQUIRE(real.find(FAKE_NVRTC_LIBRARY) == std::string::npos); // known by what it is, not where
}

Places with_nvdisasm(const std::string& path) {
    Places places;
    places.nvdisasm = path;
    return places;
}

Result<Disassembly> disassemble_with(const std::string& script) {
    Scratch scratch;
    Toolchain toolchain({.places = with_nvdisasm(scratch.program("nvdisasm", script)), .cache = CacheOptions{}});
    return toolchain.disassemble("cubin");
}

Result<CompileResult> assemble_with(const std::string& script) {
    Scratch scratch;
    Places places;
    places.ptxas = scratch.program("ptxas", "case $1 in --version) " + script);
    return InProcessCompiler(places).compile({.language = artifact::Language::Ptx, .text = "text", .arch = "sm_90"});
}

TEST_CASE("a ptxas tells its build, and what is none is refused") {
    const std::string release = "echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;; esac\n";
    const std::string version = "echo 'ptxas: NVIDIA (R) Ptx optimizing assembler'; " + release;
    const auto cubin =
        assemble_with(version + "for out; do case $before in -o) echo x >$out;; esac; before=$out; done\n");
    REQUIRE(cubin.value().compiler == "ptxas 13.0.88");
    const auto full = assemble_with(version + "echo 'ptxas fatal : write error: No space left on device'; exit 1\n");
    REQUIRE(full.error().code == "disk-full");
    REQUIRE(full.error().message == "ptxas found no space for its files");
    for (const char* title : {"echo 'true 9.1'; ", "echo 'nvdisasm: NVIDIA (R) CUDA disassembler'; "}) {
        const auto another = assemble_with(title + release);
        REQUIRE(another.error().code == "ptxas-missing");
        REQUIRE(another.error().message.ends_with("/ptxas' is not ptxas"));
    }
}

TEST_CASE("no nvdisasm is an error that says how to get it") {
    Toolchain toolchain({.places = Places{}, .cache = CacheOptions{}});
    auto result = toolchain.disassemble("cubin");
    REQUIRE(result.error().code == "nvdisasm-missing");
    REQUIRE(result.error().message.find("pip install nvidia-cuda-nvdisasm") != std::string::npos);
}

TEST_CASE("an nvdisasm that fails or crashes is told with what it said") {
    auto failing = disassemble_with("echo 'nvdisasm fatal : is not a supported Elf file' >&2; exit 255\n");
    REQUIRE(failing.error().code == "disassembly-failed");
    REQUIRE(failing.error().message == "nvdisasm exited with code 255: nvdisasm fatal : is not a supported Elf file\n");
    REQUIRE(disassemble_with("kill -SEGV $$\n").error().message == "nvdisasm was ended by signal 11");
}

TEST_CASE("an nvdisasm that hangs is ended") {
    Scratch scratch;
    std::string hanging = scratch.program("nvdisasm", "sleep 60\n");
    auto result = toolchain::disassemble(hanging, {.cubin = "cubin", .seconds = 0.2});
    REQUIRE(result.error().message == "nvdisasm took longer than its time");
}

TEST_CASE("an nvdisasm that nobody waits for any more is ended") {
    Scratch scratch;
    const std::string hanging = scratch.program("nvdisasm", "sleep 60\n");
    const std::atomic<bool> cancelled = true;
    Toolchain toolchain({.places = with_nvdisasm(hanging), .cache = CacheOptions{}});
    REQUIRE(toolchain.disassemble("cubin", &cancelled).error().code == "cancelled");
}

// The number of the process stands in what it says.
TEST_CASE("a disassembly is made once") {
    Scratch scratch;
    std::string program =
        scratch.program("nvdisasm", "printf '\\t.section\\t.text.k%s,\"ax\"\\n        /*0000*/    EXIT ;\\n' $$\n");
    Toolchain toolchain({.places = with_nvdisasm(program), .cache = CacheOptions{.folder = scratch.path("cache")}});
    const std::string first = toolchain.disassemble("cubin").value().listing.text;
    REQUIRE(first.ends_with(":\n    0000        EXIT\n"));
    REQUIRE(toolchain.disassemble("cubin").value().listing.text == first);
    REQUIRE(toolchain.disassemble("another cubin").value().listing.text != first);
}

TEST_CASE("a tool is taken from the first place that has it") {
    Scratch scratch;
    Places places;
    places.cuda_home = scratch.path("home");
    places.bundles = {scratch.path("bundle")};
    places.toolkits = {scratch.path("cuda")};
    places.libraries = {scratch.path("system")};
    places.fetched = {scratch.path("fetched")};
    places.wheels = {scratch.path("site-packages")};
    const std::vector<std::pair<std::string, std::string>> from_last = {
        {"site-packages/nvidia/cu13/lib/libnvrtc.so.13", "wheel"},
        {"fetched/lib/libnvrtc.so.13", "wheel"},
        {"system/libnvrtc.so.12", "system"},
        {"cuda/lib64/libnvrtc.so.12", "toolkit"},
        {"bundle/lib/libnvrtc.so.13", "bundle"},
        {"home/lib64/libnvrtc.so", "HIDET_CUDA_HOME"},
    };
    Finding nothing = find(Tool::Nvrtc, places);
    REQUIRE(nothing.state == State::Missing);
    REQUIRE(nothing.looked.front() == scratch.path("home/lib64"));
    REQUIRE(nothing.looked.size() > 8);
    for (const auto& [file, origin] : from_last) {
        scratch.write(file, "");
        Finding found = find(Tool::Nvrtc, places);
        REQUIRE(found.path == scratch.path(file));
        REQUIRE(found.origin == origin);
        REQUIRE((found.state == State::Found && found.advice.empty()));
    }
    scratch.write("home/lib64/libnvrtc.so.13", "");
    REQUIRE(find(Tool::Nvrtc, places).path == scratch.path("home/lib64/libnvrtc.so.13"));
}

TEST_CASE("a program must be one that can be started") {
    Scratch scratch;
    Places places;
    places.programs = {scratch.path("a"), scratch.path("b")};
    scratch.write("a/nvdisasm", "text");
    scratch.program("nothing", "");
    std::filesystem::create_directories(scratch.path("b"));
    std::filesystem::rename(scratch.program("x", ""), scratch.path("b/nvdisasm"));
    REQUIRE(find(Tool::Nvdisasm, places).path == scratch.path("b/nvdisasm"));
}

TEST_CASE("a bundle is searched from the place of its program") {
    Scratch scratch;
    std::filesystem::create_directories(scratch.path("bundle/bin"));
    scratch.write("bundle/lib/libnvrtc.so.13", "");
    auto nothing = [](const char*) { return std::string(); };
    REQUIRE(find(Tool::Nvrtc, places_in(nothing, scratch.path("bundle/bin"))).path ==
            scratch.path("bundle/lib/libnvrtc.so.13"));
    scratch.write("flat/libnvrtc.so.13", "");
    REQUIRE(find(Tool::Nvrtc, places_in(nothing, scratch.path("flat"))).path == scratch.path("flat/libnvrtc.so.13"));
}

TEST_CASE("what is fetched for a tree serves all of its builds") {
    Scratch scratch;
    std::filesystem::create_directories(scratch.path("build/release/bin"));
    scratch.write("build/wheels/lib/libnvrtc.so.13", "");
    auto nothing = [](const char*) { return std::string(); };
    Places places = places_in(nothing, scratch.path("build/release/bin"));
    places.toolkits.clear();
    places.libraries.clear();
    REQUIRE(find(Tool::Nvrtc, places).path == scratch.path("build/wheels/lib/libnvrtc.so.13"));
    REQUIRE(find(Tool::Nvrtc, places).origin == "wheel");
}

TEST_CASE("the packages of a virtual environment are searched without Python") {
    Scratch scratch;
    scratch.write("venv/lib/python3.11/site-packages/nvidia/cu13/bin/readme", "");
    auto variables = [&](const char* name) {
        return name == std::string("VIRTUAL_ENV") ? scratch.path("venv") : std::string();
    };
    Places places = places_in(variables, "");
    REQUIRE(!places.wheels.empty());
    REQUIRE(places.wheels.front() == scratch.path("venv/lib/python3.11/site-packages"));
}

TEST_CASE("facts of a machine with nothing on it are advice for each tool") {
    Toolchain toolchain({.places = Places{}, .cache = CacheOptions{}});
    std::vector<Finding> facts = toolchain.facts();
    REQUIRE(facts.size() == 9u);
    for (const Finding& fact : facts) {
        REQUIRE(fact.state == State::Missing);
        REQUIRE(fact.problem == fact.name + " was not found");
        REQUIRE(!fact.advice.empty());
    }
}

TEST_CASE("facts tell versions, and tools that are there but do not work") {
    Scratch scratch;
    Places places;
    places.nvrtc = FAKE_NVRTC_LIBRARY;
    places.nvdisasm = scratch.program(
        "nvdisasm", "echo 'nvdisasm: NVIDIA (R) CUDA disassembler\nCuda compilation tools, release 13.5, V13.5.37'\n");
    places.ptxas = scratch.program(
        "ptxas", "echo 'ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 13.0, V13.0.88'\n");
    places.cxx = scratch.program("c++", "exit 1\n");
    places.driver = scratch.write("libcuda.so.1", "no library");
    Toolchain toolchain({.places = places, .cache = CacheOptions{}});
    std::vector<Finding> facts = toolchain.facts();
    REQUIRE(facts[0].version == "13.0");
    REQUIRE(facts[0].state == State::Found);
    REQUIRE(facts[1].version == "13.5.37");
    REQUIRE(facts[2].version == "13.0.88");
    for (Tool broken : {Tool::Driver, Tool::CxxCompiler}) {
        auto fact = std::find_if(facts.begin(), facts.end(), [&](const Finding& each) { return each.what == broken; });
        REQUIRE((fact != facts.end() && fact->state == State::Broken && !fact->advice.empty()));
    }
    setenv("FAKE_NVRTC", "builtins", 1);
    REQUIRE(Toolchain({.places = places, .cache = CacheOptions{}}).facts()[0].state == State::Broken);
    unsetenv("FAKE_NVRTC");
}

} // namespace
