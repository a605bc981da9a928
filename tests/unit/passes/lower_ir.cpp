// SPDX-License-Identifier: Apache-2.0
// lower_ir FILE PASS... : reads IR text, runs the passes (or `emulation`, `kernel`: the whole pipeline), prints the result.
// For golden tests of single passes: text in, text out. Every pass is verified.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "compiler/ir/text/parse_text.h"
#include "compiler/ir/text/print.h"
#include "compiler/ir/verify.h"
#include "compiler/transform/pass.h"

using namespace hidet;
using namespace hidet::compiler;

static ir::ModuleRef run(const std::string& name, const ir::ModuleRef& module, DiagnosticSink& sink) {
    if (name == "emulation" || name == "kernel")
        return lower(module, {.to = name == "kernel" ? LowerTo::Kernel : LowerTo::Emulation}, sink);
    const PassInfo* pass = find_pass(name);
    if (!pass) {
        std::fprintf(stderr, "no pass '%s'\n", name.c_str());
        return nullptr;
    }
    artifact::MarkTable marks;
    LowerOptions options;
    options.marks = &marks; // so that the pass that makes them does
    return run_pass(*pass, module, options, sink);
}

int main(int argc, char** argv) {
    if (argc < 3)
        return 2;
    std::ifstream in(argv[1], std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    SourceMap sources;
    FileId file = sources.add(argv[1], text);
    DiagnosticSink sink;
    ir::ModuleRef module = ir::parse_module(sources, file, sink);
    for (int i = 2; i < argc && module && !sink.has_errors(); ++i)
        module = run(argv[i], module, sink);
    std::fputs(render(sink.all(), sources).c_str(), stderr);
    if (!module || sink.has_errors())
        return 1;
    std::fputs(ir::print_module(*module).text.c_str(), stdout);
    return 0;
}
