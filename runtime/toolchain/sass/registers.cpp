// SPDX-License-Identifier: Apache-2.0
#include "runtime/toolchain/sass/registers.h"

#include <algorithm>
#include <map>

#include "runtime/toolchain/sass/operands.h"

namespace hidet::toolchain::sass {

namespace {

// A function that is called in this text. What is live before a call is what it reads, and of what is live behind the call
// whatever it does not write on all its ways.
struct Callee {
    std::vector<std::size_t> blocks;
    std::vector<std::size_t> returns; // the blocks behind its calls
    RegisterSet reads, leaves;
};

// R1: nobody reads it behind the end, and nobody may change it.
constexpr Register stack_pointer{RegisterKind::General, 1};

// From the end of a function to its begin, until nothing changes.
class Liveness {
public:
    Liveness(const Function& function, const Flow& flow)
        : m_function(function), m_flow(flow), m_begin(flow.blocks.size()), m_end(flow.blocks.size()) {}

    RegisterTable run() {
        read_operands();
        find_callees();
        find_summaries();
        settle();
        RegisterTable out(m_function.code.size());
        for (std::size_t block = 0; block < m_flow.blocks.size(); ++block) {
            RegisterSet live = m_end[block];
            for (std::size_t i = m_flow.blocks[block].end; i-- > m_flow.blocks[block].begin;) {
                out[i] = row_of(i, live);
                lower_priority(i, live);
            }
        }
        return out;
    }

private:
    const Instruction& last(std::size_t block) const { return m_function.code[m_flow.blocks[block].end - 1]; }
    bool is_call(std::size_t block) const { return last(block).is("CALL") && !last(block).targets.empty(); }
    std::size_t called_by(std::size_t block) const { return m_flow.block_of[last(block).targets.front()]; }

    void read_operands() {
        for (const Instruction& instruction : m_function.code) {
            m_operands.push_back(operands_of(instruction));
            if (m_operands.back().writes.test(place_of_register(stack_pointer)))
                m_always.set(place_of_register(stack_pointer));
        }
    }
    void find_callees() {
        for (std::size_t block = 0; block < m_flow.blocks.size(); ++block) {
            if (!is_call(block))
                continue;
            auto [callee, is_new] = m_callees.try_emplace(called_by(block));
            if (is_new)
                find_blocks(callee->first, callee->second);
            if (block + 1 < m_flow.blocks.size())
                callee->second.returns.push_back(block + 1);
        }
    }
    // A call goes on behind itself; the blocks of what it calls are of that alone.
    void find_blocks(std::size_t entry, Callee& callee) const {
        callee.blocks = {entry};
        for (std::size_t i = 0; i < callee.blocks.size(); ++i) {
            const std::size_t block = callee.blocks[i];
            if (last(block).is("RET"))
                continue;
            for (std::size_t next : m_flow.blocks[block].next)
                if (!(is_call(block) && next == called_by(block)) &&
                    std::ranges::find(callee.blocks, next) == callee.blocks.end())
                    callee.blocks.push_back(next);
        }
        std::ranges::sort(callee.blocks);
    }
    // Functions call functions: what is known of each grows until nothing changes.
    void find_summaries() {
        const RegisterSet none, everything = RegisterSet().set();
        for (bool changed = true; changed;) {
            changed = false;
            for (auto& [entry, callee] : m_callees) {
                const RegisterSet reads = entry_of(callee, entry, none), leaves = entry_of(callee, entry, everything);
                changed |= reads != callee.reads || leaves != callee.leaves;
                callee.reads = reads;
                callee.leaves = leaves;
            }
        }
    }
    // What is live where a function begins, if that is live behind it.
    RegisterSet entry_of(const Callee& callee, std::size_t entry, const RegisterSet& behind) {
        for (std::size_t block : callee.blocks)
            m_begin[block].reset();
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = callee.blocks.size(); i-- > 0;)
                changed |= update(callee.blocks[i], &behind);
        }
        return m_begin[entry];
    }
    void settle() {
        std::ranges::fill(m_begin, RegisterSet());
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t block = m_flow.blocks.size(); block-- > 0;)
                changed |= update(block, nullptr);
        }
    }

    // Of what is live behind the last instruction of a block. Where a function returns to, only its own calls say.
    RegisterSet live_behind(std::size_t block, const RegisterSet* behind_returns) const {
        RegisterSet live = m_always;
        const bool returns = last(block).is("RET");
        if (returns && behind_returns)
            live |= *behind_returns;
        for (const auto& [entry, callee] : m_callees)
            if (returns && !behind_returns && std::binary_search(callee.blocks.begin(), callee.blocks.end(), block))
                for (std::size_t next : callee.returns)
                    live |= m_begin[next];
        const std::size_t skipped = is_call(block) ? called_by(block) : m_flow.blocks.size();
        for (std::size_t next : m_flow.blocks[block].next)
            if (next != skipped && !(returns && next != block + 1))
                live |= m_begin[next];
        return live;
    }
    // A guarded write may leave what was there.
    void lower_priority(std::size_t at, RegisterSet& live) const {
        const Instruction& instruction = m_function.code[at];
        const bool is_certain = instruction.guard.empty();
        if (instruction.is("CALL") && !instruction.targets.empty()) {
            const Callee& callee = m_callees.at(m_flow.block_of[instruction.targets.front()]);
            if (is_certain)
                live &= callee.leaves;
            live |= callee.reads;
        } else if (is_certain) {
            live &= ~m_operands[at].writes;
        }
        live |= m_operands[at].reads;
    }
    bool update(std::size_t block, const RegisterSet* behind_returns) {
        RegisterSet live = live_behind(block, behind_returns);
        m_end[block] = live;
        for (std::size_t i = m_flow.blocks[block].end; i-- > m_flow.blocks[block].begin;)
            lower_priority(i, live);
        const bool changed = m_begin[block] != live;
        m_begin[block] = live;
        return changed;
    }
    RegisterRow row_of(std::size_t at, const RegisterSet& behind) const {
        RegisterRow out;
        out.reads = names_in(m_operands[at].reads);
        out.writes = names_in(m_operands[at].writes);
        RegisterSet before = behind;
        if (m_function.code[at].is("CALL"))
            lower_priority(at, before);
        out.all = names_in(behind | before | m_operands[at].reads | m_operands[at].writes);
        for (Register name : out.all)
            ++out.live[static_cast<std::size_t>(name.kind)];
        return out;
    }

    const Function& m_function;
    const Flow& m_flow;
    std::vector<Operands> m_operands;        // by instruction
    std::vector<RegisterSet> m_begin, m_end; // what is live where a block begins, and ends
    std::map<std::size_t, Callee> m_callees; // by the block in which each begins
    RegisterSet m_always;
};

} // namespace

RegisterTable registers_of(const Function& function, const Flow& flow) {
    return Liveness(function, flow).run();
}

} // namespace hidet::toolchain::sass
