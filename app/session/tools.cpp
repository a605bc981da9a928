// SPDX-License-Identifier: Apache-2.0
#include "app/session/tools.h"

namespace hidet::session {

Tools::Tools() : m_toolchain(std::make_unique<toolchain::Toolchain>(toolchain::ToolchainOptions{})) {}

static Result<std::shared_ptr<cuda::Stream>> open_gpu() {
    HIDET_TRY(std::shared_ptr<const cuda::Driver> driver, cuda::Driver::load());
    HIDET_TRY(std::shared_ptr<cuda::Context> context, cuda::Context::open(driver));
    return cuda::Stream::create(context);
}

Result<std::shared_ptr<cuda::Stream>> Tools::gpu() {
    std::lock_guard lock(m_mutex);
    if (!m_gpu)
        m_gpu = open_gpu();
    return *m_gpu;
}

std::shared_ptr<Tools> open_tools() {
    return std::make_shared<Tools>();
}

} // namespace hidet::session
