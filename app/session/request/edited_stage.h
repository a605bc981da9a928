// SPDX-License-Identifier: Apache-2.0
// What the first comment of a stage in a file says, where a person goes on with it: of which script it is, which kernels it has, and
// what they were generated for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/snapshot/forms.h"

namespace hidet::session {

// The rows of the comment, "holds: CUDA for sm_90a"; others than these are for people alone.
inline constexpr std::string_view holds_row = "holds", rounding_row = "rounding", edits_row = "edits",
                                  source_row = "source", script_row = "script", generated_row = "generated",
                                  module_row = "module",
                                  temporaries_row = "temporaries"; // which the reader of IR takes

struct EditedStage {
    std::string script;               // its path, its title, or the name of its file; empty: the text is of no script
    std::vector<std::string> kernels; // by their names in the script
    std::optional<Form> form;         // Form::Cuda, Form::Ptx, Form::Ir; nothing: it says none of them
    std::string pass;                 // of IR: the last of the passes that are behind it; empty: none is
    int passes = 0;                   // and how many they are
    int module = 0;                   // of the script's, by its number; 0: any that has the kernels
    std::string arch;                 // "sm_90a"; empty: it says none
    std::string generated;            // the hash of the text that the copy began from
    bool contracts = true;            // a * b + c may be rounded once
    bool is_of_script() const { return !script.empty() && !kernels.empty(); }
    friend bool operator==(const EditedStage&, const EditedStage&) = default;
};
// What a copy of IR holds: "IR after simplify (pass 12)"; "IR of the script", where no pass is behind it.
std::string ir_after(const std::string& pass, int passes);
// Kernels that it does not name are those of the text, whose language `form` is where the comment does not say it.
EditedStage edited_stage(std::string_view text, std::optional<Form> form = {});
// The text behind that comment.
std::string_view without_head(std::string_view text);

} // namespace hidet::session
