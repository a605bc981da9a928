// SPDX-License-Identifier: Apache-2.0
// The small values that the protocol's messages consist of, from and to ours. Reading throws RequestError.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lsp/json.h"
#include "app/lsp/positions.h"
#include "app/session/live/assist.h"

namespace hidet::lsp {

namespace assist = session::assist;

// "/a/b" of an object; null: it has none, or null there.
const Json* find(const Json& value, const char* pointer);
std::string text_at(const Json& value, const char* pointer);
Position position_at(const Json& value, const char* pointer);

// A text and how places in it are counted.
struct Places {
    const IndexedText& text;
    Encoding encoding;

    std::uint32_t offset(Position at) const { return text.offset(at, encoding); }
    assist::Range range_at(const Json& value, const char* pointer) const;
    Json json(assist::Range range) const;
    Json json(const assist::Edit& edit) const;
    Json json(const std::vector<assist::Edit>& edits) const;
};

Json json_of(Position position);

} // namespace hidet::lsp
