// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/toolchain/proof.h"

#include <algorithm>
#include <charconv>

#include "runtime/toolchain/sass/pipes.h"
#include "runtime/toolchain/sass/waits.h"

namespace hidet::toolchain::sass {

namespace {

constexpr int forgotten = 40; // cycles after which every fixed latency is over
constexpr int latency_to_guard = 12;
constexpr int latency_of_move = 2;

struct Written { // a result that may not be there yet
    Register name;
    std::size_t writer = 0;
    int cycles = 0;
    friend bool operator==(const Written&, const Written&) = default;
};
using Results = std::vector<Written>; // by name, then by writer

bool comes_before(const Written& a, const Written& b) {
    return a.name != b.name ? a.name < b.name : a.writer < b.writer;
}

void add(Results& into, const Written& what) {
    auto at = std::lower_bound(into.begin(), into.end(), what, comes_before);
    if (at == into.end() || at->name != what.name || at->writer != what.writer)
        into.insert(at, what);
    else
        at->cycles = std::min(at->cycles, what.cycles);
}

bool join(Results& into, const Results& from) {
    const Results before = into;
    for (const Written& written : from)
        add(into, written);
    return before != into;
}

Register guard_of(const Instruction& instruction) {
    std::string_view words = instruction.guard;
    words.remove_prefix(std::min(words.find_first_of("UP"), words.size()));
    Register out{words.starts_with('U') ? RegisterKind::UniformPredicate : RegisterKind::Predicate, 0xffff};
    words.remove_prefix(std::min(words.find_first_of("0123456789"), words.size()));
    std::from_chars(words.data(), words.data() + words.size(), out.number);
    return out;
}

int latency_between(Pipe from, Pipe to) {
    constexpr struct {
        Pipe from, to;
        int cycles;
    } rows[] = {
#define HIDET_LATENCY(from, to, cycles) {Pipe::from, Pipe::to, cycles},
#include "tests/unit/toolchain/latencies.def"
    };
    for (const auto& row : rows)
        if (row.from == from && row.to == to)
            return row.cycles;
    return 0;
}

bool is_wide(const Instruction& instruction) {
    return instruction.has("WIDE") || instruction.has("64");
}

int least_between(const Instruction& writer, const Instruction& reader, bool is_guard) {
    const Pipe from = pipe_of(writer.opcode);
    if (is_guard)
        return from == Pipe::Alu ? latency_to_guard : 0;
    const int least = latency_between(from, pipe_of(reader.opcode));
    if (writer.is("UMOV") || writer.is("ULDC"))
        return std::min(least, latency_of_move);
    return is_wide(writer) || is_wide(reader) ? std::max(least - 2, 0) : least;
}

class Prover {
public:
    Prover(const Function& function, const Flow& flow, const RegisterTable& registers)
        : m_function(function), m_flow(flow), m_registers(registers) {}

    std::vector<Reading> run();

private:
    void step(std::size_t at, Results& state, std::vector<Reading>* out) const;
    void leave_waited(std::size_t at, Results& state) const;
    Reading reading(const Written& written, std::size_t reader) const;

    const Function& m_function;
    const Flow& m_flow;
    const RegisterTable& m_registers;
};

Reading Prover::reading(const Written& written, std::size_t reader) const {
    const Instruction& writer = m_function.code[written.writer];
    Reading out{written.writer, reader, written.name, false, written.cycles, true, 0};
    const Instruction& at = m_function.code[reader];
    const bool is_predicate = written.name.kind == RegisterKind::Predicate;
    out.is_guard = guard_of(at) == written.name || (is_predicate && pipe_of(at.opcode) == Pipe::Branch);
    out.is_waited = writer.control.write == no_barrier;
    if (out.is_waited)
        out.least = least_between(writer, at, out.is_guard);
    return out;
}

// What raised a barrier is there once that was waited for.
void Prover::leave_waited(std::size_t at, Results& state) const {
    const Instruction& instruction = m_function.code[at];
    const CountedWait counted = counted_wait(instruction);
    std::erase_if(state, [&](const Written& written) {
        const int barrier = m_function.code[written.writer].control.write;
        if (barrier == no_barrier)
            return written.cycles > forgotten;
        return instruction.control.waits_for(barrier) || (counted.barrier == barrier && counted.left == 0);
    });
}

void Prover::step(std::size_t at, Results& state, std::vector<Reading>* out) const {
    leave_waited(at, state);
    const RegisterRow& row = m_registers[at];
    if (out)
        for (Register name : row.reads)
            for (const Written& written : state)
                if (written.name == name)
                    out->push_back(reading(written, at));
    // A guarded write may leave what was there.
    if (m_function.code[at].guard.empty())
        std::erase_if(state, [&](const Written& written) {
            return std::find(row.writes.begin(), row.writes.end(), written.name) != row.writes.end();
        });
    for (Register name : row.writes)
        add(state, {name, at, 0});
    for (Written& written : state)
        written.cycles += m_function.code[at].control.cycles();
}

std::vector<Reading> Prover::run() {
    std::vector<Results> begin(m_flow.blocks.size());
    std::vector<bool> open(m_flow.blocks.size(), true);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block : m_flow.order) {
            if (!open[block])
                continue;
            open[block] = false;
            Results state = begin[block];
            for (std::size_t i = m_flow.blocks[block].begin; i < m_flow.blocks[block].end; ++i)
                step(i, state, nullptr);
            for (std::size_t next : m_flow.blocks[block].next)
                if (join(begin[next], state))
                    changed = open[next] = true;
        }
    }
    std::vector<Reading> out;
    for (std::size_t block : m_flow.order) {
        Results state = begin[block];
        for (std::size_t i = m_flow.blocks[block].begin; i < m_flow.blocks[block].end; ++i)
            step(i, state, &out);
    }
    return out;
}

} // namespace

std::vector<Reading> readings_of(const Function& function, const Flow& flow, const RegisterTable& registers) {
    return Prover(function, flow, registers).run();
}

} // namespace hidet::toolchain::sass
