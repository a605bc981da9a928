// SPDX-License-Identifier: Apache-2.0
// Names to values in the order of their first binding: the tables of modules, classes and instances.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/host/value.h"

namespace hidet::lang {

class NameTable {
public:
    struct Entry {
        std::string name;
        Value value;
        bool bound = true;
    };

    Value* find(std::string_view name) {
        Entry* entry = lookup(name);
        return entry && entry->bound ? &entry->value : nullptr;
    }
    const Value* find(std::string_view name) const { return const_cast<NameTable*>(this)->find(name); }
    void set(std::string_view name, Value value);
    bool erase(std::string_view name);
    void clear();
    std::vector<std::string> names() const;
    std::size_t size() const;

    template <class F>
    void for_each(F&& f) const {
        for (const Entry& entry : m_entries)
            if (entry.bound)
                f(entry.name, entry.value);
    }

private:
    Entry* lookup(std::string_view name);

    // Few names are searched in a row; a hash index is made when there are more.
    static constexpr std::size_t small = 8;
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const;
    };
    std::vector<Entry> m_entries;
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> m_index;
};

} // namespace hidet::lang
