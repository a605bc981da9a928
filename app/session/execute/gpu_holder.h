// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/artifact/target_spec.h"

namespace hidet::session {

// Who runs kernels on a GPU, if there is one.
class GpuHolder {
public:
    virtual ~GpuHolder() = default;
    virtual const artifact::TargetSpec* gpu() const = 0; // null: kernels are emulated
};

} // namespace hidet::session
