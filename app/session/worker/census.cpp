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
        std::size_t items = 0;
        while (!m_rest.empty()) {
            if (!take_item() || m_open.size() > deepest || ++items > most_items)
                return false;
            while (!m_open.empty() && m_open.back() == 0)
                m_open.pop_back();
        }
        return true;
    }

private:
    static constexpr std::size_t deepest = 64;
    static constexpr std::size_t most_items = 20'000'000;
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
        if (!m_open.empty() && m_open.back() != until_break)
            --m_open.back();
        if ((type == 2 || type == 3) && !endless)
            return skip(argument);
        if (type < 2 || type > 5)
            return type != 6; // tags
        if (!endless && argument > m_rest.size())
            return false; // every item takes a byte at least
        m_open.push_back(endless ? until_break : type == 5 ? 2 * argument : argument);
        return true;
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
        if (m_open.empty() || m_open.back() != until_break)
            return false;
        m_open.pop_back();
        return true;
    }

    std::string_view m_rest;
    std::vector<std::uint64_t> m_open; // items that each open container still waits for
};

} // namespace

bool is_modest_cbor(std::string_view bytes) {
    return Census(bytes).is_modest();
}

} // namespace hidet::session
