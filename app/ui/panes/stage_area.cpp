// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/stage_area.h"

#include <functional>

#include <QApplication>
#include <QDragEnterEvent>
#include <QJsonArray>
#include <QMenu>
#include <QMimeData>

#include "app/ui/core/words.h"
#include "app/ui/panes/figure_pane.h"
#include "app/ui/panes/instantiation_bar.h"
#include "app/ui/panes/link_commands.h"
#include "app/ui/panes/pane_commands.h"
#include "app/ui/panes/pass_commands.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

StageArea::StageArea(Studio& studio, QWidget* parent) : QWidget(parent), m_studio(studio) {
    setAcceptDrops(true);
    m_dropMark->hide();
    m_dropMark->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_dropMark->setAutoFillBackground(true);
    newColumn(this, {new InstantiationBar(studio, this)});
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        for (QWidget* widget = now; widget; widget = widget->parentWidget())
            if (auto* pane = qobject_cast<Pane*>(widget); pane && isAncestorOf(pane))
                return setCurrent(pane);
    });
    connect(&studio.stages, &StageHub::stageRequested, this,
            [this](const StageName& stage, int line, int begin, int end) {
                StagePane* pane = find(stage);
                if (!pane)
                    pane = stage.isIr() ? showIr(stage) : qobject_cast<StagePane*>(open(stage.key()));
                raise(pane);
                if (stage.isIr() && line == 0)
                    setCurrent(pane);
                pane->reveal(line, begin, end);
                if (line > 0)
                    pane->setFocus();
            });
    connect(&studio.scripts, &LiveScripts::caretMoved, this, [this](const Document* document, int offset) {
        m_caretLine = static_cast<int>(document->text().left(offset).count('\n')) + 1;
        for (Pane* pane : panes())
            if (auto* comparison = qobject_cast<DiffPane*>(pane))
                comparison->setCaretLine(m_caretLine);
    });
    bindPaneCommands(*this, studio);
    bindPassCommands(*this, studio);
    bindLinkCommands(*this, studio);
    connect(&studio.stages, &StageHub::comparisonRequested, this, [this](const QString& left, const QString& right) {
        raise(compare(DiffSide::of(left), DiffSide::of(right)));
    });
    connect(&studio.stages, &StageHub::textComparisonRequested, this, [this](int number, const QString& title) {
        if (const PinnedText* kept = m_studio.stages.pinned(number))
            raise(compare(DiffSide::ofPinned(number, kept->stage), DiffSide::ofScript(title)));
    });
    connect(&studio.stages, &StageHub::figureRequested, this,
            [this](const QString& figure) { open(FigurePane::stateOf(figure))->setFocus(); });
    connect(&studio.requests, &ViewRequests::stageRequested, this, [this](const StageName& stage) {
        if (!m_studio.tabs.model()) // whose operators have a dock for their code
            (stage.isIr() ? showIr(stage) : show(stage))->setFocus();
    });
    restore(of({{StageName::lowered()}, {session::Form::Cuda}}));
}

void StageArea::changed() {
    emit panesChanged();
    m_studio.commands.refresh();
}

void StageArea::setCurrent(Pane* pane) {
    m_current = pane;
    if (auto* stage = qobject_cast<StagePane*>(pane)) {
        if (stage->stage().isIr())
            m_lastIr = stage;
        m_studio.stages.setShown(stage->stage());
    }
    m_studio.commands.refresh();
}

PaneGroup* StageArea::newGroup() {
    auto* group = new PaneGroup;
    connect(group, &QTabWidget::tabCloseRequested, this, [this, group](int index) { close(group->pane(index)); });
    connect(group, &PaneGroup::menuRequested, this, &StageArea::showMenu);
    connect(group, &QTabWidget::currentChanged, this, [this, group] {
        if (group->currentPane() && isAncestorOf(group))
            setCurrent(group->currentPane());
    });
    return group;
}

// What a layout of another version has may be no stage of this one.
static StageName stageOf(const QString& key) {
    const StageName stage = StageName::ofKey(key);
    return stage.isEmpty() ? StageName::lowered() : stage;
}

Pane* StageArea::madePane(const QString& state) {
    if (state.startsWith("diff:")) {
        auto* comparison = new DiffPane(m_studio, state);
        comparison->setCaretLine(m_caretLine);
        return comparison;
    }
    if (state.startsWith("figure:") && m_studio.makeFigure)
        if (const Figure figure = m_studio.makeFigure(state.section(':', 1)); figure.content)
            return new FigurePane(figure);
    if (!state.startsWith("pin:"))
        return new StagePane(m_studio, stageOf(state));
    auto* pane = new StagePane(m_studio, stageOf(state.section(':', 2)));
    pane->showPinned(state.section(':', 1, 1).toInt());
    return pane;
}

