// SPDX-License-Identifier: Apache-2.0
#include "compiler/perf/exchange.h"

#include <algorithm>
#include <bit>

namespace hidet::perf {

artifact::Links links_of(const artifact::TargetSpec& target) {
    if (target.links.bytes_per_second > 0)
        return target.links;
    return target.is_cuda() ? artifact::default_gpu().links : artifact::default_cpu().links;
}

// Of a group, those that a host has.
static std::int64_t on_a_host(const artifact::Links& links, const ExchangeGroup& group) {
    if (links.host_size <= 0)
        return group.count;
    return std::clamp<std::int64_t>(links.host_size / std::max<std::int64_t>(group.step, 1), 1, group.count);
}

// Of n processes each has 1 / n of a tensor: what it gets of it.
static double others(double count) {
    return (count - 1) / count;
}

ExchangeTime exchange_time(const artifact::Links& links, const ExchangeGroup& group, Exchange kind, double bytes) {
    if (group.count <= 1)
        return {};
    const std::int64_t within = on_a_host(links, group);
    const std::int64_t hosts = (group.count + within - 1) / within;
    const double passes = kind == Exchange::Reduce ? 2 : 1;
    const auto processes = static_cast<double>(within);
    const double host_start = within > 1 ? links.seconds : 0;
    const double host_bytes = within > 1 ? passes * bytes * others(processes) / links.bytes_per_second : 0;
    if (hosts == 1)
        return {host_start + host_bytes, Link::Host};
    const double hops = std::bit_width(static_cast<std::uint64_t>(hosts - 1)); // ceil(log2 hosts)
    const double start = passes * hops * links.network_seconds;
    const double sent =
        passes * bytes / processes * others(static_cast<double>(hosts)) / links.network_bytes_per_second;
    return {host_start + start + std::max(host_bytes, sent),
            start + sent > host_start + host_bytes ? Link::Network : Link::Host};
}

} // namespace hidet::perf
