// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <string>

#include "compiler/ir/text/parse_text.h"

namespace hidet::test {

// The module of a text; the case fails when there is none.
inline ir::ModuleRef parsed_module(const std::string& text) {
    SourceMap sources;
    FileId file = sources.add("m.ir", text);
    DiagnosticSink sink;
    ir::ModuleRef module = ir::parse_module(sources, file, sink);
    if (!module)
        FAIL(render(sink.all(), sources).substr(0, 2000));
    return module;
}

} // namespace hidet::test
