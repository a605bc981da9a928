// SPDX-License-Identifier: Apache-2.0
// PTX and SASS: what the compiler said, and lines that lead back to the CUDA text and through it to the script.
#pragma once

#include "app/session/forms/maker.h"
#include "runtime/toolchain/listing.h"

namespace hidet::session {

void describe_compilation(const toolchain::CompileResult& compiled, FormSnapshot& out);
TextSnapshot snapshot_of(FormContext& context, const toolchain::Listing& listing);

} // namespace hidet::session
