// SPDX-License-Identifier: GPL-3.0-only
// A number that is changed where it stands: dragged with the mouse, by the arrow keys, or typed.
#pragma once

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWidget>
#include <algorithm>
#include <utility>

#include "app/ui/core/theme.h"

namespace hidet::ui {

class NumberField : public QWidget {
    Q_OBJECT
public:
    NumberField(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes) {
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::SizeHorCursor);
    }

    // `text` is what stands in the script where that is no number: "block_m". A reason why it cannot be changed, or "".
    void show(qint64 value, const QString& text, const QString& reason) {
        if (m_isDragged)
            return; // the mouse is ahead of the script
        m_value = value;
        m_text = text;
        m_reason = reason;
        setCursor(reason.isEmpty() ? Qt::SizeHorCursor : Qt::ArrowCursor);
        setToolTip(reason.isEmpty()
                       ? tr("Drag it, or change it with the arrow keys; Page Up doubles it, Page Down halves it")
                       : reason);
        setAccessibleDescription(toolTip());
        updateGeometry();
        update();
    }

    using QWidget::show;
    qint64 value() const { return m_value; }
    bool isFixed() const { return !m_reason.isEmpty(); }
    QSize sizeHint() const override {
        const QFontMetrics metrics(font());
        return {std::max(metrics.horizontalAdvance(shown()), metrics.horizontalAdvance("00")) + 2 * margin,
                metrics.height() + 4};
    }

    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void changed(qint64 value);
    void dragged(bool begins); // what changes between the two is one change
    void refused(QString reason);

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = m_themes.theme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(hasFocus() ? QPen(theme.accent, 1.5) : QPen(theme.line));
        painter.setBrush(isFixed() ? theme.panel : theme.raised);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
        painter.setPen(isFixed() ? theme.muted : theme.text);
        painter.drawText(rect(), Qt::AlignCenter, shown());
    }

    void mousePressEvent(QMouseEvent* event) override {
        if (event->button() != Qt::LeftButton)
            return QWidget::mousePressEvent(event);
        m_isPressed = true;
        m_pressed = event->pos();
        m_before = m_value;
        if (isFixed())
            emit refused(m_reason);
    }

    void mouseMoveEvent(QMouseEvent* event) override {
        if (!m_isPressed || isFixed())
            return;
        const int steps = (event->pos().x() - m_pressed.x()) / pixels_a_step;
        if (!m_isDragged && steps == 0)
            return;
        if (!m_isDragged) {
            m_isDragged = true;
            emit dragged(true);
        }
        change(std::max<qint64>(1, m_before + steps));
    }

    void mouseReleaseEvent(QMouseEvent*) override { endDrag(); }
    void keyPressEvent(QKeyEvent* event) override {
        const QString text = event->text();
        if (text.size() == 1 && text[0] >= '0' && text[0] <= '9' && m_typed.size() < most_digits) {
            if (isFixed())
                return emit refused(m_reason);
            m_typed += text;
            updateGeometry();
            return update();
        }
        switch (event->key()) {
        case Qt::Key_Up: return change(m_value + 1);
        case Qt::Key_Down: return change(std::max<qint64>(m_value - 1, 0));
        case Qt::Key_PageUp: return change(m_value * 2);
        case Qt::Key_PageDown: return change(std::max<qint64>(m_value / 2, 1));
        case Qt::Key_Return:
        case Qt::Key_Enter: return endTyping(true);
        case Qt::Key_Backspace: m_typed.chop(1); return update();
        case Qt::Key_Escape:
            if (!m_typed.isEmpty())
                return endTyping(false);
            break;
        default: break;
        }
        QWidget::keyPressEvent(event);
    }

    void focusOutEvent(QFocusEvent* event) override {
        endTyping(true);
        QWidget::focusOutEvent(event);
    }

    void hideEvent(QHideEvent* event) override {
        endDrag();
        QWidget::hideEvent(event);
    }

private:
    static constexpr int pixels_a_step = 8; // of a drag
    static constexpr int margin = 6;
    static constexpr int most_digits = 9;

    QString shown() const {
        if (!m_typed.isEmpty())
            return m_typed;
        const QString number = QString::number(m_value);
        return m_text.isEmpty() || m_text == number ? number : m_text + " = " + number;
    }

    void change(qint64 value) {
        if (isFixed()) {
            emit refused(m_reason);
            return;
        }
        if (value == m_value || value < 0)
            return;
        m_value = value;
        m_text.clear();
        updateGeometry();
        update();
        emit changed(value);
    }

    void endTyping(bool takes) {
        const QString typed = std::exchange(m_typed, {});
        updateGeometry();
        update();
        if (takes && !typed.isEmpty())
            change(typed.toLongLong());
    }

    void endDrag() {
        m_isPressed = false;
        if (!m_isDragged)
            return;
        m_isDragged = false;
        emit dragged(false);
    }

    ThemeSource& m_themes;
    qint64 m_value = 0;
    QString m_text, m_reason;
    QString m_typed;
    bool m_isPressed = false, m_isDragged = false;
    QPoint m_pressed;
    qint64 m_before = 0; // when it was pressed
};

} // namespace hidet::ui
