// SPDX-License-Identifier: GPL-3.0-only
// The note of an operator, to be read and written in its place. What was typed is taken with Ctrl+Return and when the keyboard
// goes elsewhere; Escape puts back what there was.
#pragma once

#include <QPlainTextEdit>

#include "app/ui/core/theme.h"

namespace hidet::ui {

class NoteField : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit NoteField(ThemeSource& themes, QWidget* parent = nullptr);

    void show(const QString& note); // not while it has the keyboard
    using QWidget::show;
    void take(); // what was typed, if it is something else

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }

signals:
    void written(const QString& note);
    void left(); // the keyboard is no longer wanted

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    QString m_note; // as it is kept
};

} // namespace hidet::ui
