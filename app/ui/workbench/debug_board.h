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
        emit changed();
    }
    void end() {
        m_debugged = nullptr;
        goOn();
    }

signals:
    void breakpointsSet(const hidet::ui::Document* document); // by the user
    void breakpointsChanged(const hidet::ui::Document* document);
    void changed();
    void groupRequested(int group); // to be shown

private:
    QHash<const Document*, std::vector<Breakpoint>> m_breakpoints;
    const Document* m_debugged = nullptr;
    std::optional<DebugStop> m_stop;
};

} // namespace hidet::ui
