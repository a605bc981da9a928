// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/dock_parts.h"

#include <QCoreApplication>
#include <QKeyEvent>

#include "app/ui/core/words.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

class ListKey : public QObject {
public:
    ListKey(QWidget& list, QList<QKeySequence> keys, std::function<void()> act)
        : QObject(&list), m_keys(std::move(keys)), m_act(std::move(act)) {
        list.installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        const bool isPress = event->type() == QEvent::KeyPress;
        if ((!isPress && event->type() != QEvent::ShortcutOverride) || !isMeant(*static_cast<QKeyEvent*>(event)))
            return QObject::eventFilter(watched, event);
        event->accept();
        if (isPress)
            m_act();
        return true;
    }

private:
    bool isMeant(const QKeyEvent& event) const { // Enter is as good as Return
        const auto key = event.key() == Qt::Key_Enter ? Qt::Key_Return : Qt::Key(event.key());
        return m_keys.contains(QKeySequence(QKeyCombination(event.modifiers() & ~Qt::KeypadModifier, key)));
    }

    const QList<QKeySequence> m_keys;
    const std::function<void()> m_act;
};

} // namespace

void onListKey(QWidget& list, const QList<QKeySequence>& keys, std::function<void()> act) {
    new ListKey(list, keys, std::move(act));
}

void sayNoGraph(EmptyState& empty, const Studio& studio, const QString& title) {
    const LiveModel* model = studio.tabs.model();
    empty.setAction({}, {});
    if (!model)
        empty.offer(studio.commands.action(Command::FileOpen), QCoreApplication::translate("Dock", "Open..."));
    if (model && model->graphs().isBroken())
        empty.say(QCoreApplication::translate("Dock", "The model cannot be read"),
                  firstMessage(model->graphs().snapshot()->diagnostics));
    else
        empty.say(title, model ? QCoreApplication::translate("Dock", "The model is being read")
                               : QCoreApplication::translate("Dock", "No model is open"));
}

void fillDock(DockWidget& dock, QStackedWidget* pages, EmptyState* empty, QWidget* full) {
    makePanel(dock);
    pages->addWidget(empty);
    pages->addWidget(full);
    newColumn(&dock, {pages});
}

} // namespace hidet::ui
