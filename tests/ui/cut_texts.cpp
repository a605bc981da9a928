// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/cut_texts.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QStyleOptionComboBox>
#include <QStyleOptionTab>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

#include "app/ui/widgets/elided_label.h"

namespace hidet::ui::test {

namespace {

QString sized(const QString& text, const QString& room, int needed, int given) {
    return QString("%1 '%2' needs %3 of %4").arg(room, text.left(60)).arg(needed).arg(given);
}

QStringList inLabel(const QLabel& label) {
    if (label.text().isEmpty() || dynamic_cast<const ElidedLabel*>(&label)) // which says all in its tooltip
        return {};
    if (label.wordWrap()) {
        const int needed = label.heightForWidth(label.width());
        return needed > label.height() ? QStringList(sized(label.text(), "height of", needed, label.height()))
                                       : QStringList();
    }
    const QSize needed = label.sizeHint();
    if (needed.width() > label.width() && label.toolTip().isEmpty())
        return {sized(label.text(), "width of", needed.width(), label.width())};
    if (needed.height() > label.height())
        return {sized(label.text(), "height of", needed.height(), label.height())};
    return {};
}

QStringList inButton(const QAbstractButton& button) {
    const auto* tool = qobject_cast<const QToolButton*>(&button);
    if (button.text().isEmpty() || (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly))
        return {};
    const QSize needed = button.sizeHint();
    if (needed.width() > button.width())
        return {sized(button.text(), "width of", needed.width(), button.width())};
    if (needed.height() > button.height())
        return {sized(button.text(), "height of", needed.height(), button.height())};
    return {};
}

QStringList inBox(const QComboBox& box) {
    QStyleOptionComboBox option;
    option.initFrom(&box);
    const int room =
        box.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box).width();
    const int needed = box.fontMetrics().horizontalAdvance(box.currentText());
    return needed > room && box.toolTip().isEmpty() ? QStringList(sized(box.currentText(), "width of", needed, room))
                                                    : QStringList();
}

// What a field invites to; what a user writes in it may be longer.
QStringList inField(const QLineEdit& field) {
    if (!field.text().isEmpty() || field.placeholderText().isEmpty())
        return {};
    const int needed = field.fontMetrics().horizontalAdvance(field.placeholderText());
    return needed > field.width() && field.toolTip().isEmpty()
               ? QStringList(sized(field.placeholderText(), "width of", needed, field.width()))
               : QStringList();
}

QStringList inTabs(const QTabBar& bar) {
    struct Open : QTabBar { // what the bar tells its style
        using QTabBar::initStyleOption;
    };
    QStringList out;
    for (int i = 0; i < bar.count(); ++i) {
        if (!bar.isTabVisible(i))
            continue;
        QStyleOptionTab option;
        (bar.*(&Open::initStyleOption))(&option, i);
        const int room = bar.style()->subElementRect(QStyle::SE_TabBarTabText, &option, &bar).width();
        const int needed = bar.fontMetrics().size(Qt::TextShowMnemonic, bar.tabText(i)).width();
        if (needed > room && bar.tabToolTip(i).isEmpty())
            out << sized(bar.tabText(i), "tab", needed, room);
    }
    return out;
}

QStringList inHeader(const QHeaderView& header) {
    QStringList out;
    for (int at = 0; at < header.count(); ++at) {
        const QString text = header.model()->headerData(at, header.orientation()).toString();
        const QString tip = header.model()->headerData(at, header.orientation(), Qt::ToolTipRole).toString();
        if (header.isSectionHidden(at) || text.isEmpty() || !tip.isEmpty())
            continue;
        if (header.sectionSizeHint(at) > header.sectionSize(at))
            out << sized(text, "column", header.sectionSizeHint(at), header.sectionSize(at));
    }
    return out;
}

QStringList inCells(const QAbstractItemView& view) {
    QStringList out;
    const QRect seen = view.viewport()->rect();
    for (int y = 1; y < seen.height();) {
        const QModelIndex first = view.indexAt({1, y});
        if (!first.isValid())
            break;
        for (int column = 0; column < view.model()->columnCount(first.parent()); ++column) {
            const QModelIndex index = first.siblingAtColumn(column);
            const QRect room = view.visualRect(index);
            const QString text = index.data().toString();
            if (room.isEmpty() || text.isEmpty() || view.indexWidget(index))
                continue;
            const int needed = view.sizeHintForIndex(index).width();
            if (needed > room.width() && index.data(Qt::ToolTipRole).toString().isEmpty())
                out << sized(text, "cell", needed, room.width());
        }
        y = std::max(y + 1, view.visualRect(first).bottom() + 2);
    }
    return out;
}

} // namespace

QStringList cutTextsOf(const QWidget& widget) {
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        return inLabel(*label);
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        return inButton(*button);
    if (const auto* box = qobject_cast<const QComboBox*>(&widget))
        return inBox(*box);
    if (const auto* field = qobject_cast<const QLineEdit*>(&widget))
        return inField(*field);
    if (const auto* bar = qobject_cast<const QTabBar*>(&widget))
        return inTabs(*bar);
    const auto* view = qobject_cast<const QAbstractItemView*>(&widget);
    if (!view || !view->model())
        return {};
    QStringList out = inCells(*view);
    for (const auto* header : view->findChildren<QHeaderView*>())
        if (header->isVisible())
            out << inHeader(*header);
    return out;
}

} // namespace hidet::ui::test
