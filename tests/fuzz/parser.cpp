// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "lang/base/text.h"
#include "lang/parse/parser.h"
#include "tests/fuzz/targets.h"
#include "tests/syntax/dump.h"

namespace hidet::fuzz {

void parser(std::string_view input) {
    SourceMap sources;
    const FileId file = sources.add("input.py", std::string(input));
    DiagnosticSink sink;
    const lang::ast::Module module = lang::parse(sources, file, sink);
    lang::ast::dump(module);
    for (const Diagnostic& diagnostic : sink.all())
        require(diagnostic.span.begin <= diagnostic.span.end && diagnostic.span.end <= input.size(),
                "a diagnostic points beyond the text");
    require(first_invalid_utf8(render(sink.all(), sources)) == std::string::npos, "messages are text");
}

} // namespace hidet::fuzz
