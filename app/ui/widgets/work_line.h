// SPDX-License-Identifier: GPL-3.0-only
// The sign of work: two pixels under a pane's header, where a segment moves while a new text is on its way. It is shown only
// when that takes longer than a blink.
#pragma once

#include <QTimer>
#include <QWidget>

#include "app/ui/core/one_shot.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

class WorkLine : public QWidget {
    Q_OBJECT
public:
    WorkLine(ThemeSource& themes, QWidget* parent = nullptr);

    void setWorking(bool working);
    bool isShown() const { return m_shown; }

signals:
    void shownChanged(bool shown);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void setShown(bool shown);

    ThemeSource& m_themes;
    OneShot m_delay;
    QTimer m_tick;
    int m_step = 0;
    bool m_shown = false;
};

} // namespace hidet::ui
