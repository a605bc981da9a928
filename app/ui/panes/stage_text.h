// SPDX-License-Identifier: GPL-3.0-only
// A text made ready for a pane: filtered, with its links looked up. Pure; on whichever thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/session/view/filters.h"
#include "app/session/view/links.h"
#include "app/ui/code/code_view.h"
#include "app/ui/code/text_patch.h"
#include "app/ui/core/settings.h"

namespace hidet::ui {

struct HueRun {
    ByteRange range;
    int scriptLine = 0; // its hue is that of this line
};

struct StageText {
    std::shared_ptr<const session::TextSnapshot> whole; // what it was made from
    std::vector<session::Filter> filters;
    std::shared_ptr<const session::TextSnapshot> text;
    std::shared_ptr<const session::LinkIndex> links;
    std::vector<HueRun> runs; // neighbours of one line are one
    std::shared_ptr<const session::TextSnapshot>
        before; // that was shown, and how to get from it to the text; null: not known
    std::shared_ptr<const TextPatch> patch;
};

struct StageTextRequest {
    std::shared_ptr<const session::TextSnapshot> text;
    std::optional<session::Form> form; // nothing: IR
    std::vector<session::Filter> filters;
    std::string script;                                  // its name
    std::shared_ptr<const session::TextSnapshot> before; // that is shown; null: none
};

// From one token to the next there are only blanks and brackets: neighbours of one source are shown as one.
bool isGap(std::string_view text, int from, int to);

StageText prepared(const StageTextRequest& request);
// Whether that takes so little that no other thread is worth it.
bool isSmall(const StageTextRequest& request);

// Filters are the same in all panes, and kept in the settings.
std::vector<session::Filter> filtersInUse(const Settings& settings, session::Form form);
bool isFilterOn(const Settings& settings, const session::FilterInfo& filter);

} // namespace hidet::ui
