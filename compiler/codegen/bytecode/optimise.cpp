// SPDX-License-Identifier: Apache-2.0
// What pays on the list of instructions: equal computations once, invariants before their loop, a multiplication and the
// addition that uses it as one instruction. All of it moves or drops pure instructions on temporaries only: these write
// all lanes, so it never matters which threads are running where they stand. A local array counts as one variable for
// each register that code names; accesses with a computed index are never pure, nor are the reads of such arrays moved.
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "compiler/codegen/bytecode/builder.h"

namespace hidet::compiler::bytecode {

using artifact::is_u;
using artifact::is_v;
using artifact::no_operand;
using artifact::register_of;

namespace {

struct Counts {
    std::vector<int> u_definitions, v_definitions, u_uses, v_uses;
    int& definitions(std::int32_t r) { return at(r, u_definitions, v_definitions); }
    int& uses(std::int32_t r) { return at(r, u_uses, v_uses); }

private:
    static int& at(std::int32_t r, std::vector<int>& u, std::vector<int>& v) {
        return is_u(r) ? u[static_cast<std::size_t>(register_of(r))] : v[static_cast<std::size_t>(r)];
    }
};

Counts count(Builder& builder) {
    Counts counts;
    counts.u_definitions.resize(builder.u.size()), counts.u_uses.resize(builder.u.size());
    counts.v_definitions.resize(builder.v.size()), counts.v_uses.resize(builder.v.size());
    for (Item& item : builder.items)
        if (item.mark == Mark::None && !item.dead)
            for_each_operand(builder.function(), item.instr, [&](std::int32_t& r, bool definition) {
                ++(definition ? counts.definitions(r) : counts.uses(r));
            });
    if (builder.notes)
        for (std::size_t row = 0; row < builder.notes->values.size(); ++row)
            for (const std::int32_t r : {builder.notes->values[row].u, builder.notes->values[row].v})
                if (r >= 0)
                    ++counts.uses(r);
    return counts;
}

const VirtualRegister& register_info(const Builder& builder, std::int32_t r) {
    return is_u(r) ? builder.u[static_cast<std::size_t>(register_of(r))] : builder.v[static_cast<std::size_t>(r)];
}

bool is_temporary(const Builder& builder, std::int32_t r) {
    return !register_info(builder, r).is_variable && !register_info(builder, r).is_fixed;
}

// A pure instruction that makes a temporary.
bool makes_temporary(Builder& builder, Counts& counts, Item& item) {
    if (item.mark != Mark::None || item.dead || !is_pure(item.instr) || (item.instr.flags & ~artifact::flag_safe))
        return false;
    return item.instr.dst >= 0 && is_temporary(builder, item.instr.dst) && counts.definitions(item.instr.dst) == 1;
}

bool reads_variable(Builder& builder, Item& item) {
    bool reads = false;
    for_each_operand(builder.function(), item.instr, [&](std::int32_t& r, bool definition) {
        reads = reads || (!definition && register_info(builder, r).is_variable);
    });
    return reads;
}

// ... out of constants, parameters and temporaries, so that it means the same wherever it stands.
bool is_timeless(Builder& builder, Counts& counts, Item& item) {
    return makes_temporary(builder, counts, item) && !reads_variable(builder, item);
}

bool is_repeatable_load(Builder& builder, Counts& counts, Item& item) {
    const Instr& i = item.instr;
    if (i.op != Op::Load || i.flags || !is_temporary(builder, i.dst) || counts.definitions(i.dst) != 1)
        return false;
    if (builder.function().accesses[static_cast<std::size_t>(i.x)].space == artifact::Space::Local)
        return false;
    return !reads_variable(builder, item);
}

// Local arrays that something else than a named register may write: a computed index, or a pointer.
std::vector<char> find_loose_arrays(Builder& builder) {
    std::vector<char> loose(builder.v.size());
    artifact::Function& function = builder.function();
    auto mark = [&](std::int32_t row) {
        std::int32_t first = function.locals[static_cast<std::size_t>(row)].first;
        if (first >= 0)
            loose[static_cast<std::size_t>(first)] = 1;
    };
    for (std::size_t row = 0; row < function.locals.size(); ++row)
        if (function.locals[row].packed)
            mark(static_cast<std::int32_t>(row));
    for (Item& item : builder.items)
        if (item.mark == Mark::None && item.instr.op == Op::Store) {
            const artifact::Access& access = function.accesses[static_cast<std::size_t>(item.instr.x)];
            if (access.space == artifact::Space::Local)
                mark(access.base);
        }
    return loose;
}

using Key = std::array<std::int32_t, 7>;
struct KeyHash {
    std::size_t operator()(const Key& key) const {
        std::size_t hash = 0;
        for (std::int32_t part : key)
            hash = hash * 0x9E3779B97F4A7C15ull + static_cast<std::uint32_t>(part);
        return hash;
    }
};

} // namespace

bool is_pure(const Instr& instr) {
    switch (instr.op) {
    case Op::Div:
    case Op::Mod:
    case Op::FloorDiv:
    case Op::FloorMod: return instr.type >= Scalar::F8E4M3 || (instr.flags & artifact::flag_safe);
    case Op::ThreadIdx:
    case Op::LaneIdx:
    case Op::Special:
    case Op::SharedPointer:
    case Op::GlobalPointer: return true;
    default: return instr.op == Op::Move || (instr.op >= Op::Add && instr.op <= Op::Atan2);
    }
}

namespace {

// Loads of one place give one value until something may write there.
class Loads {
public:
    explicit Loads(Builder& builder) : m_builder(builder), m_scopes(1) {
        for (const artifact::LocalArray& array : builder.function().locals)
            m_has_packed = m_has_packed || array.packed;
    }
    void open() { m_scopes.emplace_back(); }
    void close() { m_scopes.pop_back(); }
    void forget() {
        for (Table& table : m_scopes)
            table.clear();
    }
    bool is_writer(const Instr& i) const {
        switch (i.op) {
        case Op::Store: {
            bool local = m_builder.function().accesses[static_cast<std::size_t>(i.x)].space == artifact::Space::Local;
            return !local || m_has_packed;
        }
        case Op::Fence:
        case Op::Spin:
        case Op::SyncWarp:
        case Op::CpAsync:
        case Op::CpWait:
        case Op::StMatrix:
        case Op::ClusterBarrier:
        case Op::MbarWait:
        case Op::MbarTest:
        case Op::TensorLoad:
        case Op::PixelLoad:
        case Op::BulkLoad:
        case Op::BulkMove:
        case Op::BulkWait:
        case Op::Copy:
        case Op::Launch: return true;
        default:
            return (i.op >= Op::AtomicAdd && i.op <= Op::AtomicBits) ||
                   (i.op >= Op::Barrier && i.op <= Op::BarrierReduce);
        }
    }
    // The register of an equal load that still holds, or none; then the load is remembered.
    std::int32_t find(const Instr& i) {
        const artifact::Access& access = m_builder.function().accesses[static_cast<std::size_t>(i.x)];
        for (const Table& table : m_scopes)
            for (auto [it, end] = table.equal_range(hash(access)); it != end; ++it)
                if (m_builder.function().accesses[static_cast<std::size_t>(it->second.x)] == access &&
                    it->second.type == i.type && is_u(it->second.dst) == is_u(i.dst))
                    return it->second.dst;
        m_scopes.back().emplace(hash(access), i);
        return no_operand;
    }

private:
    using Table = std::unordered_multimap<std::size_t, Instr>;

