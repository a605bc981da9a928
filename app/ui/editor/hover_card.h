// SPDX-License-Identifier: GPL-3.0-only
// What is known of a name, and what is wrong there: type, shape, layout, scope, size, value, documentation.
#pragma once

#include <QLabel>

#include "app/session/live/assist.h"
#include "app/session/snapshot/snapshot.h"
#include "app/ui/widgets/floating_panel.h"

namespace hidet::ui {

class HoverCard : public FloatingPanel {
    Q_OBJECT
public:
    explicit HoverCard(CodeView& view);
    // At the range; with nothing to say it stays closed.
    void show(const session::assist::Card& card, const std::vector<const session::DiagnosticView*>& problems,
              ByteRange range, Prefer prefer);
    QString text() const { return m_label->text(); }
    ByteRange range() const { return m_range; }

private:
    QString htmlOf(const session::assist::Card& card) const;
    QString htmlOf(const session::DiagnosticView& problem) const;

    QLabel* m_label = new QLabel(this);
    ByteRange m_range;
};

} // namespace hidet::ui
