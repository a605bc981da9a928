// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/live_snapshot.h"

namespace hidet::session {

std::shared_ptr<const FormSnapshot> form_of(const ModuleSnapshot& module, Form form) {
    for (const auto& made : module.forms)
        if (made->name == info(form).name)
            return made;
    return nullptr;
}

} // namespace hidet::session
