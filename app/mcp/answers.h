// SPDX-License-Identifier: Apache-2.0
// What calls have answered, for those who ask for more of it: the newest ones.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/mcp/bounded.h"

namespace hidet::mcp {

class Answers {
public:
    // The document, bounded; where something of it was left out, with a handle: {"handle": "a3", "answer": {...}}.
    Json add(Json document, std::size_t characters);
    // A text, to the end of a line; where something was left out, the last line says how to ask for it.
    std::string add(std::string text, std::size_t characters);
    // Of an earlier one what is at a JSON pointer, from an element of a list or a byte of a text on; "" is all of it. Nothing: it
    // is not known any more, or there is no such place.
    std::optional<std::string> more(const std::string& handle, const std::string& at, std::size_t from,
                                    std::size_t characters) const;

private:
    struct Kept {
        std::string handle;
        std::shared_ptr<const Json> document;
    };
    std::string keep(Json document); // its handle

    mutable std::mutex m_mutex;
    std::deque<Kept> m_kept;
    std::uint64_t m_count = 0;
};

} // namespace hidet::mcp
