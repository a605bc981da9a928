// SPDX-License-Identifier: Apache-2.0
// host_tool FILE [--preview] [--steps N] [--memory MIB]: evaluates the host code of a script without an engine; prints what it printed, then the
// diagnostics. The tests of the host language compare its output with Python's.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "lang/host/evaluator.h"
#include "lang/parse/parser.h"

int main(int argc, char** argv) {
    using namespace hidet;
    if (argc < 2)
        return 2;
    std::ifstream file(argv[1], std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    SourceMap sources;
    DiagnosticSink sink;
    FileId id = sources.add(argv[1], text.str());
    lang::ast::Module module = lang::parse(sources, id, sink);
    lang::EvalOptions options;
    options.mode = argc > 2 && std::string_view(argv[2]) == "--preview" ? lang::Mode::Preview : lang::Mode::Run;
    for (int i = 2; i + 1 < argc; ++i) {
        if (std::string_view(argv[i]) == "--steps")
            options.max_steps = std::stoull(argv[i + 1]);
        if (std::string_view(argv[i]) == "--memory")
            options.max_bytes = std::stoull(argv[i + 1]) << 20;
    }
    std::string path = argv[1];
    options.script_folder = path.find('/') == std::string::npos ? "." : path.substr(0, path.rfind('/'));
    lang::EvalResult result;
    if (!sink.has_errors() || options.mode == lang::Mode::Preview) {
        lang::Evaluator evaluator(sources, sink, options, nullptr);
        result = evaluator.run(module);
    }
    std::fputs(result.output.c_str(), stdout);
    std::fflush(stdout);
    std::fputs(render(sink.all(), sources).c_str(), stderr);
    return sink.has_errors() ? 1 : 0;
}
