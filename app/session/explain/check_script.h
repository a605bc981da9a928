// SPDX-License-Identifier: Apache-2.0
// What is wrong with a script, as far as that shows before its kernels run.
#pragma once

#include "app/session/preview/preview.h"

namespace hidet::session {

// A preview that also proves accesses: what is proved to leave its tensor is as wrong as what cannot be read.
PreviewResult check_script(const PreviewRequest& request);

} // namespace hidet::session
