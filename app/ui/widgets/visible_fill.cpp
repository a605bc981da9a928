// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/visible_fill.h"

#include <algorithm>

#include "app/ui/code/carets.h"

namespace hidet::ui {

using Sci = QsciScintillaBase;

constexpr std::size_t filled_at_once = 20'000;
constexpr int lines_ahead = 300;

VisibleFill::VisibleFill(CodeView& view, CodeView::Indicator indicator) : m_view(view), m_indicator(indicator) {
    connect(&view, &QsciScintilla::textChanged, this, [this] { m_isOfText = false; });
    connect(&view, &QsciScintillaBase::SCN_UPDATEUI, this, [this](int updated) {
        if (m_isOfText && m_items.size() > filled_at_once && updated & Sci::SC_UPDATE_V_SCROLL)
            fill();
    });
}

void VisibleFill::set(std::vector<Item> items) {
    m_items = std::move(items);
    m_isOfText = true;
    m_filled = {};
    fill();
    m_view.fill(m_indicator, {0, m_filled.begin}, {});
    m_view.fill(m_indicator, {m_filled.end, m_view.byteCount()}, {});
}

void VisibleFill::fill() {
    ByteRange wanted{0, m_view.byteCount()};
    if (m_items.size() > filled_at_once) {
        const long first = ask(m_view, Sci::SCI_DOCLINEFROMVISIBLE, ask(m_view, Sci::SCI_GETFIRSTVISIBLELINE));
        const ByteRange seen{m_view.offsetOf(static_cast<int>(first), 0),
                             m_view.offsetOf(static_cast<int>(first + ask(m_view, Sci::SCI_LINESONSCREEN)), 0)};
        if (m_filled.begin <= seen.begin && seen.end <= m_filled.end && m_filled.end > 0)
            return;
        wanted = {m_view.offsetOf(m_view.lineOf(seen.begin) - lines_ahead, 0),
                  m_view.offsetOf(m_view.lineOf(seen.end) + lines_ahead, 0)};
    }
    m_filled = wanted;
    const auto begin = std::lower_bound(m_items.begin(), m_items.end(), wanted.begin,
                                        [](const Item& a, int offset) { return a.range.end <= offset; });
    const auto end = std::lower_bound(begin, m_items.end(), wanted.end,
                                      [](const Item& a, int offset) { return a.range.begin < offset; });
    m_view.fill(m_indicator, wanted, {begin, end});
}

} // namespace hidet::ui
