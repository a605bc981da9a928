// SPDX-License-Identifier: GPL-3.0-only
// What the stage area holds in its tabs.
#pragma once

#include <QWidget>

#include "app/ui/code/code_view.h"

namespace hidet::ui {

class Pane : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;
    ~Pane() override;

    // What layouts keep; StageArea makes the pane again from it.
    virtual QString state() const = 0;
    virtual QString title() const = 0;               // of its tab
    virtual CodeView* codeView() { return nullptr; } // where its keyboard goes; null: it shows no text
    virtual bool isPinned() const { return false; }
    // For the clipboard and for files: the text without its looks.
    virtual QByteArray wholeText() { return {}; }
    virtual QString fileName() const = 0; // that its text or its picture would be saved as
    // What stands before the text in a file: how it came about, as a comment.
    virtual QByteArray madeBy() const { return {}; }

signals:
    void titleChanged();
};

} // namespace hidet::ui
