// SPDX-License-Identifier: GPL-3.0-only
// Beside SASS: how each instruction is scheduled, how many registers are live as a river along the lines, what spills and what
// converts; at the line of the caret or of the mouse, arrows from what waits to what it waits for.
#pragma once

#include <memory>

#include <QHash>
#include <QStaticText>

#include "app/session/profile/profile.h"
#include "app/session/snapshot/machine.h"
#include "app/ui/code/line_strip.h"

namespace hidet::ui {

class MachineStrip : public LineStrip {
    Q_OBJECT
public:
    MachineStrip(CodeView& view, QWidget* parent);

    // `shown` is `whole` with filters. A null machine: the strip goes.
    void show(std::shared_ptr<const session::MachineSnapshot> machine, const session::TextSnapshot* whole,
              const session::TextSnapshot* shown);
    // What a GPU counted of these kernels; those whose code is another one are left out.
    void setProfile(std::shared_ptr<const session::ProfileResult> profile);
    void setActive(int line); // 0-based; whose arrows are drawn
    bool isShown() const { return m_machine != nullptr; }
    QString hintOf(int line) const override;
    QString htmlOf(int line) const; // the same for the card; empty: no instruction
    // From lines to lines, 0-based: arrows that are drawn.
    struct Arrow {
        int waiter = 0, setter = 0;
        int barrier = 0;
    };
    std::vector<Arrow> arrows() const;

protected:
    void paintRow(QPainter& painter, int line, const QRect& row) override;
    void paintOver(QPainter& painter) override;

private:
    struct Line {
        const session::MachineInstruction* instruction = nullptr;
        const session::MachineFunction* function = nullptr;
        const session::ProfiledInstruction* counted = nullptr;
        QString control;
        double share = 0; // of the samples of its kernel
    };
    const Line* at(int line) const;
    void measure();
    void fit();
    void joinProfile();
    void drawText(QPainter& painter, const QRect& room, Qt::Alignment side, const QString& text);
    QStringList sentences(int line) const;
    void paintArrow(QPainter& painter, const Arrow& arrow, int lane) const;

    std::shared_ptr<const session::MachineSnapshot> m_machine;
    std::shared_ptr<const session::ProfileResult> m_profile;
    QHash<int, Line> m_lines;
    QHash<int, int> m_shownLines; // of the whole listing (from 1): the line that is shown
    QFont m_font;
    int m_controlWidth = 0, m_numberWidth = 0;
    QHash<QString, QStaticText> m_texts; // laid out, as few words are said of many lines
    int m_active = -1;
    bool m_isCounted = false;
};

} // namespace hidet::ui
