// SPDX-License-Identifier: Apache-2.0
// A process of this machine, and whether it is still there. A number alone does not tell: it is given again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hidet::distributed {

struct Peer {
    int process = 0;
    std::uint64_t started = 0; // ticks since the machine's start

    static Peer self();
    static std::optional<Peer> parse(const std::string& text);
    std::string text() const;
    bool is_alive() const;
};

} // namespace hidet::distributed
