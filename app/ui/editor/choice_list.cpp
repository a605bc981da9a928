// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/choice_list.h"

#include <algorithm>

#include "app/ui/widgets/parts.h"

namespace hidet::ui {

constexpr int list_most_rows = 8;
constexpr int list_widest = 560;
constexpr int margin = 4;

ChoiceList::ChoiceList(CodeView& view, const QString& name) : FloatingPanel(view) {
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

void ChoiceList::open(const QStringList& choices, const QIcon& icon, ByteRange range) {
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

void ChoiceList::close() {
    if (!isVisible())
        return;
    setVisible(false);
    view().setFocus(Qt::OtherFocusReason);
}

void ChoiceList::take(int row) {
    close();
    if (row >= 0)
        emit chosen(row);
}

bool ChoiceList::eventFilter(QObject*, QEvent* event) {
    return filterField(
        event, [this] { take(m_list->currentRow()); }, [this] { close(); });
}

} // namespace hidet::ui
