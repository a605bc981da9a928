// SPDX-License-Identifier: GPL-3.0-only
// What a new script can begin with, shown in the empty editor: nothing first, then scripts that run and check themselves. It
// leaves the keyboard to the editor, and goes with the first letter; Down goes into it.
#pragma once

#include <QFrame>
#include <QListWidget>

#include "app/ui/document/starts.h"
#include "app/ui/editor/script_editor.h"

namespace hidet::ui {

class StartPanel : public QFrame {
    Q_OBJECT
public:
    StartPanel(Studio& studio, ScriptEditor& editor, QWidget* parent);
    void open();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool editorKey(const QKeyEvent& key, bool isOverride);
    bool listKey(QKeyEvent& key, bool isOverride);
    void take(int row);
    void leave();

    Studio& m_studio;
    ScriptEditor& m_editor;
    QListWidget* m_list = new QListWidget(this);
    QList<Start> m_starts;
};

} // namespace hidet::ui
