// SPDX-License-Identifier: Apache-2.0
#include "app/session/tools/tools.h"

#include "runtime/distributed/rendezvous.h"

namespace hidet::session {

Tools::Tools(ToolsOptions options)
    : m_use_gpu(options.use_gpu), m_compilers(std::move(options.compilers)), m_solver(std::move(options.solver)),
      m_toolchain(std::make_unique<toolchain::Toolchain>(toolchain::ToolchainOptions{
          .cache = options.has_cache ? std::optional<toolchain::CacheOptions>() : toolchain::CacheOptions{},
          .compiler = m_compilers.get()})) {}

// Of several processes on this machine each has its own, where there are so many.
static int gpu_of_process(const cuda::Driver& driver) {
    const auto member = distributed::membership_of(distributed::variable_of_process);
    int count = 0;
    if (!member || !member.value() || driver.api().device_get_count(&count) != cuda::Status::Success || count == 0)
        return 0;
    return member.value()->local_rank % count;
}

static Result<std::shared_ptr<cuda::Stream>> open_gpu() {
    HIDET_TRY(std::shared_ptr<const cuda::Driver> driver, cuda::Driver::load());
    HIDET_TRY(std::shared_ptr<cuda::Context> context, cuda::Context::open(driver, gpu_of_process(*driver)));
    return cuda::Stream::create(context);
}

Result<std::shared_ptr<cuda::Stream>> Tools::gpu() {
    std::lock_guard lock(m_mutex);
    if (!m_gpu)
        m_gpu = m_use_gpu ? open_gpu() : Error{"no-gpu", "it was asked to do without"};
    return *m_gpu;
}

std::optional<Error> Tools::gpu_lost() {
    std::lock_guard lock(m_mutex);
    if (!m_gpu || !m_gpu->ok())
        return std::nullopt;
    return m_gpu->value()->context().fault();
}

std::shared_ptr<Tools> open_tools(ToolsOptions options) {
    return std::make_shared<Tools>(std::move(options));
}

} // namespace hidet::session
