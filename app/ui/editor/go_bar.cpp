// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/go_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QRegularExpression>

namespace hidet::ui {

std::optional<session::Place> placeOfText(const QString& text) {
    static const QRegularExpression form(R"(^\s*(?:(.*[^\d\s:,].*?):)?\s*(\d{1,9})(?:[:,]\s*(\d{1,9}))?:?\s*$)");
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch() || match.captured(2).toInt() < 1)
        return std::nullopt;
    session::Place place;
    place.file = match.captured(1).trimmed().toStdString();
    place.line = place.end_line = match.captured(2).toInt();
    place.column = place.end_column = std::max(1, match.captured(3).toInt());
    return place;
}

GoBar::GoBar(QWidget* parent) : QWidget(parent), m_place(new QLineEdit(this)), m_message(new QLabel(this)) {
    setObjectName("goBar");
    setProperty("bar", true);
    setAttribute(Qt::WA_StyledBackground);
    m_place->setObjectName("goText");
    m_place->setAccessibleName(tr("Place to go to"));
    m_place->setPlaceholderText(tr("line, line:column or file:line:column"));
    m_message->setProperty("muted", true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(8);
    auto* label = new QLabel(tr("Go to"), this);
    label->setBuddy(m_place);
    row->addWidget(label);
    row->addWidget(m_place, 1);
    row->addWidget(m_message);
    m_place->installEventFilter(this);
    setVisible(false);
}

void GoBar::open(int line, int lines) {
    m_place->setText(QString::number(line));
    m_place->selectAll();
    m_message->setText(tr("line 1 to %1").arg(lines));
    setVisible(true);
    m_place->setFocus(Qt::ShortcutFocusReason);
}

void GoBar::closeBar() {
    setVisible(false);
    emit closed();
}

bool GoBar::eventFilter(QObject*, QEvent* event) {
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return false;
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (key != Qt::Key_Escape && !enter)
        return false;
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (!enter) {
        closeBar();
    } else if (const auto place = placeOfText(m_place->text())) {
        closeBar();
        emit placeRequested(*place);
    } else {
        m_message->setText(tr("Not a line number"));
    }
    return true;
}

} // namespace hidet::ui
