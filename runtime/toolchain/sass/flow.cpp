// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/flow.h"

#include <algorithm>
#include <map>

namespace hidet::toolchain::sass {

namespace {

// What follows an instruction.
struct Ways {
    bool falls_through = true;
    std::vector<std::size_t> targets;
    bool ends_block = false;
};

bool has_condition(const Instruction& instruction) {
    return !instruction.guard.empty() || instruction.operands.find(',') != std::string::npos ||
           instruction.has("ANY") || instruction.has("DIV");
}

// A function that is called goes back to behind any call of this text: which one, its register says.
std::vector<std::size_t> returns_of(const Function& function) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i + 1 < function.code.size(); ++i)
        if (function.code[i].is("CALL"))
            out.push_back(i + 1);
    return out;
}

// BSYNC goes on where the BSSY before it said that its lanes meet again.
std::vector<std::size_t> meeting_place(const Function& function, std::size_t at) {
    const std::string& barrier = function.code[at].operands;
    for (std::size_t i = at; i-- > 0;) {
        const Instruction& before = function.code[i];
        if (before.is("BSSY") && before.operands.starts_with(barrier + ",") && !before.targets.empty())
            return before.targets;
    }
    return {};
}

Ways ways_from(const Function& function, std::size_t at, const std::vector<std::size_t>& returns) {
    const Instruction& instruction = function.code[at];
    Ways out;
    if (instruction.is("EXIT") || instruction.is("KILL")) {
        out.falls_through = !instruction.guard.empty();
    } else if (instruction.is("RET")) {
        out.falls_through = !instruction.guard.empty();
        out.targets = returns;
    } else if (instruction.is("BRA") || instruction.is("JMP")) {
        out.falls_through = has_condition(instruction);
        out.targets = instruction.targets;
    } else if (instruction.is("BRX") || instruction.is("BRXU") || instruction.is("JMX")) {
        out.falls_through = !instruction.guard.empty();
        out.targets = instruction.targets;
    } else if (instruction.is("CALL") || instruction.is("WARPSYNC")) {
        out.targets = instruction.targets;
    } else if (instruction.is("BSYNC")) {
        out.targets = meeting_place(function, at);
        out.falls_through = out.targets.empty() || !instruction.guard.empty();
    } else {
        return out;
    }
    out.ends_block = true;
    return out;
}

void link(Flow& flow, std::size_t from, std::size_t to) {
    std::vector<std::size_t>& next = flow.blocks[from].next;
    if (std::ranges::find(next, to) != next.end())
        return;
    next.push_back(to);
    flow.blocks[to].before.push_back(from);
}

void order_blocks(Flow& flow) {
    std::vector<std::pair<std::size_t, std::size_t>> path; // a block, and how many of its ways were taken
    std::vector<bool> seen(flow.blocks.size());
    path.emplace_back(0, 0);
    seen[0] = true;
    while (!path.empty()) {
        auto& [block, taken] = path.back();
        if (taken == flow.blocks[block].next.size()) {
            flow.order.push_back(block);
            path.pop_back();
            continue;
        }
        const std::size_t next = flow.blocks[block].next[taken++];
        if (!seen[next]) {
            seen[next] = true;
            path.emplace_back(next, 0);
        }
    }
    std::ranges::reverse(flow.order);
}

// Cooper, Harvey and Kennedy: the dominators of the blocks before are intersected until nothing changes.
void find_dominators(Flow& flow) {
    const std::size_t none = flow.blocks.size();
    std::vector<std::size_t> place(flow.blocks.size(), none);
    for (std::size_t i = 0; i < flow.order.size(); ++i)
        place[flow.order[i]] = i;
    std::vector<std::size_t> found(flow.blocks.size(), none);
    found[0] = 0;
    auto common = [&](std::size_t a, std::size_t b) {
        while (a != b) {
            while (place[a] > place[b])
                a = found[a];
            while (place[b] > place[a])
                b = found[b];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block : flow.order) {
            if (block == 0)
                continue;
            std::size_t best = none;
            for (std::size_t before : flow.blocks[block].before)
                if (found[before] != none)
                    best = best == none ? before : common(best, before);
            changed = changed || best != found[block];
            found[block] = best;
        }
    }
    for (std::size_t i = 0; i < found.size(); ++i)
        flow.dominator.push_back(found[i] == none ? i : found[i]);
}

