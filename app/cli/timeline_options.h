// SPDX-License-Identifier: Apache-2.0
// What `run` and `emulate` take to show pipelines.
#pragma once

#include <string>

#include "app/cli/verb.h"
#include "app/session/request/request.h"

namespace hidet::cli {

struct TimelineOptions {
    bool events = false; // of the emulator
    bool marks = false;
    std::string block; // "3", "1,0,2"
    std::uint64_t launch = 1;
    std::uint64_t copy_steps = 0; // 0: as many as usual
    std::string svg;
    bool is_asked() const { return events || marks; }
};

enum class TimelineBy : std::uint8_t { EventsOrMarks, Marks }; // what the verb has
void add_timeline(Verb& verb, TimelineOptions& options, TimelineBy by);

// False: they make no sense, which is said.
bool take_timeline(const TimelineOptions& options, session::RunRequest& request);
// Of a run that ended well: false where nothing is there to show, which is said.
bool has_timeline(const session::RunRequest& request, const session::RunSummary& summary);

} // namespace hidet::cli
