// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/capi/json.h"
#include "runtime/package/manifest.h"

namespace hidet::capi {

void describe(Json& json, const package::Manifest& manifest, const package::List<package::Plan>& plans, bool is_signed);

} // namespace hidet::capi
