// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/edit_trail.h"

#include "app/session/kernel_bench/run_texts.h"

namespace hidet::session {

bool EditTrail::is_same_burst(Time at) const {
    return !m_is_ended && at - m_last < m_limits.pause && at - m_begun < m_limits.longest;
}

void EditTrail::note(const std::string& text, Time at, std::string when) {
    if (!m_states.empty() && *m_states.back().text == text)
        return;
    if (!m_states.empty() && is_same_burst(at)) {
        m_states.pop_back();
        m_times.pop_back();
    } else {
        m_begun = at;
    }
    m_last = at;
    m_is_ended = m_states.empty();
    m_states.push_back({std::move(when), hash_text(text), std::make_shared<const std::string>(text), {}});
    m_times.push_back(at);
    thin_out();
}

void EditTrail::explain(const std::string& text, std::map<int, CodeFigures> modules) {
    if (!m_states.empty() && *m_states.back().text == text)
        m_states.back().modules = std::move(modules);
}

std::shared_ptr<const std::string> EditTrail::text_of(const std::string& hash) const {
    for (const EditState& state : m_states)
        if (state.hash == hash)
            return state.text;
    return nullptr;
}

// The first and the last stay; of the others the one goes whose neighbours are closest.
void EditTrail::thin_out() {
    auto bytes = [this] {
        std::size_t sum = 0;
        for (const EditState& state : m_states)
            sum += state.text->size();
        return sum;
    };
    while (m_states.size() > 2 && (m_states.size() > m_limits.states || bytes() > m_limits.bytes)) {
        std::size_t closest = 1;
        for (std::size_t i = 2; i + 1 < m_states.size(); ++i)
            if (m_times[i + 1] - m_times[i - 1] < m_times[closest + 1] - m_times[closest - 1])
                closest = i;
        m_states.erase(m_states.begin() + static_cast<std::ptrdiff_t>(closest));
        m_times.erase(m_times.begin() + static_cast<std::ptrdiff_t>(closest));
    }
}

} // namespace hidet::session
