// SPDX-License-Identifier: GPL-3.0-only
// A few choices at the caret, such as fixes: one is taken by Enter or a click. It has the keyboard until then.
#pragma once

#include <QListWidget>
#include <algorithm>

#include "app/ui/widgets/floating_panel.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class ChoiceList : public FloatingPanel {
    Q_OBJECT
public:
    ChoiceList(CodeView& view, const QString& name) : FloatingPanel(view) {
        setAccessibleName(name);
        m_list->setAccessibleName(name);
        m_list->setFrameShape(QFrame::NoFrame);
        m_list->setUniformItemSizes(true);
        m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_list->setTextElideMode(Qt::ElideRight);
        m_list->installEventFilter(this);
        newColumn({margin, margin, margin, margin}, usual_spacing, {m_list}, this);
        connect(m_list, &QListWidget::itemClicked, this, [this] { take(m_list->currentRow()); });
    }

    void open(const QStringList& choices, const QIcon& icon, ByteRange range) {
        m_list->clear();
        int width = 0;
        const int height = fontMetrics().height() + 2 * margin;
        for (const QString& choice : choices) {
            auto* item = new QListWidgetItem(icon, choice, m_list);
            item->setSizeHint({0, height});
            width = std::max(width, fontMetrics().horizontalAdvance(choice));
        }
        m_list->setCurrentRow(0);
        const int rows = std::min(static_cast<int>(choices.size()), list_most_rows);
        resize(std::min(width + 64, list_widest), rows * height + 2 * margin);
        placeAt(range, Prefer::Below);
        setVisible(true);
        m_list->setFocus(Qt::PopupFocusReason);
    }

signals:
    void chosen(int row);

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        return filterField(event, [this] { take(m_list->currentRow()); });
    }

private:
    static constexpr int list_most_rows = 8;
    static constexpr int list_widest = 560;
    static constexpr int margin = 4;

    void take(int row) {
        leave();
        if (row >= 0)
            emit chosen(row);
    }

    QListWidget* m_list = new QListWidget(this);
};

} // namespace hidet::ui
