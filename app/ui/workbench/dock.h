// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QWidget>

namespace hidet::ui {

// The widget of a dock. A dock that counts something says so in its tab: "Problems 2".
class DockWidget : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;
    QString badge() const { return m_badge; }

signals:
    void badgeChanged();

protected:
    void setBadge(const QString& text) {
        if (text == m_badge)
            return;
        m_badge = text;
        emit badgeChanged();
    }

private:
    QString m_badge;
};

} // namespace hidet::ui
