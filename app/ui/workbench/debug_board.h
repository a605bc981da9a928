// SPDX-License-Identifier: GPL-3.0-only
// What is known of debugging: the breakpoints of scripts, and where a kernel stands that is debugged. Editors, docks and the strip
// below the script show it and ask for more; run/debugger.h does what they ask for.
//
// Lines are 1-based. A breakpoint belongs to its script as long as that is open, whether or not something is debugged.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <QHash>
#include <QObject>
#include <QPointer>

#include "app/ui/document/document.h"

namespace hidet::ui {

struct Breakpoint {
    int line = 0;
    bool isPlaced = true; // false: no code of the kernel that is debugged comes at this line or below it
    QString condition{};  // empty: it stops each time
    QString mistake{};    // what the debugger has against it; empty: nothing
    friend bool operator==(const Breakpoint&, const Breakpoint&) = default;
};

struct DebugValue {
    QString name;
    QString value; // over the lanes of a warp, or the first elements
    QString type;
};

struct DebugStop {
    QString file; // as diagnostics name it
    int line = 0;
    QString why; // "at a breakpoint", or what was found
    bool isFinding = false;
    int group = 0;      // the one that is shown
    QList<int> groups;  // of warps that run together
    QStringList places; // of each of them: its block, its warps, how many of its threads run
    QString lanes;      // a sign for each lane of the warp that is shown
    std::vector<DebugValue> variables, shared;
};

// An element of a tensor that was asked for where the kernel stands.
struct DebugElement {
    QString asked;                   // as it was typed
    QString id{};                    // of data breakpoints; empty: there is no such element, and `said` says why
    QString said{};                  // its value, and who wrote it last
    std::optional<qint64> written{}; // the instruction that did; nothing: none did
};

class DebugBoard : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    // In the order of their lines.
    const std::vector<Breakpoint>& breakpoints(const Document& document) const {
        static const std::vector<Breakpoint> none;
        const auto found = m_breakpoints.constFind(&document);
        return found == m_breakpoints.constEnd() ? none : *found;
    }
    void toggleBreakpoint(const Document& document, int line) {
        std::vector<Breakpoint> now = breakpoints(document);
        if (std::erase_if(now, [line](const Breakpoint& each) { return each.line == line; }) == 0)
            now.push_back({line});
        setBreakpoints(document, std::move(now));
        emit breakpointsSet(&document);
    }
    // Of the breakpoint of a line, which there may be none at yet.
    void setCondition(const Document& document, int line, const QString& condition) {
        std::vector<Breakpoint> now = breakpoints(document);
        std::erase_if(now, [line](const Breakpoint& each) { return each.line == line; });
        now.push_back({line, true, condition, {}});
        setBreakpoints(document, std::move(now));
        emit breakpointsSet(&document);
    }
    const Breakpoint* breakpointAt(const Document& document, int line) const { // null: there is none
        const std::vector<Breakpoint>& all = breakpoints(document);
        const auto found = std::ranges::find(all, line, &Breakpoint::line);
        return found == all.end() ? nullptr : &*found;
    }
    // The same ones somewhere else: the text has moved, or code was found for them.
    void setBreakpoints(const Document& document, std::vector<Breakpoint> breakpoints) {
        std::ranges::sort(breakpoints, {}, &Breakpoint::line);
        const auto same = std::ranges::unique(breakpoints, {}, &Breakpoint::line);
        breakpoints.erase(same.begin(), same.end());
        if (breakpoints == this->breakpoints(document))
            return;
        m_breakpoints[&document] = std::move(breakpoints);
        emit breakpointsChanged(&document);
    }
    void forget(const Document& document) { m_breakpoints.remove(&document); }

    const Document* debugged() const { return m_debugged; }               // null: none
    const DebugStop* stop() const { return m_stop ? &*m_stop : nullptr; } // null: it runs, or nothing is debugged
    void begin(const Document& document) {
        m_debugged = &document;
        goOn();
    }
    void stand(DebugStop stop) {
        m_stop = std::move(stop);
        emit changed();
    }
    void goOn() {
        m_stop.reset();
        m_element.reset();
        emit changed();
    }
    void end() {
        m_debugged = nullptr;
        m_watched.clear();
        goOn();
    }

    const DebugElement* element() const { return m_element ? &*m_element : nullptr; } // null: none was asked for
    void setElement(DebugElement element) {
        m_element = std::move(element);
        emit changed();
    }
    const QStringList& watched() const { return m_watched; } // ids of elements: it stops before they are written
    void setWatched(const QString& id, bool isWatched) {
        m_watched.removeAll(id);
        if (isWatched)
            m_watched << id;
        emit watchedSet();
    }

signals:
    void breakpointsSet(const hidet::ui::Document* document); // by the user
    void breakpointsChanged(const hidet::ui::Document* document);
    void changed();
    void groupRequested(int group);             // to be shown
    void elementRequested(const QString& text); // who wrote it last
    void placeRequested(qint64 instruction);    // to stand there
    void watchedSet();                          // by the user

private:
    QHash<const Document*, std::vector<Breakpoint>> m_breakpoints;
    const Document* m_debugged = nullptr;
    std::optional<DebugStop> m_stop;
    std::optional<DebugElement> m_element;
    QStringList m_watched;
};

} // namespace hidet::ui
