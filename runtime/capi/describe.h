// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/package/manifest.h"
#include "runtime/package/text.h"

namespace hidet::capi {

// JSON, to be freed; null: there is no memory.
char* describe(const package::Manifest& manifest, const package::List<package::Plan>& plans, bool is_signed);

} // namespace hidet::capi
