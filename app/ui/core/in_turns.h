// SPDX-License-Identifier: GPL-3.0-only
// News that many parts of the window show: each of them is told in an event of its own, with keys and painting between, so that
// no event takes as long as all of them together. Those that are seen come first, of these the texts; who was not told yet
// when there are more news is told once.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>

#include <QBasicTimer>
#include <QObject>

namespace hidet::ui {

class StaggeredUpdates : public QObject {
    Q_OBJECT
public:
    enum class Rank { Text, Beside };
    using QObject::QObject;

    template <class Sender, class Receiver, class Slot>
    void follow(Sender* sender, std::initializer_list<void (Sender::*)()> news, Receiver* who, Slot slot,
                Rank rank = Rank::Beside) {
        const int number = add(
            who, [who, slot] { std::invoke(slot, who); }, rank);
        for (auto each : news)
            connect(sender, each, who, [this, number] { call(number); });
    }
    bool isIdle() const;
    bool isDue(const QObject* who) const; // it is told soon

protected:
    void timerEvent(QTimerEvent* event) override;

private:
    struct Listener {
        QObject* who = nullptr;
        std::function<void()> tell;
        Rank rank = Rank::Beside;
        bool isDue = false;
    };
    int add(QObject* who, std::function<void()> tell, Rank rank);
    void call(int number);
    Listener* next();

    std::map<int, Listener> m_listeners; // by number
    int m_number = 0;
    QBasicTimer m_timer;
};

} // namespace hidet::ui
