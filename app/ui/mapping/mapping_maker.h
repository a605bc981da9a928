// SPDX-License-Identifier: GPL-3.0-only
// Makes what the mapping view draws, on any thread.
#pragma once

#include <optional>

#include "app/ui/mapping/mapping_cells.h"

namespace hidet::ui {

struct MappingQuery {
    session::assist::DocumentRef document;
    quint32 caret = 0;
    MappingDataPtr
        before; // what is shown: it is kept where the caret says nothing else, wherever its text has moved to
    int picture = 0;
    std::optional<session::TensorSlice> slice; // of the same subject; nothing: as usual
};

// Null: there is nothing to be drawn at the caret, nor is what was drawn before.
MappingDataPtr makeMapping(const MappingQuery& query);

// Of two canvases of one text or of neighbouring ones: the same expression, perhaps with other numbers.
bool isSameSubject(const MappingData& a, const MappingData& b);

// The edits as one: from the first to the last, with what stands between them.
session::assist::Edit joined(const session::CanvasChange& change, std::string_view text);

} // namespace hidet::ui
