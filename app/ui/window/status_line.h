// SPDX-License-Identifier: GPL-3.0-only
// The last line of the window: how long each stage took, where the caret is, what the workers do.
#pragma once

#include <QStatusBar>

#include "app/ui/widgets/elided_label.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class StatusLine : public QStatusBar {
    Q_OBJECT
public:
    StatusLine(Studio& studio, QWidget* parent = nullptr);
    QString latencies() const { return m_latency->text(); }
    void setCaret(int line, int column); // 1-based

private:
    void refresh();

    Studio& m_studio;
    ElidedLabel* m_state = new ElidedLabel(this);
    ElidedLabel* m_latency = new ElidedLabel(this);
    ElidedLabel* m_caret = new ElidedLabel(this);
};

} // namespace hidet::ui
