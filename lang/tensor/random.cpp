// SPDX-License-Identifier: Apache-2.0
#include "lang/tensor/random.h"

namespace hidet::lang {

#include "lang/tensor/random.inl"

} // namespace hidet::lang
