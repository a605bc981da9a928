// SPDX-License-Identifier: Apache-2.0
// A library that looks like NVRTC from outside. FAKE_NVRTC says how it behaves: "old" (11.8, up to sm_89), "wrong" (does
// not compile), "memory", "builtins" (errors with these codes), "module" (compiles to what the fake driver reads), "hang" (until the callback ends it), "slow", "mute" (no
// version), "chatty" (prints to standard output). FAKE_NVRTC_LOG is a file that gets a line for each compilation: its options.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>

struct Program {
    std::string text;
    std::string log;
    int (*callback)(void*, void*) = nullptr;
    void* payload = nullptr;
};

namespace {

bool behaves(const char* how) {
    const char* value = std::getenv("FAKE_NVRTC");
    return value && std::strcmp(value, how) == 0;
}

void write_log(int count, const char* const* options) {
    const char* path = std::getenv("FAKE_NVRTC_LOG");
    if (!path)
        return;
    std::string line;
    for (int i = 0; i < count; ++i)
        line += std::string(options[i]) + " ";
    if (FILE* file = std::fopen(path, "a")) {
        std::fprintf(file, "%s\n", line.c_str());
        std::fclose(file);
    }
}

int give(const std::string& text, std::size_t* size, char* to) {
    if (size)
        *size = text.size() + 1;
    if (to)
        std::memcpy(to, text.c_str(), text.size() + 1);
    return 0;
}

int bytes_of(const std::string& parameter) {
    if (parameter.find("__grid_constant__") != std::string::npos) // a tensor map
        return 128;
    for (const char* wide : {"*", "long long", "int64_t", "double"})
        if (parameter.find(wide) != std::string::npos)
            return 8;
    for (const char* narrow : {"bool", "char"})
        if (parameter.find(narrow) != std::string::npos)
            return 1;
    return parameter.find("half") != std::string::npos || parameter.find("short") != std::string::npos ? 2 : 4;
}

// A module as the fake driver reads it: the kernels of the text and the sizes of their parameters.
std::string module_of(const std::string& text) {
    std::string module = "fake-module sm_90\n";
    for (std::size_t at = text.find("__global__"); at != std::string::npos; at = text.find("__global__", at + 1)) {
        std::size_t end = text.find(") {", at), open = text.rfind('(', end), name = text.rfind(' ', open) + 1;
        std::string sizes, parameters = text.substr(open + 1, end - open - 1);
        for (std::size_t begin = 0; begin < parameters.size();) {
            std::size_t comma = std::min(parameters.find(',', begin), parameters.size());
            sizes += (sizes.empty() ? "" : ",") + std::to_string(bytes_of(parameters.substr(begin, comma - begin)));
            begin = comma + 1;
        }
        module += "kernel " + text.substr(name, open - name) + " params=" + sizes + "\n";
    }
    // And the variables of words of 64 bits: "__device__ __align__(16) uint64_t name[4];".
    const std::string type = "__align__(16) uint64_t ";
    for (std::size_t at = text.find("\n__device__ " + type); at != std::string::npos;) {
        const std::size_t name = text.find(type, at) + type.size(), open = text.find('[', name);
        const long count = std::stol(text.substr(open + 1));
        module += "global " + text.substr(name, open - name) + " " + std::to_string(8 * count) + "\n";
        at = text.find("\n__device__ " + type, open);
    }
    if (text.find(" hidet_peers ") != std::string::npos)
        module += "global hidet_peers 136\n";
    return module;
}

// Names and parameters of its kernels are all that anybody reads.
std::string ptx_of(const std::string& text) {
    if (!behaves("module"))
        return "ptx of " + text;
    std::string ptx = ".version 9.0\n.target sm_90a\n";
    std::istringstream lines(module_of(text));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind, name, sizes;
        if (!(words >> kind >> name >> sizes) || kind != "kernel")
            continue;
        std::istringstream each(sizes.substr(sizes.find('=') + 1));
        std::string params;
        for (std::string size; std::getline(each, size, ',');)
            params += (params.empty() ? ".param .align 1 .b8 p[" : ", .param .align 1 .b8 p[") + size + "]";
        ptx += ".visible .entry " + name + "(" + params + ")\n{\n    ret;\n}\n";
    }
    return ptx;
}

std::string cubin_of(const std::string& text) {
    return behaves("module") ? module_of(text) : "cubin of " + text;
}

} // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
    *major = behaves("old") ? 11 : 13;
    *minor = behaves("old") ? 8 : 0;
    return behaves("mute") ? 11 : 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
    *count = behaves("old") ? 3 : 2;
    return 0;
}
int nvrtcGetSupportedArchs(int* numbers) {
    const int old[] = {75, 80, 89};
    const int now[] = {90, 75};
    std::memcpy(numbers, behaves("old") ? old : now, sizeof(int) * (behaves("old") ? 3 : 2));
    return 0;
}
const char* nvrtcGetErrorString(int code) {
    return code == 1 ? "NVRTC_ERROR_OUT_OF_MEMORY" : "NVRTC_ERROR";
}
int nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*, const char* const*) {
    *program = new Program{text, "", nullptr, nullptr};
    return 0;
}
int nvrtcDestroyProgram(Program** program) {
    delete *program;
    *program = nullptr;
    return 0;
}
int nvrtcSetFlowCallback(Program* program, int (*callback)(void*, void*), void* payload) {
    program->callback = callback;
    program->payload = payload;
    return 0;
}
int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
    write_log(count, options);
    if (behaves("slow"))
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (behaves("chatty")) {
        std::puts("this library prints");
        std::fflush(stdout);
    }
    if (program->text.find("crashes the compiler") != std::string::npos) {
        std::signal(SIGSEGV, SIG_DFL); // a sanitizer would make an exit of it
        std::raise(SIGSEGV);
    }
    while (program->text.find("never ends") != std::string::npos)
        std::this_thread::sleep_for(std::chrono::seconds(1));
    if (behaves("memory"))
        return 1;
    if (behaves("builtins"))
        return 7;
    if (behaves("wrong") || program->text.find("is refused") != std::string::npos) {
        program->log = "/hidet/kernel.cu(3): error: it is wrong\n";
        return 6;
    }
    for (int i = 0; behaves("hang") && i < 2000; ++i) {
        if (program->callback && program->callback(program->payload, nullptr))
            return 16;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return 0;
}
int nvrtcGetProgramLogSize(Program* program, std::size_t* size) {
    return give(program->log, size, nullptr);
}
int nvrtcGetProgramLog(Program* program, char* text) {
    return give(program->log, nullptr, text);
}
int nvrtcGetPTXSize(Program* program, std::size_t* size) {
    return give(ptx_of(program->text), size, nullptr);
}
int nvrtcGetPTX(Program* program, char* text) {
    return give(ptx_of(program->text), nullptr, text);
}
int nvrtcGetCUBINSize(Program* program, std::size_t* size) {
    return give(cubin_of(program->text), size, nullptr);
}
int nvrtcGetCUBIN(Program* program, char* bytes) {
    return give(cubin_of(program->text), nullptr, bytes);
}
}
