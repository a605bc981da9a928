// SPDX-License-Identifier: Apache-2.0
// CUDA C++ that a person has written, or changed after it was generated: compiled as generated code is, with what the compiler says at
// its own lines, and what became of it beside it.
#pragma once

#include "app/session/request/request.h"
#include "app/session/snapshot/outcome.h"

namespace hidet::session {

struct CompiledTextRequest {
    Source source;
    std::string arch;         // empty: the usual one
    bool contracts = true;    // a * b + c may be rounded once
    bool explains = false;    // what SASS says of itself
    bool disassembles = true; // else PTX and figures are all
    std::shared_ptr<Tools> tools;
    const std::atomic<bool>* cancelled = nullptr;
};

struct CompiledTextResult : Outcome {
    std::string arch; // "sm_90a"
    std::vector<KernelFacts> kernels;
    std::shared_ptr<const FormSnapshot> ptx, sass; // places are lines of the text; null: not made
};
CompiledTextResult compile_text(const CompiledTextRequest& request);

} // namespace hidet::session