    static std::size_t hash(const artifact::Access& access) {
        std::size_t h = static_cast<std::size_t>(access.base) * 31 + static_cast<std::size_t>(access.offset);
        for (const artifact::AccessDim& dim : access.dims)
            h = h * 1000003 + static_cast<std::size_t>(dim.u) * 7 + static_cast<std::size_t>(dim.v) * 13 +
                static_cast<std::size_t>(dim.constant);
        return h;
    }
    Builder& m_builder;
    std::vector<Table> m_scopes;
    bool m_has_packed = false;
};

} // namespace

void eliminate_common(Builder& builder) {
    Counts counts = count(builder);
    Loads loads(builder);
    std::vector<std::unordered_map<Key, std::int32_t, KeyHash>> scopes(1);
    std::unordered_map<std::int32_t, std::int32_t> same;
    for (Item& item : builder.items) {
        if (item.mark == Mark::LoopStart || item.mark == Mark::ScopeStart)
            scopes.emplace_back(), loads.open();
        if (item.mark == Mark::LoopStart)
            loads.forget(); // a later turn may have written
        if (item.mark == Mark::LoopStop || item.mark == Mark::ScopeStop)
            scopes.pop_back(), loads.close();
        if (item.mark != Mark::None || item.dead)
            continue;
        for_each_operand(builder.function(), item.instr, [&](std::int32_t& r, bool definition) {
            if (auto it = same.find(r); !definition && it != same.end())
                r = it->second;
        });
        if (loads.is_writer(item.instr))
            loads.forget();
        if (is_repeatable_load(builder, counts, item)) {
            if (std::int32_t earlier = loads.find(item.instr); earlier >= 0) {
                same[item.instr.dst] = earlier;
                item.dead = true;
            }
            continue;
        }
        if (!is_timeless(builder, counts, item))
            continue;
        const Instr& i = item.instr;
        Key key = {static_cast<int>(i.op), static_cast<int>(i.type), i.a, i.b, i.c, i.x, is_u(i.dst)};
        auto found = scopes.end();
        for (auto it = scopes.begin(); it != scopes.end(); ++it)
            if (it->contains(key)) {
                found = it;
                break;
            }
        if (found == scopes.end()) {
            scopes.back().emplace(key, i.dst);
        } else {
            same[i.dst] = found->at(key);
            item.dead = true;
        }
    }
    if (builder.notes)
        for (artifact::NamedValue& value : builder.notes->values)
            for (std::int32_t* reg : {&value.u, &value.v})
                if (const auto it = same.find(*reg); it != same.end())
                    *reg = it->second;
}

// Loops from the inside out, so an instruction may move more than once.
void hoist_invariants(Builder& builder) {
    Counts counts = count(builder);
    std::vector<char> loose = find_loose_arrays(builder);
    auto is_loose = [&](std::int32_t r) {
        std::int32_t array = is_u(r) ? no_operand : builder.v[static_cast<std::size_t>(r)].alias;
        return array >= 0 && loose[static_cast<std::size_t>(array)];
    };
    std::vector<std::size_t> starts;
    std::vector<Item> out;
    out.reserve(builder.items.size());
    for (Item& item : builder.items) {
        if (item.mark == Mark::LoopStart)
            starts.push_back(out.size());
        out.push_back(item);
        if (item.mark != Mark::LoopStop)
            continue;
        std::size_t start = starts.back();
        starts.pop_back();
        std::vector<char> u_inside(builder.u.size()), v_inside(builder.v.size());
        auto inside = [&](std::int32_t r) -> char& {
            return is_u(r) ? u_inside[static_cast<std::size_t>(register_of(r))] : v_inside[static_cast<std::size_t>(r)];
        };
        for (std::size_t k = start; k < out.size(); ++k)
            if (out[k].mark == Mark::None && !out[k].dead)
                for_each_operand(builder.function(), out[k].instr, [&](std::int32_t& r, bool definition) {
                    if (definition)
                        inside(r) = 1;
                });
        std::vector<Item> before, rest;
        for (std::size_t k = start; k < out.size(); ++k) {
            Item& candidate = out[k];
            bool moves = makes_temporary(builder, counts, candidate);
            if (moves)
                for_each_operand(builder.function(), candidate.instr, [&](std::int32_t& r, bool definition) {
                    moves = moves && (definition || (!inside(r) && !is_loose(r)));
                });
            if (moves)
                inside(candidate.instr.dst) = 0;
            candidate.is_moved = candidate.is_moved || moves;
            (moves ? before : rest).push_back(candidate);
        }
        out.resize(start);
        out.insert(out.end(), before.begin(), before.end());
        out.insert(out.end(), rest.begin(), rest.end());
    }
    builder.items = std::move(out);
}

// t = a * b; d = t + c, where nothing else uses t and both stand side by side.
void fuse_multiply_add(Builder& builder) {
    Counts counts = count(builder);
    Item* product = nullptr;
    for (Item& item : builder.items) {
        if (item.mark != Mark::None) {
            product = nullptr;
            continue;
        }
        if (item.dead)
            continue;
        Instr& i = item.instr;
        if (product && i.op == Op::Add && i.type == product->instr.type) {
            std::int32_t t = product->instr.dst;
            if ((i.a == t) != (i.b == t) && counts.uses(t) == 1 && is_temporary(builder, t)) {
                std::int32_t other = i.a == t ? i.b : i.a;
                i.op = Op::MulAdd;
                i.a = product->instr.a, i.b = product->instr.b, i.c = other;
                product->dead = true;
            }
        }
        bool fits = i.op == Op::Mul && (i.type == Scalar::F32 || i.type == Scalar::F64) && !i.flags && is_v(i.dst);
        product = fits ? &item : nullptr;
    }
}

// Sums s += a * b that stand near each other become one instruction: in a matrix product in registers the work of a
// dispatch is as much as that of an addition. Loads and index arithmetic between them go before it, which changes nothing:
// they make temporaries and read no sum. The sums of one register keep their order.
namespace {

constexpr std::size_t fewest_sums = 4;
constexpr int most_loads = 64; // before one instruction, so that their registers stay in the cache

bool is_sum(const Builder& builder, const Instr& i) {
    return i.op == Op::MulAdd && i.type == Scalar::F32 && is_v(i.dst) && i.dst == i.c && is_v(i.a) && is_v(i.b) &&
           i.a != i.dst && i.b != i.dst && register_info(builder, i.dst).is_variable;
}

class Gatherer {
public:
    explicit Gatherer(Builder& builder) : m_builder(builder), m_counts(count(builder)) {}

