// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/peer.h"

#include <fstream>
#include <sstream>

#include <unistd.h>

#include "lang/base/text.h"

namespace hidet::distributed {

// Nothing: there is no such process, or it has ended and its parent has not noticed.
static std::optional<std::uint64_t> start_of_process(int process) {
    std::ifstream file(cat("/proc/", process, "/stat"));
    std::string text;
    std::getline(file, text,
                 '\0'); // all of it, and nothing where the process ends meanwhile, which iterators throw for
    const std::size_t name_ends = text.rfind(')'); // a name may have blanks and parentheses
    if (name_ends == std::string::npos)
        return std::nullopt;
    std::istringstream fields(text.substr(name_ends + 1));
    std::string field;
    if (!(fields >> field) || field == "Z" || field == "X")
        return std::nullopt;
    constexpr int fields_between = 18; // parent ... itrealvalue
    for (int i = 0; i < fields_between; ++i)
        fields >> field;
    std::uint64_t started = 0;
    return fields >> started ? std::optional(started) : std::nullopt;
}

Peer Peer::self() {
    return {getpid(), start_of_process(getpid()).value_or(0)};
}

std::optional<Peer> Peer::parse(const std::string& text) {
    std::istringstream words(text);
    Peer out;
    return words >> out.process >> out.started ? std::optional(out) : std::nullopt;
}

std::string Peer::text() const {
    return cat(process, " ", started);
}

bool Peer::is_alive() const {
    return start_of_process(process) == started;
}

} // namespace hidet::distributed
