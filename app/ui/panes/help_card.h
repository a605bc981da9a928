// SPDX-License-Identifier: GPL-3.0-only
// A card beside a piece of text that says what it is: an instruction, the pass that made a line. It goes when the mouse
// moves on, on any key, and when the text scrolls. A child of the window: top-level cards are misplaced by some desktops.
#pragma once

#include <QFrame>
#include <QLabel>

#include "app/session/view/instruction_help.h"
#include "app/ui/code/code_view.h"

namespace hidet::ui {

class HelpCard : public QFrame {
    Q_OBJECT
public:
    explicit HelpCard(CodeView& view);

    // `html` has no text of a user's in it that is not escaped.
    void showAt(ByteRange range, const QString& html);
    QString text() const { return m_label->text(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applyTheme();

    CodeView& m_view;
    QLabel* m_label = new QLabel(this);
};

QString htmlOf(const session::InstructionHelp& help, const Theme& theme);

} // namespace hidet::ui
