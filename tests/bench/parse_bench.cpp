// SPDX-License-Identifier: Apache-2.0
// Text to tree: the keystroke's first stage.
#include <cstdlib>

#include "lang/parse/parser.h"
#include "tests/bench/bench.h"

using namespace hidet;

static double parse_ms(const std::string& text) {
    SourceMap sources;
    FileId file = sources.add("script.py", text);
    return bench::median_ms([&] {
        DiagnosticSink sink;
        lang::ast::Module module = lang::parse(sources, file, sink);
        if (module.body.empty())
            std::abort();
    });
}

int main(int argc, char** argv) {
    std::string root = argc > 1 ? argv[1] : ".";
    std::string text = bench::read_text(root + "/tests/bench/kernels/script_300.py");
    if (text.empty())
        return 1;
    bench::figure("parse/script of 300 lines", parse_ms(text), "ms", 3);
    std::string ten;
    for (int i = 0; i < 10; ++i)
        ten += text;
    bench::figure("parse/the same ten times", parse_ms(ten), "ms", 30);
    // Half-typed text is what an editor parses most of the time.
    std::size_t line = text.find('\n', text.size() / 2);
    bench::figure("parse/with an open bracket", parse_ms(text.substr(0, line) + " + f(a," + text.substr(line)), "ms",
                  3);
    return 0;
}
