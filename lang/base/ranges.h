// SPDX-License-Identifier: Apache-2.0
// Lists made of lists (transformed.h), and what a list or a map has: one expression in the place of a loop.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "lang/base/transformed.h"

namespace hidet {

// Of a map: what the key has, or else the other value.
template <class Map, class Key>
typename Map::mapped_type value_in(const Map& map, const Key& key, typename Map::mapped_type otherwise) {
    const auto found = map.find(key);
    return found == map.end() ? std::move(otherwise) : found->second;
}

// Null: the map has no such key.
template <class Map, class Key>
auto* found_in(Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : std::addressof(found->second);
}

// Null: of none that is in the list it holds.
template <std::ranges::borrowed_range List, class Holds>
auto* first_in(List&& list, Holds holds) {
    const auto found = std::ranges::find_if(list, holds);
    return found == std::ranges::end(list) ? nullptr : std::addressof(*found);
}

// Null: of none that is in the list the member has that value.
template <std::ranges::borrowed_range List, class Value, class Member>
auto* first_in(List&& list, const Value& value, Member member) {
    const auto found = std::ranges::find(list, value, member);
    return found == std::ranges::end(list) ? nullptr : std::addressof(*found);
}

// Those of which it holds, in their order.
template <std::ranges::input_range List, class Holds>
auto those_in(List&& list, Holds holds) {
    std::vector<std::ranges::range_value_t<List>> out;
    std::ranges::copy_if(list, std::back_inserter(out), holds);
    return out;
}

} // namespace hidet
