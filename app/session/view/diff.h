// SPDX-License-Identifier: Apache-2.0
// What differs between two texts, by lines and within lines by words. Never takes long: where the shortest difference would
// be dear, a good one is found instead.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/view/links.h"

namespace hidet::session {

struct DiffOptions {
    bool ignore_whitespace = false; // how much of it there is
    bool ignore_renames = false;    // identifiers that correspond one to one from the first to the last line are equal
    bool words = true;              // mark what differs within changed lines
    const std::atomic<bool>* cancelled = nullptr;
};

enum class RowKind : std::uint8_t { Equal, Changed, Removed, Added };

// A row of the side-by-side view. Lines are 1-based; 0 is an empty place.
struct DiffRow {
    RowKind kind = RowKind::Equal;
    int left = 0;
    int right = 0;
    std::vector<TextRange> left_words; // of Changed: bytes within the line
    std::vector<TextRange> right_words;
    friend bool operator==(const DiffRow&, const DiffRow&) = default;
};

struct TextDiff {
    std::vector<DiffRow> rows;
    int added = 0; // lines
    int removed = 0;
    bool same() const { return added == 0 && removed == 0; }
};

// Nothing when it was cancelled.
std::optional<TextDiff> diff(std::string_view left, std::string_view right, const DiffOptions& options = {});

// The rows for one column: of each changed stretch first the removed lines, then the added ones. `Changed` rows become a
// Removed row (left > 0) and an Added row (right > 0), which keep their words.
std::vector<DiffRow> inline_rows(const TextDiff& diff);

// "--- a", "+++ b", "@@ -1,7 +1,8 @@" and lines with ' ', '-' or '+' before them; empty when the texts are the same.
struct UnifiedNames {
    std::string left;
    std::string right;
    int context = 3;
};
std::string unified(std::string_view left, std::string_view right, const TextDiff& diff, const UnifiedNames& names);

} // namespace hidet::session
