// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/launch_record.h"

namespace hidet::session {

Result<void> LaunchRecord::launch(cuda::Stream& stream, std::span<const std::uint64_t> addresses) {
    for (std::size_t i = 0; i < m_launches.size(); ++i) {
        cuda::NotedLaunch& launch = m_launches[i];
        for (std::size_t k = 0; k < launch.args.size(); ++k)
            if (const int source = m_sources[i][k]; source >= 0)
                launch.set_address(k, addresses[static_cast<std::size_t>(source)]);
        HIDET_TRY_TO(launch.start(stream));
    }
    return {};
}

} // namespace hidet::session
