// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/code/visible_fill.h"

#include <algorithm>
#include <iterator>

#include "app/ui/code/carets.h"

namespace hidet::ui {

using Sci = QsciScintillaBase;

constexpr std::size_t filled_at_once = 400;
constexpr int lines_ahead = 40;
constexpr std::size_t most_edits = 64; // between two paints; whoever makes more of them sets the ranges anew

VisibleFill::VisibleFill(CodeView& view, CodeView::Indicator indicator) : m_view(view), m_indicator(indicator) {
    connect(&view, &Sci::SCN_MODIFIED, this,
            [this](int at, int what, const char*, int length, int, int, int, int, int, int) {
                if (what & Sci::SC_MOD_INSERTTEXT)
                    note({at, 0, length});
                else if (what & Sci::SC_MOD_DELETETEXT)
                    note({at, length, 0});
            });
    connect(&view, &CodeView::textShown, this, &VisibleFill::forget);
    connect(&view, &CodeView::painting, this, [this] {
        if (m_isOfText && m_items.size() > filled_at_once)
            fill();
    });
}

void VisibleFill::note(Edit edit) {
    if (!m_isOfText || m_items.size() <= filled_at_once)
        return; // Scintilla moves what is filled
    m_edits.push_back(edit);
    m_isOfText = m_edits.size() <= most_edits;
}

void VisibleFill::follow() {
    for (const Edit& edit : m_edits) {
        const auto moved = [&](int offset) { return std::max(edit.at, offset - edit.removed) + edit.added; };
        const auto move = [&](ByteRange& range) {
            if (range.begin >= edit.at)
                range.begin = moved(range.begin);
            if (range.end > edit.at)
                range.end = moved(range.end);
        };
        for (Item& item : m_items)
            move(item.range);
        move(m_filled);
    }
    m_edits.clear();
}

void VisibleFill::forget() {
    m_items.clear();
    m_edits.clear();
    m_isOfText = true;
    m_filled = {};
}

void VisibleFill::set(std::vector<Item> items) {
    forget();
    m_items = std::move(items);
    fill();
    m_view.fill(m_indicator, {0, m_filled.begin}, {});
    m_view.fill(m_indicator, {m_filled.end, m_view.byteCount()}, {});
}

ByteRange VisibleFill::seen() const {
    const long first = ask(m_view, Sci::SCI_GETFIRSTVISIBLELINE);
    const auto offsetAt = [&](long row) {
        return m_view.offsetOf(static_cast<int>(ask(m_view, Sci::SCI_DOCLINEFROMVISIBLE, row)), 0);
    };
    return {offsetAt(first), offsetAt(first + ask(m_view, Sci::SCI_LINESONSCREEN) + 2)};
}

void VisibleFill::fill() {
    ByteRange wanted{0, m_view.byteCount()};
    if (m_items.size() <= filled_at_once) {
        m_filled = wanted;
        return m_view.fill(m_indicator, wanted, m_items);
    }
    follow();
    const ByteRange shown = seen();
    if (m_filled.begin <= shown.begin && shown.end <= m_filled.end && m_filled.end > 0)
        return;
    const int last = m_view.lineOf(shown.end) + lines_ahead;
    wanted.begin = m_view.offsetOf(m_view.lineOf(shown.begin) - lines_ahead, 0);
    if (last < lineCount(m_view) - 1)
        wanted.end = m_view.offsetOf(last, 0);
    m_filled = wanted;
    std::vector<Item> items;
    std::ranges::copy_if(m_items, std::back_inserter(items), [&](const Item& item) {
        return item.range.begin < wanted.end && item.range.end > wanted.begin;
    });
    m_view.fill(m_indicator, wanted, items);
}

} // namespace hidet::ui
