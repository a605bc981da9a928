// SPDX-License-Identifier: GPL-3.0-only
// The note of an operator, to be read and written in its place. What was typed is taken with Ctrl+Return and when the keyboard
// goes elsewhere; Escape puts back what there was.
#pragma once

#include <QApplication>
#include <QKeyEvent>
#include <QPlainTextEdit>
#include <algorithm>

#include "app/ui/core/theme.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class NoteField : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit NoteField(ThemeSource& themes, QWidget* parent = nullptr) : QPlainTextEdit(parent) {
        named(this, "node.note", tr("Note"));
        setPlaceholderText(tr("A note; Ctrl+Return keeps it, Escape does not"));
        setTabChangesFocus(true);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
        connect(this, &QPlainTextEdit::textChanged, this, &QWidget::updateGeometry);
        connect(qApp, &QCoreApplication::aboutToQuit, this, &NoteField::take); // before the session is kept
        themes.follow(this, [this, &themes] {
            setFont(themes.smallFont());
            updateGeometry();
        });
    }

    // not while it has the keyboard
    void show(const QString& note) {
        if (hasFocus())
            return;
        m_note = note;
        if (toPlainText() != note)
            setPlainText(note);
    }

    using QWidget::show;
    // what was typed, if it is something else
    void take() {
        const QString typed = toPlainText().trimmed().left(longest_note);
        if (typed == m_note)
            return;
        m_note = typed;
        emit written(typed);
    }

    QSize sizeHint() const override {
        const int lines = std::clamp(int(toPlainText().count(u'\n')) + 1, 2, most_lines_seen);
        const int around = int(2 * document()->documentMargin()) + 2 * frameWidth() + 2;
        return {200, lines * fontMetrics().lineSpacing() + around};
    }

    QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }

signals:
    void written(const QString& note);
    void left(); // the keyboard is no longer wanted

protected:
    bool event(QEvent* event) override {
        if (event->type() == QEvent::ShortcutOverride) {
            const auto* key = static_cast<QKeyEvent*>(event);
            const bool isReturn = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
            if (key->key() == Qt::Key_Escape || (isReturn && key->modifiers() == Qt::ControlModifier)) {
                event->accept();
                return true;
            }
        }
        return QPlainTextEdit::event(event);
    }

    void keyPressEvent(QKeyEvent* event) override {
        const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
        if (event->key() == Qt::Key_Escape) {
            setPlainText(m_note);
            emit left();
        } else if (isReturn && event->modifiers() == Qt::ControlModifier) {
            take();
            emit left();
        } else {
            QPlainTextEdit::keyPressEvent(event);
        }
    }

    void focusOutEvent(QFocusEvent* event) override {
        QPlainTextEdit::focusOutEvent(event);
        if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason)
            take();
    }

private:
    static constexpr int most_lines_seen = 5;
    static constexpr qsizetype longest_note = 4000;

    QString m_note; // as it is kept
};

} // namespace hidet::ui
