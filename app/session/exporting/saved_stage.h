// SPDX-License-Identifier: Apache-2.0
// What stands first in a stage that is saved to a file: what it is, of which text, by which options of which program. A comment
// of its language, the same each time, so that a compiler takes the file as it is.
#pragma once

#include <string>
#include <vector>

#include "app/session/snapshot/forms.h"

namespace hidet::session {

struct SavedStage {
    std::string version;            // of this program
    std::string what;               // "PTX", "IR after simplify"
    std::string subject;            // the path of the script or the model, or its title
    std::string text;               // of the script; empty: of a model, or not the text that the stage was made of
    std::vector<std::string> calls; // of kernel factories
    std::string arch;               // empty: the stage does not depend on it
    bool contracts = true;
    std::string compiler; // "NVRTC 13.0"; empty: none, or not known
    // Of a copy that a person goes on with (request/edited_stage.h reads them):
    std::vector<std::string> kernels; // empty: it is none
    std::string path;                 // of the script, or its title
    int module = 0;                   // by its number; 0: the script has no other
    std::string generated;            // the text that the copy begins as
    std::string temporaries;          // of IR: TextSnapshot's
};
std::string comment_of(const SavedStage& stage, const char* mark);

// Beside the form itself: whether an architecture means anything to it.
bool depends_on_arch(Form form);

} // namespace hidet::session
