// SPDX-License-Identifier: GPL-3.0-only
// One line above a call: the signature of what is called, with the parameter at the caret in bold.
#pragma once

#include <QLabel>

#include "app/session/live/assist.h"
#include "app/ui/widgets/floating_panel.h"

namespace hidet::ui {

class SignatureTip : public FloatingPanel {
    Q_OBJECT
public:
    explicit SignatureTip(CodeView& view);
    void show(const session::assist::SignatureHelp& help);
    QString text() const { return m_label->text(); }

private:
    QLabel* m_label = new QLabel(this);
};

} // namespace hidet::ui
