// SPDX-License-Identifier: GPL-3.0-only
// Views that scroll together: each says from where in the script its first line came, and follows what the others say.
// The view that the user scrolls leads; it is never moved.
#pragma once

#include <functional>
#include <optional>

#include "app/ui/code/code_view.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class ScrollSync : public QObject {
    Q_OBJECT
public:
    struct Lines {
        // The place that a line came from, or one soon below it; and by how many lines below.
        std::function<std::optional<std::pair<session::Place, int>>(int line)> placeOf;
        std::function<int(const session::Place&)> lineOf; // -1: none
    };
    ScrollSync(Studio& studio, CodeView& view, Lines lines);

private:
    void lead();
    void follow(QObject* origin, const session::Place& place);

    Studio& m_studio;
    CodeView& m_view;
    Lines m_lines;
    int m_followed = -1; // the line that it was last moved to
};

} // namespace hidet::ui
