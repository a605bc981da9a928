// SPDX-License-Identifier: GPL-3.0-only
// A dock is a widget behind a row of docks.def. It gets the studio, listens to what it shows, and owns nothing of it.
#pragma once

#include <functional>
#include <vector>

#include <QString>
#include <QWidget>

namespace hidet::ui {

struct Studio;

enum class DockArea { bottom, right };

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

struct DockInfo {
    DockWidget* (*make)(Studio& studio);
    QString id;
    QString title;
    DockArea area;
    QString modes;
    QString keys;
    QString help;
};
const std::vector<DockInfo>& allDocks();

#define HIDET_DOCK(maker, id, title, area, modes, keys, help) DockWidget* maker(Studio& studio);
#include "app/ui/window/docks.def"

} // namespace hidet::ui
