// SPDX-License-Identifier: GPL-3.0-only
// One line of truth about the last run, as parts that a strip lays out and a screen reader hears as a sentence. No widgets.
#pragma once

#include <vector>

#include <QString>

#include "app/session/live/explained.h"
#include "app/ui/run/run_report.h"

namespace hidet::ui {

enum class VerdictTone { Plain, Ok, Warning, Error, Muted };
enum class VerdictDetail {
    Nothing,
    Place,
    Output,
    Results,
    Kernels,
    Distribution,
    Roofline,
    History,
    Advice,
    Emulate, // runs it on the emulator
};

struct VerdictPart {
    QString id = {};   // "verdict", "time", "roof", "rate", "registers", "shared", "occupancy", "delta", "advice",
                       // "unchecked", "bounds", "machine", "schedules"
    QString text = {}; // "41.2 us +- 0.3"
    QString hint = {}; // the whole of it, in a sentence
    QString icon = {}; // a glyph beside the words; empty: none
    VerdictTone tone = VerdictTone::Plain;
    VerdictDetail detail = VerdictDetail::Nothing;
    session::Place place = {}; // of VerdictDetail::Place
    int weight = 0;            // parts with the least go first where there is no room
    bool predicted = false;    // drawn in italics, with a tilde
};

struct VerdictLine {
    std::vector<VerdictPart> parts; // empty: it has not been run
    bool stale = false;
    QString sentence; // all of it
};

// `explained`: what is known of the kernels of the text; null: nothing.
VerdictLine verdictLine(const RunReport& report, const session::RunRecord* baseline,
                        const session::Explained* explained, bool stale);

VerdictPart stoppedPart(double seconds); // of a run that was stopped after that long

QString indexText(const std::vector<std::int64_t>& index); // "[63, 95]"

} // namespace hidet::ui