    void run() {
        for (Item& item : m_builder.items) {
            if (item.dead)
                continue;
            if (!take(item)) {
                flush();
                if (!take(item))
                    m_out.push_back(item);
            }
        }
        flush();
        m_builder.items = std::move(m_out);
    }

private:
    bool take(Item& item) {
        if (item.mark != Mark::None)
            return false;
        if (is_sum(m_builder, item.instr)) {
            bool fits = !reads_sum(item) && (m_sums.empty() || m_sums.front().instr.flags == item.instr.flags);
            if (fits) {
                m_sums.push_back(item);
                m_written.insert(item.instr.dst);
            }
            return fits;
        }
        bool load =
            item.instr.op == Op::Load && !item.instr.flags && is_temporary(m_builder, item.instr.dst) &&
            m_counts.definitions(item.instr.dst) == 1 &&
            m_builder.function().accesses[static_cast<std::size_t>(item.instr.x)].space != artifact::Space::Local;
        if (!load && !makes_temporary(m_builder, m_counts, item))
            return false;
        if (reads_sum(item) || (load && m_loads == most_loads))
            return false;
        m_loads += load;
        m_before.push_back(item);
        return true;
    }

    bool reads_sum(Item& item) {
        bool reads = false;
        for_each_operand(m_builder.function(), item.instr, [&](std::int32_t& r, bool) {
            reads = reads || (r != item.instr.dst && m_written.contains(r));
        });
        return reads;
    }

