// SPDX-License-Identifier: Apache-2.0
// A document with its values, as a session makes it, with budgets that end an endless script soon.
#pragma once

#include "lang/host/evaluator.h"
#include "lang/service/analysis.h"

namespace hidet::test {

inline lang::service::DocumentRef analysed(lang::service::ReadRequest request,
                                           const std::atomic<bool>* cancelled = nullptr) {
    using namespace lang::service;
    lang::EvalOptions options;
    options.mode = lang::Mode::Preview;
    options.max_steps = 3'000'000;
    options.max_bytes = 512ull << 20;
    options.max_ir_nodes = 500'000;
    options.cancelled = cancelled;
    options.script_folder = request.folder;
    DocumentRef document = read(std::move(request));
    SourceMap sources = sources_of(*document);
    FactRecorder recorder(*document);
    options.observer = &recorder;
    DiagnosticSink sink;
    lang::Evaluator evaluator(sources, sink, options, nullptr);
    const bool completed = evaluator.run(tree_of(*document)).completed;
    return with_values(document, recorder, completed);
}

} // namespace hidet::test