Pane* StageArea::newPane(PaneGroup* group, const QString& state) {
    Pane* pane = madePane(state);
    connect(pane, &Pane::titleChanged, this, [this, pane] {
        if (PaneGroup* now = groupOf(pane))
            now->nameTab(pane);
        if (pane == m_current)
            setCurrent(pane);
    });
    group->add(pane);
    return pane;
}

QList<PaneGroup*> StageArea::groups() const {
    QList<PaneGroup*> out;
    std::function<void(QWidget*)> walk = [&](QWidget* widget) {
        if (auto* splitter = qobject_cast<QSplitter*>(widget))
            for (int i = 0; i < splitter->count(); ++i)
                walk(splitter->widget(i));
        else if (auto* group = qobject_cast<PaneGroup*>(widget))
            out << group;
    };
    walk(m_root);
    return out;
}

QList<Pane*> StageArea::panes() const {
    QList<Pane*> out;
    for (PaneGroup* group : groups())
        for (int i = 0; i < group->count(); ++i)
            out << group->pane(i);
    return out;
}

QList<StagePane*> StageArea::stagePanes() const {
    QList<StagePane*> out;
    for (Pane* pane : panes())
        if (auto* stage = qobject_cast<StagePane*>(pane))
            out << stage;
    return out;
}

Pane* StageArea::current() const {
    if (m_current)
        return m_current;
    const QList<Pane*> all = panes();
    return all.isEmpty() ? nullptr : all.first();
}

StagePane* StageArea::currentStage() const {
    return qobject_cast<StagePane*>(current());
}

PaneGroup* StageArea::groupOf(const Pane* pane) const {
    for (QWidget* widget = pane ? pane->parentWidget() : nullptr; widget; widget = widget->parentWidget())
        if (auto* group = qobject_cast<PaneGroup*>(widget))
            return group;
    return nullptr;
}

Pane* StageArea::figure(const QString& id) const {
    const QList<Pane*> all = panes();
    const auto found = std::ranges::find(all, FigurePane::stateOf(id), &Pane::state);
    return found == all.end() ? nullptr : *found;
}

Pane* StageArea::open(const QString& state) {
    if (Pane* pane = state.startsWith("figure:") ? figure(state.section(':', 1)) : nullptr) {
        raise(pane);
        return pane;
    }
    PaneGroup* group = groupOf(current());
    if (!group) {
        restore({{"panes", QJsonArray{state}}, {"current", 0}});
        return current();
    }
    Pane* pane = newPane(group, state);
    setCurrent(pane);
    changed();
    return pane;
}

PaneGroup* StageArea::groupBeside(PaneGroup* group, Qt::Edge edge) {
    const bool sideways = edge == Qt::LeftEdge || edge == Qt::RightEdge;
    const int after = edge == Qt::RightEdge || edge == Qt::BottomEdge;
    const Qt::Orientation orientation = sideways ? Qt::Horizontal : Qt::Vertical;
    PaneGroup* fresh = newGroup();
    auto* splitter = qobject_cast<QSplitter*>(group->parentWidget());
    if (!splitter || splitter->orientation() != orientation) {
        auto* inner = new QSplitter(orientation);
        inner->setChildrenCollapsible(false);
        if (splitter) {
            const QList<int> sizes = splitter->sizes();
            splitter->replaceWidget(splitter->indexOf(group), inner);
            splitter->setSizes(sizes);
        } else {
            delete layout()->replaceWidget(m_root, inner);
            m_root = inner;
        }
        inner->addWidget(group);
        group->show();
        inner->show();
        splitter = inner;
    }
    // The new one takes half of its neighbour; the others stay as they are.
    QList<int> sizes = splitter->sizes();
    const int at = splitter->indexOf(group);
    splitter->insertWidget(at + after, fresh);
    const int half = std::max(1, sizes[at] / 2);
    sizes[at] = half;
    sizes.insert(at + after, half);
    splitter->setSizes(sizes.size() > 2 ? sizes : QList<int>{1000, 1000});
    return fresh;
}

