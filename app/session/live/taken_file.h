// SPDX-License-Identifier: Apache-2.0
// The names that a user took from lists of completions, in a file of the user's that several programs read and write: the
// studio, and language servers of other editors.
#pragma once

#include <string>
#include <vector>

#include "app/session/live/assist.h"

namespace hidet::session {

// hidet-studio in XDG_STATE_HOME or ~/.local/state. Empty: there is no such folder.
std::string user_state_folder();

class TakenFile {
public:
    explicit TakenFile(std::string path) : m_path(std::move(path)) {} // empty: names are kept nowhere
    static std::string of_user() {                                    // the path
        const std::string folder = user_state_folder();
        return folder.empty() ? "" : folder + "/completions";
    }

    assist::TakenNames read() const;
    // What other programs have taken meanwhile stays. It waits for nobody: while another program writes, names are kept for
    // the next time. That it cannot be written is no matter: names come in another order then.
    void add(const std::string& name);

private:
    bool write() const;

    const std::string m_path;
    std::vector<std::string> m_waiting; // not written yet
};

} // namespace hidet::session
