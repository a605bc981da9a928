// SPDX-License-Identifier: Apache-2.0
// Reads paths from standard input, one a line, and answers for each with "ok SIZE" and the tree in the form of Python's
// ast.dump, or "error SIZE" and the diagnostics; tests/syntax/differential.py compares that with Python. With a path as its
// argument it prints that file's diagnostics, for golden tests of syntax alone.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "lang/parse/parser.h"
#include "tests/syntax/dump.h"

static void answer(const char* status, const std::string& text) {
    std::printf("%s %zu\n", status, text.size());
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

// Diagnostics of one file, as hidetc prints them.
static int check(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    hidet::SourceMap sources;
    hidet::FileId file = sources.add(path, std::move(text).str());
    hidet::DiagnosticSink sink;
    hidet::lang::ast::Module module = hidet::lang::parse(sources, file, sink);
    std::fputs(hidet::render(sink.all(), sources).c_str(), stderr);
    return sink.has_errors() ? 1 : 0;
}

int main(int argc, char** argv) {
    if (argc > 1)
        return check(argv[1]);
    for (std::string path; std::getline(std::cin, path);) {
        std::ifstream in(path, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        hidet::SourceMap sources;
        hidet::FileId file = sources.add("input.py", std::move(text).str());
        hidet::DiagnosticSink sink;
        hidet::lang::ast::Module module = hidet::lang::parse(sources, file, sink);
        if (sink.has_errors())
            answer("error", hidet::render(sink.all(), sources));
        else
            answer("ok", hidet::lang::ast::dump(module));
    }
    return 0;
}
