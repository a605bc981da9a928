// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/underlying_object.h"

namespace hidet::compiler {

using namespace ir;

ExprRef underlying_object(ExprRef expr) {
    const auto* address = as<Address>(expr);
    return address ? address->place : expr;
}

const TensorElement* element_behind_address(const ExprRef& pointer) {
    ExprRef at = pointer;
    while (const auto* cast = as<Cast>(at))
        at = cast->a;
    const auto* address = as<Address>(at);
    return address ? as<TensorElement>(address->place) : nullptr;
}

} // namespace hidet::compiler
