// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/inspector/note_field.h"

#include <algorithm>

#include <QApplication>
#include <QKeyEvent>

#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {
constexpr int most_lines_seen = 5;
constexpr qsizetype longest_note = 4000;
} // namespace

NoteField::NoteField(ThemeSource& themes, QWidget* parent) : QPlainTextEdit(parent) {
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

void NoteField::show(const QString& note) {
    if (hasFocus())
        return;
    m_note = note;
    if (toPlainText() != note)
        setPlainText(note);
}

void NoteField::take() {
    const QString typed = toPlainText().trimmed().left(longest_note);
    if (typed == m_note)
        return;
    m_note = typed;
    emit written(typed);
}

QSize NoteField::sizeHint() const {
    const int lines = std::clamp(int(toPlainText().count(u'\n')) + 1, 2, most_lines_seen);
    const int around = int(2 * document()->documentMargin()) + 2 * frameWidth() + 2;
    return {200, lines * fontMetrics().lineSpacing() + around};
}

bool NoteField::event(QEvent* event) {
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

void NoteField::keyPressEvent(QKeyEvent* event) {
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

void NoteField::focusOutEvent(QFocusEvent* event) {
    QPlainTextEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason)
        take();
}

} // namespace hidet::ui
