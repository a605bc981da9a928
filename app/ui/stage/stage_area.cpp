// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/stage/stage_area.h"

#include <QApplication>
#include <QJsonArray>
#include <QTabBar>
#include <QVBoxLayout>

namespace hidet::ui {

StageArea::StageArea(Studio& studio, QWidget* parent) : QWidget(parent), m_studio(studio) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        for (QWidget* widget = now; widget; widget = widget->parentWidget())
            if (auto* pane = qobject_cast<StagePane*>(widget); pane && isAncestorOf(pane)) {
                m_current = pane;
                m_studio.commands.refresh();
            }
    });
    Commands& commands = studio.commands;
    auto some = [this] { return current() != nullptr; };
    commands.bind(Command::PaneNew, this, [this] { open("ir")->setFocus(); });
    commands.bind(Command::PaneSplit, this, [this] { split(Qt::Horizontal)->setFocus(); });
    commands.bind(Command::PaneSplitDown, this, [this] { split(Qt::Vertical)->setFocus(); });
    commands.bind(
        Command::PaneClose, this, [this] { close(current()); }, some);
    connect(&studio, &Studio::stageWanted, this, [this](const StageName& stage) { show(stage)->setFocus(); });
    restore(of({{"ir"}, {"cuda"}}));
}

QTabWidget* StageArea::newGroup() {
    auto* group = new QTabWidget;
    group->setDocumentMode(true);
    group->setTabsClosable(true);
    group->setMovable(true);
    group->tabBar()->setAccessibleName(tr("Stage panes"));
    connect(group, &QTabWidget::tabCloseRequested, this,
            [this, group](int index) { close(qobject_cast<StagePane*>(group->widget(index))); });
    connect(group, &QTabWidget::currentChanged, this, [this, group] {
        if (auto* pane = qobject_cast<StagePane*>(group->currentWidget()))
            m_current = pane;
    });
    return group;
}

StagePane* StageArea::newPane(QTabWidget* group, const StageName& stage) {
    auto* pane = new StagePane(m_studio, stage);
    const int index = group->addTab(pane, pane->title());
    connect(pane, &StagePane::titleChanged, group,
            [group, pane] { group->setTabText(group->indexOf(pane), pane->title()); });
    group->setCurrentIndex(index);
    m_current = pane;
    return pane;
}

QList<StagePane*> StageArea::panes() const {
    QList<StagePane*> out;
    std::function<void(QWidget*)> walk = [&](QWidget* widget) {
        if (auto* splitter = qobject_cast<QSplitter*>(widget))
            for (int i = 0; i < splitter->count(); ++i)
                walk(splitter->widget(i));
        else if (auto* group = qobject_cast<QTabWidget*>(widget))
            for (int i = 0; i < group->count(); ++i)
                out << qobject_cast<StagePane*>(group->widget(i));
    };
    walk(m_root);
    return out;
}

StagePane* StageArea::current() const {
    if (m_current)
        return m_current;
    const QList<StagePane*> all = panes();
    return all.isEmpty() ? nullptr : all.first();
}

QTabWidget* StageArea::groupOf(const StagePane* pane) const {
    for (QWidget* widget = pane ? pane->parentWidget() : nullptr; widget; widget = widget->parentWidget())
        if (auto* group = qobject_cast<QTabWidget*>(widget))
            return group;
    return nullptr;
}

StagePane* StageArea::open(const StageName& stage) {
    QTabWidget* group = groupOf(current());
    if (!group) {
        restore(of({{stage}}));
        return current();
    }
    StagePane* pane = newPane(group, stage);
    emit panesChanged();
    m_studio.commands.refresh();
    return pane;
}

StagePane* StageArea::split(Qt::Orientation orientation) {
    QTabWidget* group = groupOf(current());
    const StageName stage = current() ? current()->stage() : StageName("ir");
    if (!group)
        return open(stage);
    QTabWidget* fresh = newGroup();
    auto* parent = qobject_cast<QSplitter*>(group->parentWidget());
    if (parent && parent->orientation() == orientation) {
        parent->insertWidget(parent->indexOf(group) + 1, fresh);
    } else {
        auto* splitter = new QSplitter(orientation);
        splitter->setChildrenCollapsible(false);
        if (parent) {
            const QList<int> sizes = parent->sizes();
            parent->replaceWidget(parent->indexOf(group), splitter);
            parent->setSizes(sizes);
        } else {
            layout()->replaceWidget(m_root, splitter);
            m_root = splitter;
        }
        splitter->addWidget(group);
        splitter->addWidget(fresh);
        group->show();
    }
    auto* splitter = qobject_cast<QSplitter*>(fresh->parentWidget());
    splitter->setSizes(QList<int>(splitter->count(), 1000));
    StagePane* pane = newPane(fresh, stage);
    emit panesChanged();
    m_studio.commands.refresh();
    return pane;
}

