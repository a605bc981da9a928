// SPDX-License-Identifier: GPL-3.0-only
// Beside the script: how much of the time each line has, by what a GPU counted. It is there where something was counted.
#pragma once

#include "app/ui/code/line_strip.h"
#include "app/ui/workbench/profiles.h"

namespace hidet::ui {

class HotStrip : public LineStrip {
    Q_OBJECT
public:
    HotStrip(CodeView& view, QWidget* parent);
    void setLines(QHash<int, Profiles::Line> lines); // from 1
    QString hintOf(int line) const override;

protected:
    void paintRow(QPainter& painter, int line, const QRect& row) override;

private:
    QHash<int, Profiles::Line> m_lines;
};

} // namespace hidet::ui
