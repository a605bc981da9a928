// SPDX-License-Identifier: GPL-3.0-only
// A few choices at the caret, such as fixes: one is taken by Enter or a click. It has the keyboard until then.
#pragma once

#include <QListWidget>

#include "app/ui/widgets/floating_panel.h"

namespace hidet::ui {

class ChoiceList : public FloatingPanel {
    Q_OBJECT
public:
    ChoiceList(CodeView& view, const QString& name);
    void open(const QStringList& choices, const QIcon& icon, ByteRange range);
    void close();

signals:
    void chosen(int row);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void take(int row);

    QListWidget* m_list = new QListWidget(this);
};

} // namespace hidet::ui