void StageArea::close(StagePane* pane) {
    QTabWidget* group = groupOf(pane);
    if (!group)
        return;
    const bool hadFocus = pane->isAncestorOf(QApplication::focusWidget());
    group->removeTab(group->indexOf(pane));
    if (m_current == pane)
        m_current = qobject_cast<StagePane*>(group->currentWidget());
    pane->hide();
    pane->deleteLater();
    removeIfEmpty(group);
    if (hadFocus && current())
        current()->setFocus();
    emit panesChanged();
    m_studio.commands.refresh();
}

// A splitter with one child gives its place to the child.
void StageArea::removeIfEmpty(QTabWidget* group) {
    if (group->count() > 0)
        return;
    auto* parent = qobject_cast<QSplitter*>(group->parentWidget());
    if (!parent)
        return; // the last group stays, empty
    group->setParent(nullptr);
    group->deleteLater();
    if (parent->count() != 1)
        return;
    QWidget* child = parent->widget(0);
    auto* above = qobject_cast<QSplitter*>(parent->parentWidget());
    if (above) {
        const QList<int> sizes = above->sizes();
        above->replaceWidget(above->indexOf(parent), child);
        above->setSizes(sizes);
    } else {
        layout()->replaceWidget(parent, child);
        m_root = child;
    }
    child->show();
    parent->setParent(nullptr);
    parent->deleteLater();
}

StagePane* StageArea::show(const StageName& stage) {
    for (StagePane* pane : panes())
        if (pane->stage() == stage) {
            groupOf(pane)->setCurrentWidget(pane);
            return pane;
        }
    StagePane* pane = current();
    if (!pane)
        return open(stage);
    pane->setStage(stage);
    groupOf(pane)->setCurrentWidget(pane);
    return pane;
}

QJsonObject StageArea::stateOf(const QWidget* widget) const {
    QJsonObject out;
    if (const auto* splitter = qobject_cast<const QSplitter*>(widget)) {
        QJsonArray children, sizes;
        for (int i = 0; i < splitter->count(); ++i)
            children.append(stateOf(splitter->widget(i)));
        for (int size : splitter->sizes())
            sizes.append(size);
        out["split"] = splitter->orientation() == Qt::Horizontal ? "right" : "down";
        out["children"] = children;
        out["sizes"] = sizes;
    } else if (const auto* group = qobject_cast<const QTabWidget*>(widget)) {
        QJsonArray panes;
        for (int i = 0; i < group->count(); ++i)
            panes.append(qobject_cast<StagePane*>(group->widget(i))->stage());
        out["panes"] = panes;
        out["current"] = group->currentIndex();
    }
    return out;
}

QJsonObject StageArea::state() const {
    return stateOf(m_root);
}

QJsonObject StageArea::of(const QList<QStringList>& groups) {
    QJsonArray children;
    for (const QStringList& panes : groups)
        children.append(QJsonObject{{"panes", QJsonArray::fromStringList(panes)}, {"current", 0}});
    return {{"split", "right"}, {"children", children}};
}

QWidget* StageArea::made(const QJsonObject& state) {
    const QJsonArray children = state["children"].toArray();
    if (children.size() == 1)
        return made(children.first().toObject());
    if (!children.isEmpty()) {
        auto* splitter = new QSplitter(state["split"] == "down" ? Qt::Vertical : Qt::Horizontal);
        splitter->setChildrenCollapsible(false);
        for (const QJsonValue& child : children)
            splitter->addWidget(made(child.toObject()));
        QList<int> sizes;
        for (const QJsonValue& size : state["sizes"].toArray())
            sizes << size.toInt();
        splitter->setSizes(sizes.size() == splitter->count() ? sizes : QList<int>(splitter->count(), 1000));
        return splitter;
    }
    QTabWidget* group = newGroup();
    for (const QJsonValue& pane : state["panes"].toArray())
        if (!pane.toString().isEmpty())
            newPane(group, pane.toString());
    if (group->count() == 0)
        newPane(group, "ir");
    group->setCurrentIndex(std::clamp(state["current"].toInt(), 0, group->count() - 1));
    return group;
}

void StageArea::restore(const QJsonObject& state) {
    QWidget* old = m_root;
    m_root = made(state);
    if (old) {
        layout()->replaceWidget(old, m_root);
        old->hide();
        old->deleteLater();
    } else {
        layout()->addWidget(m_root);
    }
    m_root->show();
    const QList<StagePane*> all = panes();
    m_current = all.isEmpty() ? nullptr : all.first();
    emit panesChanged();
    m_studio.commands.refresh();
}

} // namespace hidet::ui
