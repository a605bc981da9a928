// SPDX-License-Identifier: GPL-3.0-only
// What a new script can begin with, shown in the empty editor: nothing first, then scripts that run and check themselves. It
// leaves the keyboard to the editor, and goes with the first letter; Down goes into it.
#pragma once

#include <QFrame>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <algorithm>

#include "app/ui/document/starts.h"
#include "app/ui/editor/script_editor.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class StartPanel : public QFrame {
    Q_OBJECT
public:
    StartPanel(Studio& studio, ScriptEditor& editor, QWidget* parent)
        : QFrame(parent), m_studio(studio), m_editor(editor), m_starts(allStarts()) {
        setObjectName("starts");
        setAccessibleName(tr("What to begin with"));
        makePanel(*this);
        auto* hint = new QLabel(tr("Type, or press Down and choose what to begin with"), this);
        hint->setProperty("muted", true);
        m_list->setObjectName("starts.list");
        m_list->setAccessibleName(tr("What to begin with"));
        m_list->setFrameShape(QFrame::NoFrame);
        m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_list->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_list->setTextElideMode(Qt::ElideRight);
        new QListWidgetItem(tr("Empty script"), m_list);
        for (const Start& start : m_starts) {
            auto* item = new QListWidgetItem(start.title + ": " + start.sentence, m_list);
            item->setToolTip(start.sentence);
        }
        const int height = fontMetrics().height() + padding;
        for (int row = 0; row < m_list->count(); ++row)
            m_list->item(row)->setSizeHint({0, height});
        m_list->setFixedHeight(height * m_list->count());
        m_list->installEventFilter(this);
        m_editor.installEventFilter(this);
        newColumn({padding, padding, padding, padding}, padding / 2, {hint, m_list}, this);
        connect(m_list, &QListWidget::itemClicked, this, [this] { take(m_list->currentRow()); });
        connect(&editor.document(), &Document::textChanged, this, &QWidget::hide);
        hide();
    }

    void open() {
        if (m_starts.isEmpty())
            return;
        m_list->setCurrentRow(0);
        const QRect line = m_editor.rectOf({0, 0});
        const QPoint below = m_editor.viewport()->mapTo(parentWidget(), QPoint(line.left(), line.bottom() + padding));
        const int room = std::max(240, parentWidget()->width() - below.x() - 4 * padding);
        setGeometry(QRect(below, QSize(std::min(widest, room), sizeHint().height())));
        show();
        raise();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        const bool isOverride = event->type() == QEvent::ShortcutOverride;
        if (!isVisible() || (event->type() != QEvent::KeyPress && !isOverride))
            return QFrame::eventFilter(watched, event);
        auto& key = static_cast<QKeyEvent&>(*event);
        const bool taken = watched == m_list ? listKey(key, isOverride) : editorKey(key, isOverride);
        if (taken && isOverride)
            event->accept();
        return taken || QFrame::eventFilter(watched, event);
    }

private:
    static constexpr int padding = 8;
    static constexpr int widest = 640;

    // The empty script is chosen until Down chooses another.
    bool editorKey(const QKeyEvent& key, bool isOverride) {
        if (key.modifiers() & ~Qt::KeypadModifier)
            return false;
        switch (key.key()) {
        case Qt::Key_Down:
            if (!isOverride) {
                m_list->setCurrentRow(1);
                m_list->setFocus(Qt::OtherFocusReason);
            }
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Escape:
            if (!isOverride)
                hide();
            return true;
        default: return false;
        }
    }

    bool listKey(QKeyEvent& key, bool isOverride) {
        switch (key.key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (!isOverride)
                take(m_list->currentRow());
            return true;
        case Qt::Key_Escape:
            if (!isOverride)
                leave();
            return true;
        case Qt::Key_Up:
            if (m_list->currentRow() > 0)
                return false;
            if (!isOverride)
                m_editor.setFocus();
            return true;
        default: break;
        }
        const bool isText = !key.text().isEmpty() && key.text()[0].isPrint() &&
                            !(key.modifiers() & (Qt::ControlModifier | Qt::AltModifier));
        if (!isText || isOverride)
            return false;
        leave();
        QCoreApplication::sendEvent(&m_editor, &key);
        return true;
    }

    void take(int row) {
        leave();
        if (row < 1)
            return;
        m_editor.replaceAll(m_starts[row - 1].text);
        m_editor.setCaret(0);
        m_studio.notices.showStatus(
            tr("%1 runs and checks itself: %2")
                .arg(m_starts[row - 1].title,
                     m_studio.commands.action(Command::RunRun)->shortcut().toString(QKeySequence::NativeText)));
    }

    void leave() {
        hide();
        m_editor.setFocus();
    }

    Studio& m_studio;
    ScriptEditor& m_editor;
    QListWidget* m_list = new QListWidget(this);
    QList<Start> m_starts;
};

} // namespace hidet::ui
