// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/widget_parts.h"

#include <algorithm>

#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenuBar>
#include <QScrollArea>
#include <QSplitter>
#include <QTabBar>
#include <Qsci/qsciscintilla.h>

#include "app/ui/editor/start_panel.h"
#include "app/ui/graph/canvas/minimap.h"
#include "app/ui/palette/palette.h"
#include "app/ui/panes/help_card.h"
#include "app/ui/widgets/field_mistake.h"
#include "app/ui/widgets/floating_panel.h"

namespace hidet::ui::test {

namespace {

bool isWhole(const QWidget& widget) {
    return qobject_cast<const QAbstractItemView*>(&widget) || qobject_cast<const QComboBox*>(&widget) ||
           qobject_cast<const QAbstractSpinBox*>(&widget) || qobject_cast<const QLineEdit*>(&widget) ||
           qobject_cast<const QTabBar*>(&widget) || qobject_cast<const QAbstractSlider*>(&widget) ||
           qobject_cast<const QMenuBar*>(&widget) || qobject_cast<const QsciScintilla*>(&widget);
}

// Docks behind the tab of another, and tab bars that no docks need at the moment: Qt calls them visible where nobody looks.
bool isParked(const QWidget& widget) {
    const auto* window = qobject_cast<const QMainWindow*>(widget.parentWidget());
    const auto* bar = qobject_cast<const QTabBar*>(&widget);
    return window && (!window->rect().intersects(widget.geometry()) || (bar && bar->count() == 0));
}

// What stands for the title of a dock that has its name in a tab.
bool isNoTitle(const QWidget& widget) {
    const auto* dock = qobject_cast<const QDockWidget*>(widget.parentWidget());
    return dock && dock->titleBarWidget() == &widget && widget.children().isEmpty();
}

// What Qt makes for itself; but the pages of a widget with tabs, and its tabs, are what a user sees.
bool isQtsOwn(const QWidget& widget) {
    return (widget.objectName().startsWith("qt_") && !widget.objectName().startsWith("qt_tabwidget_")) ||
           qobject_cast<const QSplitterHandle*>(&widget);
}

bool isPart(const QWidget& widget) {
    return widget.isVisible() && !isParked(widget) && !isNoTitle(widget) && !widget.isWindow() && !isQtsOwn(widget);
}

} // namespace

QList<QWidget*> partsOf(const QWidget& widget) {
    QList<QWidget*> out;
    if (isWhole(widget))
        return out;
    if (const auto* area = qobject_cast<const QScrollArea*>(&widget)) {
        if (area->widget() && area->widget()->isVisible())
            out << area->widget();
        return out;
    }
    for (QObject* child : widget.children())
        if (auto* part = qobject_cast<QWidget*>(child); part && isPart(*part))
            out << part;
    return out;
}

QRect placeOf(const QWidget& widget) {
    return {widget.mapTo(widget.window(), QPoint()), widget.size()};
}

bool isOverlay(const QWidget& widget) {
    return dynamic_cast<const FloatingPanel*>(&widget) || dynamic_cast<const Minimap*>(&widget) ||
           dynamic_cast<const Palette*>(&widget) || dynamic_cast<const HelpCard*>(&widget) ||
           dynamic_cast<const StartPanel*>(&widget) || dynamic_cast<const FieldMistake*>(&widget);
}

QString classOf(const QWidget& widget) {
    return QString(widget.metaObject()->className()).section("::", -1);
}

QString nameOf(const QWidget& widget) {
    QStringList out;
    if (const auto* bar = qobject_cast<const QTabBar*>(&widget); bar && bar->objectName().isEmpty() && bar->count() > 0)
        out << QString("tabs '%1'").arg(bar->tabText(0));
    for (const QWidget* at = &widget; at && !at->isWindow(); at = at->parentWidget())
        if (at == &widget || !at->objectName().isEmpty() || classOf(*at) != "QWidget")
            out << classOf(*at) + (at->objectName().isEmpty() ? QString() : " #" + at->objectName());
    return out.mid(0, 4).join(" in ");
}

} // namespace hidet::ui::test
