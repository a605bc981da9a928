// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/in_turns.h"

#include <algorithm>
#include <utility>

#include <QWidget>

#include "app/ui/core/application.h"

namespace hidet::ui {

static bool isSeen(const QObject* who) {
    const auto* widget = qobject_cast<const QWidget*>(who);
    return !widget || widget->isVisible();
}

int StaggeredUpdates::add(QObject* who, std::function<void()> tell, Rank rank) {
    const int number = ++m_number;
    m_listeners[number] = {who, std::move(tell), rank, false};
    connect(who, &QObject::destroyed, this, [this, number] { m_listeners.erase(number); });
    return number;
}

void StaggeredUpdates::call(int number) {
    m_listeners.at(number).isDue = true;
    if (!m_timer.isActive())
        m_timer.start(0, this);
}

StaggeredUpdates::Listener* StaggeredUpdates::next() {
    Listener* first = nullptr;
    const auto order = [](const Listener& one) { return std::pair(!isSeen(one.who), one.rank); };
    for (auto& [number, one] : m_listeners)
        if (one.isDue && (!first || order(one) < order(*first)))
            first = &one;
    return first;
}

void StaggeredUpdates::timerEvent(QTimerEvent*) {
    if (Listener* told = next()) {
        told->isDue = false;
        const auto tell = told->tell; // which may be its end
        if (auto* application = qobject_cast<Application*>(qApp))
            application->passesTo(told->who);
        tell();
    }
    if (isIdle())
        m_timer.stop();
}

bool StaggeredUpdates::isIdle() const {
    return std::ranges::none_of(m_listeners, [](const auto& each) { return each.second.isDue; });
}

bool StaggeredUpdates::isDue(const QObject* who) const {
    return std::ranges::any_of(m_listeners,
                               [&](const auto& each) { return each.second.isDue && each.second.who == who; });
}

} // namespace hidet::ui
