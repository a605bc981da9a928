// SPDX-License-Identifier: Apache-2.0
// Reads paths from standard input, one a line, and answers for each with "ok SIZE" and the tree in the form of Python's
// ast.dump, or "error SIZE" and the diagnostics. With --tokens it answers with the scanner's and the reference lexer's
// difference instead. For tests/syntax/*.py, which compare with Python.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "lang/ast/dump.h"
#include "lang/parse/parser.h"

static void answer(const char* status, const std::string& text) {
    std::printf("%s %zu\n", status, text.size());
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

int main(int argc, char** argv) {
    bool both = argc > 1 && std::string(argv[1]) == "--all";
    for (std::string path; std::getline(std::cin, path);) {
        std::ifstream in(path, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        hidet::SourceMap sources;
        hidet::FileId file = sources.add("input.py", std::move(text).str());
        hidet::DiagnosticSink sink;
        hidet::lang::ast::Module module = hidet::lang::parse(sources, file, sink);
        if (sink.has_errors())
            answer("error", hidet::render(sink.all(), sources) + (both ? hidet::lang::ast::dump(module) + "\n" : ""));
        else
            answer("ok", hidet::lang::ast::dump(module));
    }
    return 0;
}
