// SPDX-License-Identifier: Apache-2.0
// How a kernel is launched, as far as that can be told from its IR: the one place where extents become numbers.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>

#include "compiler/artifact/launch_shape.h"
#include "compiler/ir/evaluate.h"
#include "compiler/ir/func.h"
#include "compiler/ir/stmt.h"
#include "lang/base/symbol_values.h"

namespace hidet::perf {

// Values of scalar parameters and symbols, as far as they are known.
using KnownValues = std::unordered_map<const ir::Node*, std::int64_t>;

// Of the kernel's parameters that have the name of a size.
KnownValues known_parameters(const ir::Function& kernel, const SymbolValues& sizes);

// Of what has a value, or of a symbol that host functions ask the runtime for.
std::optional<std::int64_t> known_leaf(const ir::ExprRef& leaf, const KnownValues& known, const SymbolValues& symbols);

struct KnownShape {
    using Extents = std::array<std::optional<std::int64_t>, 3>;
    Extents grid, block, cluster;
    std::optional<std::int64_t> dynamic_shared;

    std::optional<double> threads() const; // of all blocks
    // `unknown`: in the place of each extent that is not known. Bytes that are not known are none.
    artifact::LaunchShape or_else(std::int64_t unknown) const;
};

// `sizes`: of dynamic dimensions and scalar parameters, by name.
KnownShape resolve(const ir::Function& kernel, const SymbolValues& sizes);
KnownShape resolve(const ir::LaunchStmt& launch, const ir::KnownValue& known);

// Of the tensors that the kernel declares, in bytes.
std::int64_t static_shared_bytes(const ir::Function& kernel);

} // namespace hidet::perf
