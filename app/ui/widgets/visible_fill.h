// SPDX-License-Identifier: GPL-3.0-only
// An indicator over many ranges of a text: only those around the visible lines are filled, others when they come into
// view. Ranges hold until the text changes; from then on Scintilla moves what is filled, until set() brings new ones.
#pragma once

#include <vector>

#include "app/ui/code/code_view.h"

namespace hidet::ui {

class VisibleFill : public QObject {
    Q_OBJECT
public:
    using Item = CodeView::Fill;
    VisibleFill(CodeView& view, CodeView::Indicator indicator);

    void set(std::vector<Item> items); // sorted
    void clear() { set({}); }

private:
    void fill();

    CodeView& m_view;
    CodeView::Indicator m_indicator;
    std::vector<Item> m_items;
    bool m_isOfText = true;
    ByteRange m_filled;
};

} // namespace hidet::ui
