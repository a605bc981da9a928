// SPDX-License-Identifier: Apache-2.0
// Rows of tables: cells of texts.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "lang/base/columns.h"

namespace hidet::cli {

inline Cell right(std::string text) {
    return {std::move(text), Align::Right};
}

// Of texts, and of cells where one stands at the right.
inline Cell cell(Cell given) {
    return given;
}
inline Cell cell(std::string text) {
    return {std::move(text)};
}
template <class... Texts>
Cells cells(Texts&&... texts) {
    return {cell(std::forward<Texts>(texts))...};
}

// Names of columns; "line>" stands at the right, as numbers do.
inline Cells titles(std::initializer_list<std::string_view> names) {
    Cells out;
    for (const std::string_view name : names)
        out.push_back(name.ends_with('>') ? right(std::string(name.substr(0, name.size() - 1)))
                                          : Cell{std::string(name)});
    return out;
}

} // namespace hidet::cli
