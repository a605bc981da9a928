// SPDX-License-Identifier: Apache-2.0
// The texts that a script went through while it was edited, those without mistakes, kept sparsely: one for each burst of
// typing, and of many the ones that lie furthest apart.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/session/kernel_bench/code_figures.h"

namespace hidet::session {

struct EditState {
    std::string when; // as a history has it
    std::string hash; // of the text
    std::shared_ptr<const std::string> text;
    std::map<int, CodeFigures> modules; // by number; nothing was measured
};

struct EditLimits {
    std::chrono::milliseconds pause{3000};    // after which typing is another burst
    std::chrono::milliseconds longest{30000}; // of a burst
    std::size_t states = 60;
    std::size_t bytes = 8 << 20; // of their texts
};

class EditTrail {
public:
    using Time = std::chrono::steady_clock::time_point;
    explicit EditTrail(EditLimits limits = {}) : m_limits(limits) {}

    // The text as it is at this time. It takes the place of the one before, if that was of the same burst; the text that the
    // trail began with stays.
    void note(const std::string& text, Time at, std::string when);
    void explain(const std::string& text, std::map<int, CodeFigures> modules); // of the newest state, if it is of it
    void end_burst() { m_is_ended = true; }                                    // it was run

    const std::vector<EditState>& states() const { return m_states; }          // oldest first
    std::shared_ptr<const std::string> text_of(const std::string& hash) const; // null: it is none of them

private:
    bool is_same_burst(Time at) const;
    void thin_out();

    EditLimits m_limits;
    std::vector<EditState> m_states;
    std::vector<Time> m_times; // of the states
    Time m_begun, m_last;      // of the burst
    bool m_is_ended = true;
};

} // namespace hidet::session
