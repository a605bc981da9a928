// SPDX-License-Identifier: GPL-3.0-only
// An indicator over many ranges of a text: where there are many, only those around the visible lines are filled, others before
// they are painted. Ranges move with what is typed, until set() brings new ones or another text is shown.
#pragma once

#include <vector>

#include "app/ui/code/code_view.h"

namespace hidet::ui {

class VisibleFill : public QObject {
    Q_OBJECT
public:
    using Item = CodeView::Fill;
    VisibleFill(CodeView& view, CodeView::Indicator indicator);

    void set(std::vector<Item> items);
    void clear() { set({}); }

private:
    struct Edit {
        int at = 0;
        int removed = 0, added = 0; // bytes
    };
    void note(Edit edit);
    void follow();
    void forget(); // what is filled stays until there are new ranges
    void fill();
    ByteRange seen() const;

    CodeView& m_view;
    CodeView::Indicator m_indicator;
    std::vector<Item> m_items;
    std::vector<Edit> m_edits; // that the items have not followed yet
    bool m_isOfText = true;
    ByteRange m_filled;
};

} // namespace hidet::ui
