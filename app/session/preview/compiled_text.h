// SPDX-License-Identifier: Apache-2.0
// CUDA C++ or PTX that a person has written, or changed after it was generated: compiled as generated code is, with what the
// compiler says at its own lines, and what became of it beside it.
#pragma once

#include <functional>

#include "app/session/request/request.h"
#include "app/session/snapshot/outcome.h"

namespace hidet::session {

struct CompiledTextResult : Outcome {
    std::string arch; // "sm_90a"
    std::vector<KernelFacts> kernels;
    std::shared_ptr<const FormSnapshot> ptx, sass; // places are lines of the text; null: not made, or the text is PTX
};

struct CompiledTextRequest {
    Source source;
    Form form = Form::Cuda;   // or Form::Ptx
    std::string arch;         // empty: that which the text says, or else the usual one
    bool contracts = true;    // a * b + c may be rounded once, unless the text says otherwise
    bool explains = false;    // what SASS says of itself
    bool disassembles = true; // else PTX and figures are all
    bool assembles = true;    // else PTX is all, which PTX is already
    std::shared_ptr<Tools> tools;
    const std::atomic<bool>* cancelled = nullptr;
    // Told whenever there is more of it: its PTX, its figures.
    std::function<void(const CompiledTextResult&)> published = {};
};
CompiledTextResult compile_text(const CompiledTextRequest& request);

} // namespace hidet::session
