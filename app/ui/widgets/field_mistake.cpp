// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/field_mistake.h"

#include <algorithm>

#include <QEvent>
#include <QPainter>

namespace hidet::ui {

namespace {
constexpr int widest_mistake = 400, mistake_gap = 3;
}

FieldMistake::FieldMistake(ThemeSource& themes, QWidget& field) : QLabel(&field), m_themes(themes), m_field(field) {
    setProperty("role", "error");
    setTextFormat(Qt::PlainText);
    setContentsMargins(8, 5, 8, 5);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
    field.installEventFilter(this);
    connect(&field, &QObject::destroyed, this, &QObject::deleteLater); // it is a child of the window by then
}

void FieldMistake::say(const QString& mistake) {
    if (mistake.isEmpty() || !m_field.isVisible())
        return hide();
    if (parentWidget() != m_field.window())
        setParent(m_field.window());
    setFont(m_themes.smallFont());
    setText(mistake);
    setAccessibleName(mistake);
    show(); // from then on it has its style, and its size can be said
    place();
    raise();
}

void FieldMistake::place() {
    setWordWrap(false);
    QSize wanted = sizeHint();
    if (wanted.width() > widest_mistake) {
        setWordWrap(true);
        wanted = {widest_mistake, heightForWidth(widest_mistake)};
    }
    resize(wanted);
    const QPoint below = m_field.mapTo(parentWidget(), QPoint(0, m_field.height() + mistake_gap));
    // No further to the right than the line that the field stands in.
    const QWidget& line = *m_field.parentWidget();
    const int end = line.mapTo(parentWidget(), QPoint(line.width(), 0)).x();
    move(std::max(0, std::min(below.x(), end - width())), below.y());
}

bool FieldMistake::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Hide)
        hide();
    else if (isVisible() && (event->type() == QEvent::Move || event->type() == QEvent::Resize))
        place();
    return QLabel::eventFilter(watched, event);
}

void FieldMistake::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setPen(m_themes.theme().error);
    painter.setBrush(m_themes.theme().raised);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.end();
    QLabel::paintEvent(event);
}

} // namespace hidet::ui
