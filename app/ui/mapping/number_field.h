// SPDX-License-Identifier: GPL-3.0-only
// A number that is changed where it stands: dragged with the mouse, by the arrow keys, or typed.
#pragma once

#include <QWidget>

#include "app/ui/core/theme.h"

namespace hidet::ui {

class NumberField : public QWidget {
    Q_OBJECT
public:
    NumberField(ThemeSource& themes, QWidget* parent);

    // `text` is what stands in the script where that is no number: "block_m". A reason why it cannot be changed, or "".
    void show(qint64 value, const QString& text, const QString& reason);
    using QWidget::show;
    qint64 value() const { return m_value; }
    bool isFixed() const { return !m_reason.isEmpty(); }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void changed(qint64 value);
    void dragged(bool begins); // what changes between the two is one change
    void refused(QString reason);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QString shown() const;
    void change(qint64 value);
    void endTyping(bool takes);
    void endDrag();

    ThemeSource& m_themes;
    qint64 m_value = 0;
    QString m_text, m_reason;
    QString m_typed;
    bool m_isPressed = false, m_isDragged = false;
    QPoint m_pressed;
    qint64 m_before = 0; // when it was pressed
};

} // namespace hidet::ui
