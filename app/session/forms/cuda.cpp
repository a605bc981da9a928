// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/maker.h"

namespace hidet::session {

bool make_cuda(FormContext& context, FormSnapshot& out) {
    const artifact::Source* source = context.cuda();
    if (!source)
        return false;
    out.text = snapshot_of(context.work, *source);
    return true;
}

} // namespace hidet::session
