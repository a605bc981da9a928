// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/pane_group.h"
#include "app/ui/core/mnemonics.h"

#include <QContextMenuEvent>
#include <QDrag>
#include <QMimeData>
#include <QMouseEvent>

namespace hidet::ui {

namespace {

constexpr int drag_distance = 24; // out of the bar; along it, a tab only changes places
constexpr int most_letters = 32;  // of a tab; its tooltip has all

// Counted in letters, not in pixels: the same title always reads the same, whatever digits the time of a run has.
QString shortened(const QString& title) {
    if (title.size() <= most_letters)
        return title;
    constexpr int kept = most_letters - 1, after = kept / 2;
    return title.first(kept - after) + QStringLiteral("…") + title.last(after);
}

} // namespace

PaneGroup::PaneGroup(QWidget* parent) : QTabWidget(parent) {
    setTabBar(new PaneTabs(this));
    setDocumentMode(true);
    setTabsClosable(true);
    setMovable(true);
    setUsesScrollButtons(true);
    setElideMode(Qt::ElideNone); // what has no room scrolls
    tabBar()->setAccessibleName(tr("Stage panes"));
    tabBar()->setExpanding(false);
}

void PaneGroup::add(Pane* pane, int index) {
    const int at = insertTab(index < 0 ? count() : index, pane, pane->title());
    nameTab(pane);
    setCurrentIndex(at);
}

void PaneGroup::nameTab(Pane* pane) {
    const int index = indexOf(pane);
    if (index < 0)
        return;
    const QString title = pane->isPinned() ? tr("%1 (pinned)").arg(pane->title()) : pane->title();
    setTabText(index, withoutMnemonics(shortened(title)));
    setTabToolTip(index, pane->accessibleName());
}

PaneTabs::PaneTabs(PaneGroup* group) : QTabBar(group), m_group(group) {}

void PaneTabs::mousePressEvent(QMouseEvent* event) {
    m_pressed = event->button() == Qt::LeftButton ? tabAt(event->pos()) : -1;
    if (event->button() == Qt::MiddleButton && tabAt(event->pos()) >= 0)
        return emit m_group->tabCloseRequested(tabAt(event->pos()));
    QTabBar::mousePressEvent(event);
}

void PaneTabs::mouseReleaseEvent(QMouseEvent* event) {
    m_pressed = -1;
    QTabBar::mouseReleaseEvent(event);
}

void PaneTabs::mouseMoveEvent(QMouseEvent* event) {
    const int y = event->pos().y();
    if (m_pressed < 0 || (y > -drag_distance && y < height() + drag_distance))
        return QTabBar::mouseMoveEvent(event);
    m_pressed = -1;
    Pane* pane = m_group->currentPane();
    // The bar lets go of the tab that it was moving.
    QMouseEvent release(QEvent::MouseButtonRelease, event->position(), event->globalPosition(), Qt::LeftButton,
                        Qt::NoButton, event->modifiers());
    QTabBar::mouseReleaseEvent(&release);
    auto* data = new QMimeData;
    data->setData(PaneGroup::mime_type, pane->title().toUtf8());
    QDrag drag(pane);
    drag.setMimeData(data);
    drag.setPixmap(grab(tabRect(currentIndex())));
    drag.exec(Qt::MoveAction);
}

void PaneTabs::contextMenuEvent(QContextMenuEvent* event) {
    const int index = event->reason() == QContextMenuEvent::Mouse ? tabAt(event->pos()) : currentIndex();
    if (index < 0)
        return;
    m_group->setCurrentIndex(index);
    const QPoint at = event->reason() == QContextMenuEvent::Mouse ? event->pos() : tabRect(index).bottomLeft();
    emit m_group->menuRequested(m_group->pane(index), mapToGlobal(at));
}

} // namespace hidet::ui
