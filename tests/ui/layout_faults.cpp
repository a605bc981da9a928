// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/layout_faults.h"

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QScrollArea>
#include <Qsci/qsciscintilla.h>

#include "app/ui/editor/start_panel.h"
#include "tests/ui/cut_texts.h"
#include "tests/ui/widget_parts.h"

namespace hidet::ui::test {

namespace {

constexpr int smallest_pane = 64; // of what is big enough to show something

QString inWords(const QRect& rect) {
    return QString("%1x%2 at %3,%4").arg(rect.width()).arg(rect.height()).arg(rect.x()).arg(rect.y());
}

bool isScrolled(const QWidget& widget) {
    const auto* area =
        widget.parentWidget() ? qobject_cast<const QScrollArea*>(widget.parentWidget()->parentWidget()) : nullptr;
    return area && area->widget() == &widget;
}

void findOutside(const QWidget& widget, QStringList& out) {
    const QWidget* parent = widget.parentWidget();
    if (parent && !isScrolled(widget) && !parent->rect().contains(widget.geometry()))
        out << nameOf(widget) + ": " + inWords(widget.geometry()) + " is outside of its parent, " +
                   inWords(parent->rect());
    if (widget.width() == 0 || widget.height() == 0)
        out << nameOf(widget) + ": is visible without a size";
}

void findOverlaps(const QList<QWidget*>& parts, QStringList& out) {
    for (qsizetype i = 0; i < parts.size(); ++i)
        for (qsizetype j = i + 1; j < parts.size(); ++j)
            if (!isOverlay(*parts[i]) && !isOverlay(*parts[j]) && parts[i]->geometry().intersects(parts[j]->geometry()))
                out << nameOf(*parts[i]) + ": " + inWords(parts[i]->geometry()) + " and " + nameOf(*parts[j]) + ": " +
                           inWords(parts[j]->geometry()) + " overlap";
}

bool isOfOneColor(const QImage& picture, const QRect& place) {
    const QRect seen = place.intersected(picture.rect());
    if (seen.isEmpty())
        return false;
    const QRgb first = picture.pixel(seen.topLeft());
    for (int y = seen.top(); y <= seen.bottom(); ++y) {
        const auto* line = reinterpret_cast<const QRgb*>(picture.constScanLine(y));
        for (int x = seen.left(); x <= seen.right(); ++x)
            if (line[x] != first)
                return false;
    }
    return true;
}

void findEmpty(const QWidget& widget, const QImage& picture, QStringList& out) {
    if (widget.width() < smallest_pane || widget.height() < smallest_pane)
        return;
    const auto* code = qobject_cast<const QsciScintilla*>(&widget);
    const auto* view = qobject_cast<const QAbstractItemView*>(&widget);
    const auto* starts = code ? widget.parentWidget()->findChild<StartPanel*>() : nullptr; // what it could begin with
    const bool isEmpty = code ? code->length() == 0 && !(starts && starts->isVisible())
                              : view && view->model() && view->model()->rowCount() == 0;
    const bool isPane = classOf(widget) != "QWidget" && classOf(widget) != "QFrame"; // which are there to fill room
    if (isEmpty || (isPane && isOfOneColor(picture, placeOf(widget))))
        out << nameOf(widget) + ": shows nothing";
}

void find(const QWidget& widget, const QImage& picture, QStringList& out) {
    const QList<QWidget*> parts = partsOf(widget);
    for (const QString& text : cutTextsOf(widget))
        out << nameOf(widget) + ": " + text;
    findOverlaps(parts, out);
    if (parts.isEmpty())
        findEmpty(widget, picture, out);
    for (const QWidget* part : parts) {
        findOutside(*part, out);
        find(*part, picture, out);
    }
}

} // namespace

QStringList layoutFaultsOf(const QWidget& window, const QImage& picture) {
    QStringList out;
    find(window, picture.convertToFormat(QImage::Format_RGB32), out);
    return out;
}

} // namespace hidet::ui::test
