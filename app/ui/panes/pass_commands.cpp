// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/pass_commands.h"

#include <algorithm>

namespace hidet::ui {

namespace {

const std::vector<session::PassSnapshot>& passesOf(const Studio& studio) {
    static const std::vector<session::PassSnapshot> none;
    const LivePipeline* live = studio.scripts.live();
    return live ? live->board().passes(live->module()) : none;
}

// The script's own IR counts as a step, and as one that changed something.
void step(StageArea& area, Studio& studio, int direction, bool onlyChanged) {
    const auto& passes = passesOf(studio);
    const int last = static_cast<int>(passes.size()) - 1;
    for (int number = shownPass(passes, studio.stages.shownIr()) + direction; number >= 0 && number <= last;
         number += direction) {
        const session::PassSnapshot& pass = passes[static_cast<std::size_t>(number)];
        if (onlyChanged && !pass.changed && number > 0)
            continue;
        const StageName stage = nameOfPass(passes, number);
        area.showIr(stage);
        return studio.notices.showStatus(
            pass.changed || number == 0 ? titleOf(stage) : StageArea::tr("%1: nothing changed").arg(titleOf(stage)));
    }
    studio.notices.showStatus(direction > 0 ? StageArea::tr("This is the last pass")
                                            : StageArea::tr("This is the IR of the script"));
}

} // namespace

void bindPassCommands(StageArea& area, Studio& studio) {
    Commands& commands = studio.commands;
    auto some = [&studio] { return passesOf(studio).size() > 1; };
    auto bindStep = [&](Command command, int direction, bool onlyChanged) {
        commands.bind(
            command, &area, [&area, &studio, direction, onlyChanged] { step(area, studio, direction, onlyChanged); },
            some);
    };
    bindStep(Command::PassesNext, 1, false);
    bindStep(Command::PassesPrevious, -1, false);
    bindStep(Command::PassesNextChanged, 1, true);
    bindStep(Command::PassesPreviousChanged, -1, true);
    commands.bind(
        Command::PassesDiff, &area,
        [&area, &studio] {
            const auto& passes = passesOf(studio);
            // After all passes: the last one that did something is what there is to see.
            if (studio.stages.shownIr().isLowered()) {
                const auto last = std::find_if(passes.rbegin(), passes.rend(),
                                               [](const session::PassSnapshot& pass) { return pass.changed; });
                if (last != passes.rend() && last->number > 0)
                    area.showIr(nameOfPass(passes, last->number));
            }
            area.compare(DiffSide::following(DiffSide::Follows::Before), DiffSide::following(DiffSide::Follows::After))
                ->setFocus();
        },
        some);
    commands.bind(Command::PassesBlame, &area,
                  [&studio] { studio.settings.set(Setting::Blame, !studio.settings.flag(Setting::Blame)); });
    // What passes there are is known only after the first run through them.
    QObject::connect(&studio.scripts, &LiveScripts::liveUpdated, &area, [&studio, known = false]() mutable {
        if (const bool now = passesOf(studio).size() > 1; now != known) {
            known = now;
            studio.commands.refresh();
        }
    });
}

} // namespace hidet::ui
