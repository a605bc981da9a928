// SPDX-License-Identifier: Apache-2.0
#include "app/session/tools.h"

namespace hidet::session {

Tools::Tools() : m_toolchain(std::make_unique<toolchain::Toolchain>(toolchain::ToolchainOptions{})) {}

std::shared_ptr<Tools> open_tools() {
    return std::make_shared<Tools>();
}

} // namespace hidet::session
