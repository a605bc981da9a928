// SPDX-License-Identifier: Apache-2.0
// What the tests of the virtual machine share: kernels as IR text, buffers, the finding of a run as one text.
#pragma once

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "compiler/artifact/program.h"
#include "compiler/codegen/bytecode/generate.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "runtime/vm/machine.h"
#include "tests/unit/ir/parsed.h"

namespace hidet::test {

inline artifact::Program compile(const ir::ModuleRef& module) {
    for (const std::string& problem : ir::verify(*module))
        FAIL("not well formed: ", problem, "\n", ir::print_module(*module).text);
    DiagnosticSink sink;
    auto program = compiler::generate_bytecode(module, sink);
    if (!program)
        FAIL(sink.all().front().message, "\n", ir::print_module(*module).text);
    return *program;
}
inline artifact::Program compile(const std::string& text) {
    return compile(parsed_module(text));
}

inline std::string indented(const std::string& body) {
    std::string out = "    ";
    for (char c : body) {
        out += c;
        if (c == '\n')
            out += "    ";
    }
    while (!out.empty() && (out.back() == ' ' || out.back() == '\n'))
        out.pop_back();
    return out + "\n";
}

// A module with one kernel and the host function `launch` that starts it.
struct KernelText {
    std::string params; // "a: *f32[16, 16], n: i32"
    std::string args;   // "a, n"
    std::string grid = "1, 1, 1";
    std::string block = "32, 1, 1";
    std::string body = "";
    std::string functions = ""; // others, of kind cuda_internal
    std::string level = "loop";
    std::string shared = "0";
};

inline std::string module_text(const KernelText& k) {
    return "module 'test' level " + k.level + "\n\n" + k.functions + "def kernel(" + k.params +
           "):\n    attrs.func_kind = 'cuda_kernel'\n    attrs.cuda.grid_dim = " + k.grid +
           "\n    attrs.cuda.cluster_dim = 1, 1, 1\n    attrs.cuda.block_dim = " + k.block + "\n" + indented(k.body) +
           "\ndef launch(" + k.params + "):\n    attrs.func_kind = 'public'\n    launch kernel(" + k.args +
           "), grid=[" + k.grid + "], cluster=[1, 1, 1], block=[" + k.block + "], dynamic_smem_bytes=" + k.shared +
           "\n";
}

// c[33, 47] = a[33, 20] b[20, 47], an element a thread: ragged edges in both directions.
inline std::string naive_matmul_text() {
    KernelText k{.params = "a: *f32[33, 20], b: *f32[20, 47], c: *f32[33, 47]",
                 .args = "a, b, c",
                 .grid = "3, 3, 1",
                 .block = "16, 16, 1"};
    k.body = "let i: i32 = blockIdx.y * 16 + threadIdx.y\nlet j: i32 = blockIdx.x * 16 + threadIdx.x\n"
             "if i < 33 and j < 47:\n    declare acc: f32 = 0.0\n    for k in range(20):\n"
             "        acc = acc + a[i, k] * b[k, j]\n    c[i, j] = acc\n";
    return module_text(k);
}

struct RunOptions {
    vm::MachineOptions machine{};
    std::string function = "launch";
};

// Runs and returns "" or the message of the first finding; what was printed goes to `output`.
inline std::string run(const artifact::Program& program, vm::Machine& machine, const std::vector<vm::Argument>& args,
                       const std::string& function = "launch") {
    vm::CallResult result = machine.call(program, function, args);
    if (result.ok != result.findings.empty())
        FAIL("ok and findings disagree");
    return result.ok ? "" : result.findings.front().message;
}

template <class T>
vm::Pointer map(vm::Machine& machine, std::vector<T>& data, const std::string& name,
                std::vector<std::int64_t> shape = {}, Device device = Device::Cuda) {
    return machine.map(data.data(), data.size() * sizeof(T),
                       {.name = name, .dtype = "", .shape = std::move(shape), .device = device});
}

} // namespace hidet::test