void add_body(const Flow& flow, Loop& loop, std::size_t latch) {
    std::vector<std::size_t> open = {latch};
    while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        if (std::ranges::find(loop.blocks, block) != loop.blocks.end())
            continue;
        loop.blocks.push_back(block);
        for (std::size_t before : flow.blocks[block].before)
            if (flow.reached(before))
                open.push_back(before);
    }
}

void find_always(const Flow& flow, Loop& loop, const std::vector<std::size_t>& latches) {
    for (std::size_t block : flow.order) { // which has dominators before what they dominate
        if (!std::binary_search(loop.blocks.begin(), loop.blocks.end(), block))
            continue;
        if (std::ranges::all_of(latches, [&](std::size_t latch) { return flow.dominates(block, latch); }))
            loop.always.push_back(block);
    }
}

bool is_within(const Loop& inner, const Loop& outer) {
    return inner.header != outer.header && std::binary_search(outer.blocks.begin(), outer.blocks.end(), inner.header);
}

void find_own(const std::vector<Loop>& loops, Loop& loop) {
    for (std::size_t block : loop.blocks) {
        const bool is_inner = std::ranges::any_of(loops, [&](const Loop& other) {
            return is_within(other, loop) && std::binary_search(other.blocks.begin(), other.blocks.end(), block);
        });
        if (!is_inner || std::ranges::find(loop.always, block) != loop.always.end())
            loop.own.push_back(block);
    }
}

} // namespace

bool Flow::dominates(std::size_t above, std::size_t below) const {
    while (below != above && dominator[below] != below)
        below = dominator[below];
    return below == above;
}

Flow flow_of(const Function& function) {
    Flow flow;
    const std::size_t count = function.code.size();
    if (count == 0)
        return flow;
    const std::vector<std::size_t> returns = returns_of(function);
    std::vector<Ways> ways;
    std::vector<bool> begins(count + 1);
    begins[0] = true;
    for (std::size_t i = 0; i < count; ++i) {
        ways.push_back(ways_from(function, i, returns));
        if (ways[i].ends_block)
            begins[i + 1] = true;
        for (std::size_t target : ways[i].targets)
            begins[target] = true;
    }
    flow.block_of.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (begins[i])
            flow.blocks.push_back({i, i, {}, {}});
        flow.blocks.back().end = i + 1;
        flow.block_of[i] = flow.blocks.size() - 1;
    }
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        const Ways& last = ways[flow.blocks[block].end - 1];
        if (last.falls_through && block + 1 < flow.blocks.size())
            link(flow, block, block + 1);
        for (std::size_t target : last.targets)
            link(flow, block, flow.block_of[target]);
    }
    order_blocks(flow);
    find_dominators(flow);
    return flow;
}

std::vector<Loop> loops_of(const Flow& flow) {
    std::map<std::size_t, std::vector<std::size_t>> latches; // by header
    for (std::size_t block : flow.order)
        for (std::size_t next : flow.blocks[block].next)
            if (flow.dominates(next, block))
                latches[next].push_back(block);
    std::vector<Loop> out;
    for (const auto& [header, backward] : latches) {
        Loop loop;
        loop.header = header;
        loop.blocks.push_back(header);
        for (std::size_t latch : backward)
            add_body(flow, loop, latch);
        std::ranges::sort(loop.blocks);
        find_always(flow, loop, backward);
        out.push_back(std::move(loop));
    }
    for (Loop& loop : out)
        for (const Loop& other : out) {
            if (&loop == &other)
                continue;
            if (std::binary_search(other.blocks.begin(), other.blocks.end(), loop.header))
                ++loop.depth;
            if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), other.header))
                loop.is_inner = false;
        }
    for (Loop& loop : out)
        find_own(out, loop);
    return out;
}

} // namespace hidet::toolchain::sass