Pane* StageArea::split(Qt::Orientation orientation) {
    PaneGroup* group = groupOf(current());
    const QString state = current() ? current()->state() : StageName::lowered().key();
    if (!group)
        return open(state);
    const Qt::Edge edge = orientation == Qt::Horizontal ? Qt::RightEdge : Qt::BottomEdge;
    if (state.startsWith("figure:")) {
        moveToEdge(current(), group, edge);
        return current();
    }
    Pane* pane = newPane(groupBeside(group, edge), state);
    setCurrent(pane);
    changed();
    return pane;
}

void StageArea::close(Pane* pane) {
    PaneGroup* group = groupOf(pane);
    if (!group)
        return;
    const bool hadFocus = pane->isAncestorOf(QApplication::focusWidget());
    group->removeTab(group->indexOf(pane));
    if (m_current == pane)
        m_current = group->currentPane();
    pane->hide();
    pane->deleteLater();
    removeIfEmpty(group);
    if (hadFocus && current())
        current()->setFocus();
    changed();
}

void StageArea::move(Pane* pane, PaneGroup* group, int index) {
    PaneGroup* from = groupOf(pane);
    if (!from || !group || (from == group && index < 0))
        return;
    from->removeTab(from->indexOf(pane));
    group->add(pane, index);
    removeIfEmpty(from);
    setCurrent(pane);
    pane->setFocus();
    changed();
}

void StageArea::moveToEdge(Pane* pane, PaneGroup* beside, Qt::Edge edge) {
    if (!groupOf(pane) || (groupOf(pane) == beside && beside->count() == 1))
        return; // it would stand where it stands
    move(pane, groupBeside(beside, edge));
}

// A splitter with one child gives its place to the child.
void StageArea::removeIfEmpty(PaneGroup* group) {
    if (group->count() > 0)
        return;
    auto* parent = qobject_cast<QSplitter*>(group->parentWidget());
    if (!parent)
        return; // the last group stays, empty
    group->hide();
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
        delete layout()->replaceWidget(parent, child);
        m_root = child;
    }
    child->show();
    parent->setParent(nullptr);
    parent->deleteLater();
}

void StageArea::raise(Pane* pane) {
    if (PaneGroup* group = groupOf(pane))
        group->setCurrentWidget(pane);
}

StagePane* StageArea::find(const StageName& stage) const {
    for (StagePane* pane : stagePanes())
        if (pane->stage() == stage && !pane->isPinned())
            return pane;
    return nullptr;
}

StagePane* StageArea::show(const StageName& stage) {
    if (StagePane* pane = find(stage)) {
        raise(pane);
        setCurrent(pane);
        return pane;
    }
    StagePane* pane = currentStage();
    if (!pane || pane->isPinned())
        return qobject_cast<StagePane*>(open(stage.key()));
    pane->setStage(stage);
    raise(pane);
    return pane;
}

StagePane* StageArea::showIr(const StageName& stage) {
    auto isFree = [](const StagePane* pane) { return pane && pane->stage().isIr() && !pane->isPinned(); };
    StagePane* pane = isFree(m_lastIr) ? m_lastIr.data() : nullptr;
    for (StagePane* other : stagePanes())
        if (!pane && isFree(other))
            pane = other;
    if (!pane)
        pane = qobject_cast<StagePane*>(open(stage.key()));
    m_lastIr = pane;
    pane->setStage(stage);
    // A comparison that follows the passes shows more of the step than the pane behind it.
    const auto* comparison = qobject_cast<DiffPane*>(groupOf(pane)->currentPane());
    if (!comparison || !comparison->followsPasses())
        raise(pane);
    m_studio.stages.setShown(stage);
    return pane;
}

// Two columns need room.
bool StageArea::isNarrow() const {
    const PaneGroup* group = groupOf(current());
    return group && group->width() < 70 * QFontMetrics(m_studio.themes.codeFont()).averageCharWidth();
}

DiffPane* StageArea::compare(const DiffSide& left, const DiffSide& right) {
    DiffPane* pane = qobject_cast<DiffPane*>(current());
    for (Pane* other : panes())
        if (!pane)
            pane = qobject_cast<DiffPane*>(other);
    if (pane)
        pane->setSides(left, right);
    else
        pane = qobject_cast<DiffPane*>(open(DiffPane::stateOf(isNarrow(), left, right)));
    raise(pane);
    return pane;
}

