// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/live/link_hub.h"

namespace hidet::ui {

static bool same(const std::optional<LinkHub::Focus>& a, const std::optional<LinkHub::Focus>& b) {
    if (!a || !b)
        return a.has_value() == b.has_value();
    const session::Place &x = a->place, &y = b->place;
    return a->origin == b->origin && x.file == y.file && x.line == y.line && x.column == y.column &&
           x.end_line == y.end_line && x.end_column == y.end_column;
}

const std::optional<LinkHub::Focus>& LinkHub::focus() const {
    return m_pinned ? m_pinned : m_mouse ? m_mouse : m_caret;
}

void LinkHub::set(std::optional<Focus>& slot, std::optional<Focus> value) {
    if (same(slot, value))
        return;
    slot = std::move(value);
    emit focusChanged();
}

void LinkHub::setCaret(QObject* origin, std::optional<session::Place> place) {
    set(m_caret, place ? std::optional(Focus{std::move(*place), By::Caret, origin}) : std::nullopt);
}

void LinkHub::setMouse(QObject* origin, std::optional<session::Place> place) {
    set(m_mouse, place ? std::optional(Focus{std::move(*place), By::Mouse, origin}) : std::nullopt);
}

void LinkHub::setPinned(std::optional<session::Place> place) {
    set(m_pinned, place ? std::optional(Focus{std::move(*place), By::Pin, nullptr}) : std::nullopt);
}

void LinkHub::clear() {
    m_caret.reset();
    m_mouse.reset();
    m_pinned.reset();
    emit focusChanged();
}

} // namespace hidet::ui
