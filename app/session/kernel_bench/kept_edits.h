// SPDX-License-Identifier: Apache-2.0
// The texts that scripts were edited to, from start to start: beside a history, in a file of JSON lines that several programs
// may add to, and each text once in a folder. The older they are the fewer are left of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/session/kernel_bench/edit_trail.h"
#include "app/session/kernel_bench/run_texts.h"

namespace hidet::session {

struct KeptEditLimits {
    std::size_t of_script = 60; // texts
    std::size_t of_all = 2000;
    std::int64_t bytes = 32 << 20; // of texts
};

class KeptEdits {
public:
    explicit KeptEdits(const std::string& history, KeptEditLimits limits = {})
        : m_path(history + ".edits"), m_texts(m_path + ".texts"), m_limits(limits) {}

    // Oldest first; those whose text was lost are left out. None where the file cannot be read.
    std::vector<EditState> of(const std::string& script) const;
    // Those that are not there yet. One that has the text of the one before is none of its own. Those of replace_file().
    Result<void> add(const std::string& script, const std::vector<EditState>& states) const;
    // Of a script, or of all where none is named: how many there were. "history-unreadable", Those of replace_file().
    Result<std::size_t> forget(const std::string& script = {}) const;

private:
    const std::string m_path;
    const RunTexts m_texts;
    const KeptEditLimits m_limits;
};

} // namespace hidet::session
