// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/pressure.h"

#include <algorithm>
#include <map>

namespace hidet::toolchain::sass {

namespace {

constexpr auto general = static_cast<std::size_t>(RegisterKind::General);

bool writes(const RegisterRow& row, Register name) {
    return std::ranges::find(row.writes, name) != row.writes.end();
}

// The last write in [begin, end).
std::optional<std::size_t> last_write(const RegisterTable& registers, Register name, std::size_t begin,
                                      std::size_t end) {
    for (std::size_t i = end; i-- > begin;)
        if (writes(registers[i], name))
            return i;
    return {};
}

// Several ways may lead here, each with its own write: the one that stands nearest before in the text speaks for them.
bool is_nearer(std::size_t at, std::size_t a, const std::optional<std::size_t>& b) {
    if (!b)
        return true;
    const bool a_before = a <= at, b_before = *b <= at;
    return a_before != b_before ? a_before : a > *b;
}

std::optional<std::size_t> writer_of(const Flow& flow, const RegisterTable& registers, Register name, std::size_t at) {
    const std::size_t home = flow.block_of[at];
    if (auto here = last_write(registers, name, flow.blocks[home].begin, at + 1))
        return here;
    std::optional<std::size_t> nearest;
    std::vector<bool> seen(flow.blocks.size());
    std::vector<std::size_t> open = flow.blocks[home].before;
    while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        if (seen[block])
            continue;
        seen[block] = true;
        auto found = last_write(registers, name, flow.blocks[block].begin, flow.blocks[block].end);
        if (!found)
            open.insert(open.end(), flow.blocks[block].before.begin(), flow.blocks[block].before.end());
        else if (is_nearer(at, *found, nearest))
            nearest = found;
    }
    return nearest;
}

} // namespace

std::optional<std::size_t> peak_of(const RegisterTable& registers) {
    auto most = std::ranges::max_element(
        registers, [](const RegisterRow& a, const RegisterRow& b) { return a.live[general] < b.live[general]; });
    if (most == registers.end() || most->live[general] == 0)
        return {};
    return static_cast<std::size_t>(most - registers.begin());
}

std::vector<Holder> holders_at(const Flow& flow, const RegisterTable& registers, std::size_t at) {
    std::map<std::optional<std::size_t>, int> counts;
    for (Register name : registers[at].all)
        if (name.kind == RegisterKind::General)
            ++counts[writer_of(flow, registers, name, at)];
    std::vector<Holder> out;
    for (const auto& [writer, count] : counts)
        out.push_back({writer, count});
    return out;
}

} // namespace hidet::toolchain::sass
