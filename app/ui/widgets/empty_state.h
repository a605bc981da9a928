// SPDX-License-Identifier: GPL-3.0-only
// What a pane says while it has no text: what will appear here, why it has not, and what to do about it.
#pragma once

#include <functional>

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QWidget>

namespace hidet::ui {

class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(QWidget* parent = nullptr);

    void say(const QString& title, const QString& text);
    void setAction(const QString& text, std::function<void()> act); // an empty text takes it away
    void offer(QAction* action, const QString& text);               // the same
    void offerWithKeys(QAction* action, const QString& text);       // and how to do it without the mouse
    QString title() const { return m_title->text(); }
    QString text() const { return m_text->text(); }

private:
    QLabel* m_title = new QLabel(this);
    QLabel* m_text = new QLabel(this);
    QPushButton* m_button = new QPushButton(this);
    std::function<void()> m_act;
};

} // namespace hidet::ui
