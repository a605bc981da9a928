// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/census.h"

#include <cstdint>
#include <vector>

namespace hidet::session {

namespace {

class Census {
public:
    explicit Census(std::string_view bytes) : m_rest(bytes) {}
    bool is_modest() {
        while (!m_rest.empty()) {
            if (!take_item() || m_open.size() > deepest || m_bytes > most_bytes)
                return false;
            while (!m_open.empty() && m_open.back().left == 0)
                m_open.pop_back();
        }
        return true;
    }

private:
    static constexpr std::size_t deepest = 64;
    // What a tree of the items takes, about: a byte of a message can become an empty container, or a field of one.
    static constexpr std::uint64_t most_bytes = std::uint64_t{768} << 20;
    static constexpr std::uint64_t bytes_of_item = 24, bytes_of_text = 32, bytes_of_container = 136, bytes_of_key = 72;
    static constexpr std::uint64_t until_break = ~std::uint64_t{0};

    // false: the bytes are no CBOR, or not all there.
    bool take_item() {
        auto first = static_cast<unsigned char>(m_rest.front());
        m_rest.remove_prefix(1);
        unsigned type = first >> 5, info = first & 31;
        bool endless = info == 31;
        std::uint64_t argument = info;
        if (info >= 24 && !endless && !take_number(std::size_t{1} << (info - 24), argument))
            return false;
        if (type == 7 && endless)
            return end_container();
        charge(type);
        if (!m_open.empty() && m_open.back().left != until_break)
            --m_open.back().left;
        if ((type == 2 || type == 3) && !endless)
            return skip(argument);
        if (type < 2 || type > 5)
            return type != 6; // tags
        if (!endless && argument > m_rest.size())
            return false; // every item takes a byte at least
        m_open.push_back({endless ? until_break : type == 5 ? 2 * argument : argument, type == 5, type == 5});
        return true;
    }
    void charge(unsigned type) {
        m_bytes += bytes_of_item;
        if (type == 2 || type == 3)
            m_bytes += bytes_of_text;
        if (type == 4 || type == 5)
            m_bytes += bytes_of_container;
        if (m_open.empty() || !m_open.back().is_map)
            return;
        if (m_open.back().is_key)
            m_bytes += bytes_of_key;
        m_open.back().is_key = !m_open.back().is_key;
    }
    bool take_number(std::size_t size, std::uint64_t& number) {
        if (size > 8 || m_rest.size() < size)
            return false;
        number = 0;
        for (char c : m_rest.substr(0, size))
            number = number << 8 | static_cast<unsigned char>(c);
        m_rest.remove_prefix(size);
        return true;
    }
    bool skip(std::uint64_t count) {
        if (count > m_rest.size())
            return false;
        m_rest.remove_prefix(count);
        return true;
    }
    bool end_container() {
        if (m_open.empty() || m_open.back().left != until_break)
            return false;
        m_open.pop_back();
        return true;
    }

    struct Open {
        std::uint64_t left; // items that it still waits for
        bool is_map;
        bool is_key; // the next item of a map
    };
    std::string_view m_rest;
    std::vector<Open> m_open;
    std::uint64_t m_bytes = 0;
};

} // namespace

bool is_modest_cbor(std::string_view bytes) {
    return Census(bytes).is_modest();
}

} // namespace hidet::session
