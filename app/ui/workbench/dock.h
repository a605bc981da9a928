// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QString>
#include <QWidget>

namespace hidet::ui {

// The widget of a dock. A dock that counts something says so in its tab: "Problems 2". One that has nothing to say while a script
// is written need not be open.
class DockWidget : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;
    QString badge() const { return m_badge; }
    QString withBadge(const QString& title) const { return m_badge.isEmpty() ? title : title + "  " + m_badge; }

    bool hasToSay() const { return m_says; }
    bool saysAtOnce() const { return m_atOnce; } // the user has asked for it, and need not stop typing first

signals:
    void badgeChanged();
    void saysChanged();

protected:
    virtual void shown() {} // it is seen again, and has followed nothing meanwhile
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        shown();
    }

    void setBadge(const QString& text) {
        if (text == m_badge)
            return;
        m_badge = text;
        emit badgeChanged();
    }

    void setHasToSay(bool says, bool atOnce = false) {
        m_atOnce = atOnce;
        if (says == m_says)
            return;
        m_says = says;
        emit saysChanged();
    }

private:
    bool m_says = false;
    bool m_atOnce = false;
    QString m_badge;
};

// What stands in a tab beside a script or a graph.
struct Figure {
    QString id;
    DockWidget* content = nullptr;
    bool isShared = false; // there is one for all tabs, which the window owns
};

} // namespace hidet::ui
