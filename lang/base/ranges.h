// SPDX-License-Identifier: Apache-2.0
// Lists made of lists, and what a list or a map has: one expression in the place of a loop.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace hidet {

// What `of` makes of each, in the order of the range: a function or a member. Of another type where one is named.
template <class Item = void, std::ranges::input_range Range, class Of>
auto mapped(Range&& range, Of of) {
    using Made = std::decay_t<std::invoke_result_t<Of&, std::ranges::range_reference_t<Range>>>;
    std::vector<std::conditional_t<std::is_void_v<Item>, Made, Item>> out;
    if constexpr (std::ranges::sized_range<Range>)
        out.reserve(std::ranges::size(range));
    for (auto&& each : range)
        out.emplace_back(std::invoke(of, std::forward<decltype(each)>(each)));
    return out;
}

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
template <std::ranges::forward_range List, class Holds>
auto* first_in(List& list, Holds holds) {
    const auto found = std::ranges::find_if(list, holds);
    return found == std::ranges::end(list) ? nullptr : std::addressof(*found);
}

} // namespace hidet