void StageArea::showMenu(Pane* pane, const QPoint& at) {
    setCurrent(pane);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName("pane.menu");
    auto add = [&](std::initializer_list<Command> commands) {
        for (Command command : commands)
            menu->addAction(m_studio.commands.action(command));
        menu->addSeparator();
    };
    add({Command::PaneSplit, Command::PaneSplitDown, Command::PaneDuplicate, Command::PaneMove, Command::PanePin});
    add({Command::PaneEdit, Command::PaneCopyAll, Command::PaneSaveText, Command::PanePicture, Command::FileExport});
    add({Command::PaneClose, Command::PaneCloseOthers});
    menu->popup(at);
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
    } else if (const auto* group = qobject_cast<const PaneGroup*>(widget)) {
        QJsonArray panes;
        for (int i = 0; i < group->count(); ++i)
            panes.append(group->pane(i)->state());
        out["panes"] = panes;
        out["current"] = group->currentIndex();
    }
    return out;
}

QJsonObject StageArea::of(const QList<QList<StageName>>& groups) {
    QJsonArray children;
    for (const QList<StageName>& stages : groups) {
        QJsonArray panes;
        for (const StageName& stage : stages)
            panes.append(stage.key());
        children.append(QJsonObject{{"panes", panes}, {"current", 0}});
    }
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
        const QList<int> sizes = listOf(state["sizes"].toArray(), [](const QJsonValue& size) { return size.toInt(); });
        splitter->setSizes(sizes.size() == splitter->count() ? sizes : QList<int>(splitter->count(), 1000));
        return splitter;
    }
    PaneGroup* group = newGroup();
    for (const QJsonValue& pane : state["panes"].toArray())
        if (!pane.toString().isEmpty())
            newPane(group, pane.toString());
    if (group->count() == 0)
        newPane(group, StageName::lowered().key());
    group->setCurrentIndex(std::clamp(state["current"].toInt(), 0, group->count() - 1));
    return group;
}

void StageArea::restore(const QJsonObject& state) {
    QWidget* old = m_root;
    m_root = made(state);
    if (old) {
        delete layout()->replaceWidget(old, m_root);
        old->hide();
        old->deleteLater();
    } else {
        layout()->addWidget(m_root);
    }
    m_root->show();
    const QList<PaneGroup*> all = groups();
    m_lastIr = nullptr;
    setCurrent(all.isEmpty() ? nullptr : all.first()->currentPane());
    changed();
}

// What a drag would do where it is: an edge of a group makes a group there, the rest of it takes the tab.
StageArea::Target StageArea::targetAt(const QPoint& point) const {
    for (PaneGroup* group : groups()) {
        const QRect area(group->mapTo(const_cast<StageArea*>(this), QPoint()), group->size());
        if (!area.contains(point))
            continue;
        const QPoint at = point - area.topLeft();
        const int width = area.width() / 4, height = area.height() / 4;
        if (at.x() < width)
            return {group, Qt::LeftEdge, area.adjusted(0, 0, -area.width() / 2, 0)};
        if (at.x() >= area.width() - width)
            return {group, Qt::RightEdge, area.adjusted(area.width() / 2, 0, 0, 0)};
        if (at.y() >= area.height() - height)
            return {group, Qt::BottomEdge, area.adjusted(0, area.height() / 2, 0, 0)};
        return {group, {}, area};
    }
    return {};
}

void StageArea::dragEnterEvent(QDragEnterEvent* event) {
    if (!event->mimeData()->hasFormat(PaneGroup::mime_type))
        return;
    m_dragged = qobject_cast<Pane*>(event->source());
    if (m_dragged && groupOf(m_dragged))
        event->acceptProposedAction();
}

void StageArea::dragMoveEvent(QDragMoveEvent* event) {
    const Target target = targetAt(event->position().toPoint());
    m_dropMark->setVisible(target.group);
    if (!target.group)
        return event->ignore();
    QColor color = m_studio.themes.theme().accent;
    color.setAlpha(60);
    QPalette palette;
    palette.setColor(QPalette::Window, color);
    m_dropMark->setPalette(palette);
    m_dropMark->setGeometry(target.area);
    m_dropMark->raise();
    event->acceptProposedAction();
}

void StageArea::dropEvent(QDropEvent* event) {
    m_dropMark->hide();
    const Target target = targetAt(event->position().toPoint());
    if (!target.group || !m_dragged)
        return;
    event->acceptProposedAction();
    if (target.edge)
        moveToEdge(m_dragged, target.group, *target.edge);
    else
        move(m_dragged, target.group);
}

} // namespace hidet::ui
