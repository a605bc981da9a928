// SPDX-License-Identifier: Apache-2.0
#include "lang/host/name_table.h"

#include <cstring>
#include <random>

namespace hidet::lang {

namespace {

struct Keys {
    std::uint64_t first;
    std::uint64_t second;
};

std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t drawn() {
    static std::random_device device;
    return static_cast<std::uint64_t>(device()) << 32 | device();
}

} // namespace

// With keys of this process, so that no script can have names that collide. No order depends on it.
std::size_t NameTable::Hash::operator()(std::string_view text) const {
    static const Keys keys{drawn(), drawn() | 1};
    std::uint64_t hash = keys.first ^ text.size();
    for (; text.size() >= 8; text.remove_prefix(8)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), 8);
        hash = folded(hash ^ word, keys.second);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, text.data(), text.size());
    return static_cast<std::size_t>(folded(hash ^ rest, keys.second));
}

NameTable::Entry* NameTable::lookup(std::string_view name) {
    if (m_entries.size() <= small) {
        for (Entry& entry : m_entries)
            if (entry.name == name)
                return &entry;
        return nullptr;
    }
    auto found = m_index.find(name);
    return found == m_index.end() ? nullptr : &m_entries[found->second];
}

void NameTable::set(std::string_view name, Value value) {
    if (Entry* entry = lookup(name)) {
        entry->value = std::move(value);
        entry->bound = true;
        return;
    }
    m_entries.push_back({std::string(name), std::move(value), true});
    if (m_entries.size() == small + 1) {
        for (std::size_t i = 0; i < m_entries.size(); ++i)
            m_index.emplace(m_entries[i].name, i);
    } else if (m_entries.size() > small) {
        m_index.emplace(std::string(name), m_entries.size() - 1);
    }
}

bool NameTable::erase(std::string_view name) {
    Entry* entry = lookup(name);
    if (!entry || !entry->bound)
        return false;
    entry->bound = false;
    entry->value = Value();
    return true;
}

void NameTable::clear() {
    std::vector<Entry> entries;
    entries.swap(m_entries);
    m_index.clear();
}

std::vector<std::string> NameTable::names() const {
    std::vector<std::string> out;
    for_each([&](const std::string& name, const Value&) { out.push_back(name); });
    return out;
}

std::size_t NameTable::size() const {
    std::size_t count = 0;
    for_each([&](const std::string&, const Value&) { ++count; });
    return count;
}

} // namespace hidet::lang
