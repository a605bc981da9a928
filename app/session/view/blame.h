// SPDX-License-Identifier: Apache-2.0
// Which pass made a line, and what each pass did to its module.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

struct Blame {
    std::string pass;    // that invented what the line shows; empty: it is written in the script
    std::string summary; // of that pass
    Place script;        // what the line came from, or what caused it; may be unknown
};

// Of a line (from 1) of any stage. Nothing: the line has no origin (a brace, the prelude).
std::optional<Blame> blame(const ModuleSnapshot& module, const TextSnapshot& text, int line);

struct PassChange {
    int number = 0;
    std::string name;
    std::string summary;
    bool changed = false;
    int added = 0; // lines, against the pass before it
    int removed = 0;
    double ms = 0;
};
// One for each pass that ran, the script's own IR (number 0) left out. Nothing when it was cancelled. Counts need the texts
// of all passes (Keep::Everything).
std::optional<std::vector<PassChange>> pass_changes(const ModuleSnapshot& module,
                                                    const std::atomic<bool>* cancelled = nullptr);

// The text after pass `number` (of the last pass up to it that changed something); null: not there.
std::shared_ptr<const TextSnapshot> text_after(const ModuleSnapshot& module, int number);

} // namespace hidet::session
