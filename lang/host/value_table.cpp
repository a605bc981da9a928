// SPDX-License-Identifier: Apache-2.0
#include "lang/host/value_table.h"

#include <algorithm>
#include <iterator>

#include "lang/host/interpreter.h"
#include "lang/host/operators.h"

namespace hidet::lang {

// Every bit of the result depends on every bit of the hash, which may be the number itself.
static std::size_t mix(std::uint64_t hash) {
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9ull;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBull;
    return static_cast<std::size_t>(hash ^ hash >> 31);
}

namespace {

// Keys that are made to collide are looked at one after another.
class Probes {
public:
    Probes(Evaluator& evaluator, Span span) : m_evaluator(evaluator), m_span(span) {}
    void passed() {
        if (++m_passed % 64 == 0)
            m_evaluator.charge_steps(4, m_span);
    }
    void compared() {
        if (++m_compared > 1)
            m_evaluator.charge_steps(2, m_span);
    }

private:
    Evaluator& m_evaluator;
    Span m_span;
    std::uint64_t m_passed = 0;
    std::uint64_t m_compared = 0;
};

} // namespace

// The bucket that holds the key, or -1.
std::int64_t ValueTable::locate(Evaluator& evaluator, const Value& key, std::uint64_t hash, Span span) {
    if (m_buckets.empty())
        return -1;
    std::size_t mask = m_buckets.size() - 1;
    Probes probes(evaluator, span);
    for (std::size_t i = mix(hash) & mask;; i = (i + 1) & mask) {
        std::int32_t index = m_buckets[i];
        if (index == 0)
            return -1;
        probes.passed();
        if (index < 0)
            continue;
        const Entry& entry = m_entries[static_cast<std::size_t>(index - 1)];
        if (entry.hash != hash)
            continue;
        probes.compared();
        Value candidate = entry.key;
        std::uint64_t changes = m_changes;
        bool is_same = same_key(evaluator, candidate, key, span);
        if (changes != m_changes) // by the __eq__ of a script
            return locate(evaluator, key, hash, span);
        if (is_same)
            return static_cast<std::int64_t>(i);
    }
}

// The table stays as it was where a budget ends.
void ValueTable::rebuild(Evaluator& evaluator, std::size_t buckets, Span span) {
    std::vector<std::int32_t> fresh(buckets, 0);
    evaluator.impl().charge_items(m_entries.size(), span);
    Probes probes(evaluator, span);
    std::int32_t index = 0;
    for (const Entry& entry : m_entries) {
        if (!entry.alive)
            continue;
        std::size_t i = mix(entry.hash) & (buckets - 1);
        for (; fresh[i] != 0; i = (i + 1) & (buckets - 1))
            probes.passed();
        fresh[i] = ++index;
    }
    std::erase_if(m_entries, [](const Entry& entry) { return !entry.alive; });
    m_buckets.swap(fresh);
    m_used_buckets = m_entries.size();
}

Value* ValueTable::find(Evaluator& evaluator, const Value& key, Span span) {
    std::int64_t bucket = locate(evaluator, key, hash_value(evaluator, key, span), span);
    if (bucket < 0)
        return nullptr;
    return &m_entries[static_cast<std::size_t>(m_buckets[static_cast<std::size_t>(bucket)] - 1)].value;
}

bool ValueTable::set(Evaluator& evaluator, const Value& key, Value value, Span span) {
    std::uint64_t hash = hash_value(evaluator, key, span);
    std::int64_t bucket = locate(evaluator, key, hash, span);
    if (bucket >= 0) {
        m_entries[static_cast<std::size_t>(m_buckets[static_cast<std::size_t>(bucket)] - 1)].value = std::move(value);
        return false;
    }
    evaluator.charge_steps(1, span);
    if ((m_used_buckets + 1) * 3 > m_buckets.size() * 2)
        rebuild(evaluator,
                std::max<std::size_t>(8, m_alive * 4 < m_buckets.size() ? m_buckets.size() : m_buckets.size() * 2),
                span);
    std::size_t mask = m_buckets.size() - 1;
    std::size_t i = mix(hash) & mask;
    while (m_buckets[i] > 0)
        i = (i + 1) & mask;
    m_entries.push_back({key, std::move(value), hash, true});
    ++m_changes;
    if (m_buckets[i] == 0)
        ++m_used_buckets;
    m_buckets[i] = static_cast<std::int32_t>(m_entries.size());
    ++m_alive;
    return true;
}

bool ValueTable::erase(Evaluator& evaluator, const Value& key, Span span) {
    std::int64_t bucket = locate(evaluator, key, hash_value(evaluator, key, span), span);
    if (bucket < 0)
        return false;
    std::int32_t& index = m_buckets[static_cast<std::size_t>(bucket)];
    Entry& entry = m_entries[static_cast<std::size_t>(index - 1)];
    entry.alive = false;
    Value old_key = std::move(entry.key), old_value = std::move(entry.value);
    entry.key = entry.value = Value();
    index = -1;
    --m_alive;
    ++m_changes;
    while (!m_entries.empty() && !m_entries.back().alive) // nothing refers to it, and popitem() looks from the end
        m_entries.pop_back();
    return true;
}

std::vector<ValueTable::Entry> ValueTable::living() const {
    std::vector<Entry> out;
    out.reserve(m_alive);
    std::ranges::copy_if(m_entries, std::back_inserter(out), &Entry::alive);
    return out;
}

void ValueTable::clear() {
    ++m_changes;
    std::vector<Entry> entries;
    entries.swap(m_entries);
    m_buckets.clear();
    m_alive = m_used_buckets = 0;
}

} // namespace hidet::lang
