// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/dock_parts.h"

#include <QKeyEvent>

namespace hidet::ui {

namespace {

class FixKey : public QObject {
public:
    FixKey(QWidget& list, std::function<void()> fix) : QObject(&list), m_fix(std::move(fix)) {
        list.installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
            return QObject::eventFilter(watched, event);
        auto* key = static_cast<QKeyEvent*>(event);
        const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (!isEnter || (key->modifiers() & ~Qt::KeypadModifier) != Qt::AltModifier)
            return QObject::eventFilter(watched, event);
        event->accept();
        if (event->type() == QEvent::KeyPress)
            m_fix();
        return true;
    }

private:
    std::function<void()> m_fix;
};

} // namespace

void onFixKey(QWidget& list, std::function<void()> fix) {
    new FixKey(list, std::move(fix));
}

void fillDock(DockWidget& dock, QStackedWidget* pages, EmptyState* empty, QWidget* full) {
    makePanel(dock);
    pages->addWidget(empty);
    pages->addWidget(full);
    newColumn(&dock, {pages});
}

} // namespace hidet::ui