    void mark_factors() {
        std::unordered_map<std::int32_t, int> uses;
        for (const Item& sum : m_sums)
            ++uses[sum.instr.a], ++uses[sum.instr.b];
        for (Item& item : m_before)
            if (item.instr.op == Op::Load && uses[item.instr.dst] == m_counts.uses(item.instr.dst))
                item.instr.flags |= artifact::flag_factor;
    }

    void flush() {
        if (m_sums.size() >= fewest_sums)
            mark_factors();
        m_out.insert(m_out.end(), m_before.begin(), m_before.end());
        if (m_sums.size() < fewest_sums) {
            m_out.insert(m_out.end(), m_sums.begin(), m_sums.end());
        } else {
            artifact::Operands row;
            for (const Item& sum : m_sums)
                for (std::int32_t r : {sum.instr.dst, sum.instr.a, sum.instr.b})
                    row.items.push_back(r), row.types.push_back(Scalar::F32);
            Item all = m_sums.front();
            all.instr = {.op = Op::MulAddAll, .type = Scalar::F32, .flags = m_sums.front().instr.flags};
            all.instr.x = static_cast<std::int32_t>(m_builder.function().operands.size());
            m_builder.function().operands.push_back(std::move(row));
            m_out.push_back(all);
        }
        m_before.clear(), m_sums.clear(), m_written.clear();
        m_loads = 0;
    }

    Builder& m_builder;
    Counts m_counts;
    std::vector<Item> m_out, m_before, m_sums;
    std::unordered_set<std::int32_t> m_written;
    int m_loads = 0;
};

} // namespace

void gather_multiply_add(Builder& builder) {
    Gatherer(builder).run();
}

void remove_dead(Builder& builder) {
    for (bool changed = true; changed;) {
        changed = false;
        Counts counts = count(builder);
        for (Item& item : builder.items) {
            if (item.mark != Mark::None || item.dead || !is_pure(item.instr) || item.instr.dst < 0)
                continue;
            if (counts.uses(item.instr.dst) == 0 && register_info(builder, item.instr.dst).alias < 0) {
                item.dead = true;
                changed = true;
            }
        }
    }
}

} // namespace hidet::compiler::bytecode
