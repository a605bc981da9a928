// SPDX-License-Identifier: Apache-2.0
// The operators of a model with the numbers that a file has for them, as hidetc prints them.
#pragma once

#include "app/session/model/view/overlay.h"

namespace hidet::session {

struct NumberTableRequest : ModelRequest {
    std::string numbers; // the file
    std::string after;   // a pass, or "import"; empty: all
};
struct NumberRow {
    std::string name, op;
    std::optional<double> value;
    std::string text; // "0.25 ms"; "no number"
};
struct NumberTable : Outcome {
    std::string title, unit;
    std::vector<NumberRow> rows;        // in the order of the graph
    std::vector<std::string> unmatched; // names that no operator and no kernel has
    std::string refusal;                // what is wrong with the file or the pass
};
NumberTable numbers_of_model(const NumberTableRequest& request);
std::string number_table_text(const NumberTable& table);

} // namespace hidet::session
