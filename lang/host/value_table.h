// SPDX-License-Identifier: Apache-2.0
// The hash table under dict and set: values as keys, in the order of insertion, as Python iterates a dict.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/host/value.h"

namespace hidet::lang {

// The code of a script that compares or hashes keys may change the table meanwhile, and drop what holds it: who calls
// holds the key and the dict or set, and looks at entries by their index, in copies.
class ValueTable {
public:
    struct Entry {
        Value key;
        Value value;
        std::uint64_t hash = 0;
        bool alive = true;
    };

    Value* find(Evaluator& evaluator, const Value& key, Span span);
    // Returns true when the key is new.
    bool set(Evaluator& evaluator, const Value& key, Value value, Span span);
    bool erase(Evaluator& evaluator, const Value& key, Span span);
    void clear();
    std::size_t size() const { return m_alive; }
    // Copies of what is in the table, in order: for walks in which the code of a script may run.
    std::vector<Entry> living() const;
    // Entries in order, dead ones included: look at `alive`.
    const std::vector<Entry>& entries() const { return m_entries; }

private:
    std::int64_t locate(Evaluator& evaluator, const Value& key, std::uint64_t hash, Span span);
    void rebuild(Evaluator& evaluator, std::size_t buckets, Span span);

    std::vector<Entry> m_entries;
    std::vector<std::int32_t> m_buckets; // index + 1 of an entry; 0: empty; -1: was used
    std::size_t m_alive = 0;
    std::size_t m_used_buckets = 0;
    std::uint64_t m_changes = 0; // of keys
};

} // namespace hidet::lang
