// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/dock_layout.h"

#include <algorithm>

#include <QJsonArray>
#include <QTabBar>

#include "app/ui/docks/docks.h"

namespace hidet::ui {

namespace {

struct Area {
    const char* name;
    Qt::DockWidgetArea area;
    Qt::Orientation along; // in which groups stand beside each other
};
constexpr Area areas[] = {{"bottom", Qt::BottomDockWidgetArea, Qt::Horizontal},
                          {"left", Qt::LeftDockWidgetArea, Qt::Vertical},
                          {"right", Qt::RightDockWidgetArea, Qt::Vertical},
                          {"top", Qt::TopDockWidgetArea, Qt::Horizontal}};

struct Group {
    QList<QDockWidget*> tabs;
    QDockWidget* front = nullptr;
    int bar = 0; // the height of its tabs, which counts where docks are given a size
};

int lengthOf(const QWidget& widget, Qt::Orientation orientation) {
    return orientation == Qt::Horizontal ? widget.width() : widget.height();
}

int lengthOf(const Group& group, Qt::Orientation orientation) {
    return lengthOf(*group.front, orientation) + (orientation == Qt::Vertical ? group.bar : 0);
}

int percentOf(int part, int whole) {
    return whole > 0 ? std::clamp((part * 200 + whole) / (2 * whole), 1, 100) : 0;
}

// Of Qt's own bar of tabs, which is there once the window has been laid out.
Group groupOf(const QMainWindow& window, QDockWidget& dock) {
    for (const QTabBar* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        Group out;
        for (int i = 0; i < bar->count(); ++i)
            for (QDockWidget* each : window.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
                if (reinterpret_cast<quintptr>(each) == bar->tabData(i).value<quintptr>() && !each->isHidden()) {
                    out.tabs << each;
                    if (i == bar->currentIndex())
                        out.front = each;
                }
        out.bar = bar->height();
        if (out.tabs.contains(&dock))
            return out;
    }
    Group out{{&dock}, &dock, 0};
    for (QDockWidget* other : window.tabifiedDockWidgets(&dock))
        if (!other->isHidden())
            out.tabs << other;
    return out;
}

QList<Group> groupsOf(const QMainWindow& window, const DocksById& docks, const Area& area) {
    QList<Group> out;
    for (const DockInfo& info : allDocks()) {
        QDockWidget* dock = docks.value(info.id);
        const auto has = [&](const Group& group) { return group.tabs.contains(dock); };
        if (dock->isHidden() || dock->isFloating() || window.dockWidgetArea(dock) != area.area ||
            std::any_of(out.begin(), out.end(), has))
            continue;
        out << groupOf(window, *dock);
        if (!out.last().front)
            out.last().front = out.last().tabs.first();
    }
    const auto at = [&](const Group& group) {
        return area.along == Qt::Horizontal ? group.front->x() : group.front->y();
    };
    std::stable_sort(out.begin(), out.end(), [&](const Group& a, const Group& b) { return at(a) < at(b); });
    return out;
}

// Behind the groups that the area has.
QDockWidget* placeGroup(QMainWindow& window, const DocksById& docks, const Area& area, const QJsonObject& group) {
    QDockWidget* first = nullptr;
    for (const QJsonValue& tab : group["tabs"].toArray()) {
        QDockWidget* dock = docks.value(tab.toString());
        if (!dock)
            continue;
        window.addDockWidget(area.area, dock);
        if (first)
            window.tabifyDockWidget(first, dock);
        first = first ? first : dock;
        dock->show();
    }
    return first;
}

// What is not shown is a tab of what is: opened later, it needs no room of its own.
void tabifyHidden(QMainWindow& window, const DocksById& docks, const Area& area, QDockWidget* shown) {
    QDockWidget* first = shown;
    for (const DockInfo& info : allDocks()) {
        QDockWidget* dock = docks.value(info.id);
        if (!dock->isHidden() || window.dockWidgetArea(dock) != area.area)
            continue;
        if (first)
            window.tabifyDockWidget(first, dock);
        first = first ? first : dock;
    }
}

void raiseFronts(const DocksById& docks, const QJsonArray& groups) {
    for (const QJsonValue& group : groups)
        if (QDockWidget* front = docks.value(group["front"].toString()); front && !front->isHidden())
            front->raise();
}

void placeArea(QMainWindow& window, const DocksById& docks, const Area& area, const QJsonObject& state) {
    QList<QDockWidget*> firsts;
    QList<int> lengths;
    const QJsonArray groups = state["groups"].toArray();
    for (const QJsonValue& each : groups) {
        const QJsonObject group = each.toObject();
        QDockWidget* first = placeGroup(window, docks, area, group);
        if (!first)
            continue;
        firsts << first;
        lengths << std::clamp(group["share"].toInt(100), 1, 100) * lengthOf(window, area.along) / 100;
    }
    tabifyHidden(window, docks, area, firsts.value(0));
    raiseFronts(docks, groups);
    if (firsts.isEmpty())
        return;
    const Qt::Orientation across = area.along == Qt::Horizontal ? Qt::Vertical : Qt::Horizontal;
    const int size = std::clamp(state["size"].toInt(25), 1, 90) * lengthOf(window, across) / 100;
    window.resizeDocks({firsts.first()}, {size}, across);
    if (firsts.size() > 1)
        window.resizeDocks(firsts, lengths, area.along);
}

} // namespace

QJsonObject shownDocks(const QMainWindow& window, const DocksById& docks) {
    QJsonObject out;
    for (const Area& area : areas) {
        const QList<Group> all = groupsOf(window, docks, area);
        int whole = 0;
        for (const Group& group : all)
            whole += lengthOf(group, area.along);
        QJsonArray groups;
        for (const Group& group : all) {
            QJsonArray tabs;
            for (const QDockWidget* dock : group.tabs)
                tabs << docks.key(const_cast<QDockWidget*>(dock));
            groups << QJsonObject{{"tabs", tabs},
                                  {"front", docks.key(group.front)},
                                  {"share", percentOf(lengthOf(group, area.along), whole)}};
        }
        if (groups.isEmpty())
            continue;
        const Qt::Orientation across = area.along == Qt::Horizontal ? Qt::Vertical : Qt::Horizontal;
        out[area.name] = QJsonObject{{"groups", groups},
                                     {"size", percentOf(lengthOf(all.first(), across), lengthOf(window, across))}};
    }
    QJsonArray floating;
    for (const DockInfo& info : allDocks())
        if (QDockWidget* dock = docks.value(info.id); dock->isFloating() && !dock->isHidden())
            floating << info.id;
    if (!floating.isEmpty())
        out["floating"] = floating;
    return out;
}

void placeDocks(QMainWindow& window, const DocksById& docks, const QJsonObject& shown) {
    for (const DockInfo& info : allDocks()) {
        QDockWidget* dock = docks.value(info.id);
        dock->setFloating(false);
        window.addDockWidget(info.area == DockArea::bottom ? Qt::BottomDockWidgetArea : Qt::RightDockWidgetArea, dock);
        dock->hide();
    }
    for (const Area& area : areas)
        placeArea(window, docks, area, shown[area.name].toObject());
    for (const QJsonValue& each : shown["floating"].toArray())
        if (QDockWidget* dock = docks.value(each.toString())) {
            dock->setFloating(true);
            dock->show();
        }
}

QStringList dockNames(const QJsonObject& shown) {
    QStringList out;
    for (const QJsonValue& each : shown["floating"].toArray())
        out << each.toString();
    for (const Area& area : areas)
        for (const QJsonValue& group : shown[area.name]["groups"].toArray())
            for (const QJsonValue& tab : group["tabs"].toArray())
                out << tab.toString();
    return out;
}

} // namespace hidet::ui
