// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tolerance.h"

#include <algorithm>
#include <cmath>

#include "lang/tensor/elements.h"

namespace hidet::session {

double node_tolerance(ir::DType dtype) {
    switch (dtype) {
    case ir::DType::F64: return 1e-10;
    case ir::DType::F32: return 2e-4;
    case ir::DType::F16: return 1e-2;
    case ir::DType::BF16: return 6e-2;
    default: return ir::is_float(dtype) ? 0.2 : 0;
    }
}

Tolerance recorded_tolerance(const lang::Tensor& recorded) {
    double share = 0;
    switch (recorded.dtype) {
    case ir::DType::F64: share = 1e-9; break;
    case ir::DType::F32: share = 2e-5; break;
    case ir::DType::F16: share = 5e-3; break;
    case ir::DType::BF16: share = 4e-2; break;
    default: break;
    }
    double greatest = 0;
    if (share > 0)
        for (const double number : lang::read_doubles(recorded))
            if (std::isfinite(number))
                greatest = std::max(greatest, std::fabs(number));
    return {share * greatest, 10 * share};
}

} // namespace hidet::session
