// SPDX-License-Identifier: Apache-2.0
// What requests share beyond one script: the compilers and their cache. Nothing is looked for before it is needed.
#pragma once

#include <memory>

#include "app/session/session.h"
#include "runtime/toolchain/toolchain.h"

namespace hidet::session {

class Tools {
public:
    Tools();
    toolchain::Toolchain& toolchain() { return *m_toolchain; }

private:
    std::unique_ptr<toolchain::Toolchain> m_toolchain;
};

} // namespace hidet::session
