// SPDX-License-Identifier: Apache-2.0
// A list of what a function makes of each element of another one.
#pragma once

#include <functional>
#include <ranges>
#include <type_traits>
#include <vector>

namespace hidet {

// In their order. `f` may be a member; `T` says the type of elements where it is not that of what `f` makes.
template <class T = void, std::ranges::input_range Range, class F>
auto transformed(Range&& range, F&& f) {
    using Made = std::remove_cvref_t<std::invoke_result_t<F&, std::ranges::range_reference_t<Range>>>;
    std::vector<std::conditional_t<std::is_void_v<T>, Made, T>> out;
    if constexpr (std::ranges::sized_range<Range>)
        out.reserve(static_cast<std::size_t>(std::ranges::size(range)));
    for (auto&& each : range)
        out.emplace_back(std::invoke(f, each));
    return out;
}

} // namespace hidet
