// SPDX-License-Identifier: Apache-2.0
// PTX and SASS: what the compiler said, and lines that lead back to the CUDA text and through it to the script.
#pragma once

#include <functional>

#include "app/session/forms/maker.h"
#include "runtime/toolchain/listing.h"

namespace hidet::session {

void describe_compilation(const toolchain::CompileResult& compiled, FormSnapshot& out);
TextSnapshot snapshot_of(FormContext& context, const toolchain::Listing& listing);

struct SassRequest {
    const std::string& cubin;
    bool explains = false; // what the code says of itself
    int capability = 0;    // of the GPU
    const std::atomic<bool>* cancelled = nullptr;
    std::function<TextSnapshot(const toolchain::Listing&)> text; // the listing with its places
};
// Its text, how its instructions are scheduled, and what else was asked for.
Result<void> fill_sass(Tools& tools, const SassRequest& request, FormSnapshot& out);

} // namespace hidet::session
