// SPDX-License-Identifier: Apache-2.0
// A kernel that was explained, for who asks more of it later: on any thread, since nothing of it changes.
#pragma once

#include "app/session/explain/explain.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"
#include "lang/base/source.h"
#include "lang/base/symbol_values.h"

namespace hidet::session {

struct ExplainedSource {
    ir::ModuleRef script, module; // as the script made it, and lowered for the emulator
    const ir::Function* kernel = nullptr;
    SymbolValues sizes;
    artifact::TargetSpec target;
    std::shared_ptr<const SourceMap> sources;
};

// Which elements of its operands one block reads and writes; pictures have at most so many rows and columns.
struct BlockRequest {
    std::vector<std::int64_t> grid;
    std::array<std::int64_t, 3> block{};
    std::int64_t most_rows = 16, most_columns = 48;
};
BlockView block_of(const ExplainedSource& source, const BlockRequest& request, const std::atomic<bool>* cancelled);

// From where to where the shared tensors of the kernel are in use. `bytes`: of a block's shared memory, as it is launched.
SharedView shared_of(const ExplainedSource& source, std::int64_t bytes);

WavesView waves_of(const ExplainedSource& source, const CostView& cost, const std::atomic<bool>* cancelled);

} // namespace hidet::session
