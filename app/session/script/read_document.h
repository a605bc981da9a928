// SPDX-License-Identifier: Apache-2.0
// A text on its way to a document of lang/service: read, then evaluated without data. While it is read its rehearsal begins.
#pragma once

#include "app/session/script/previewed_script.h"
#include "lang/service/analysis.h"

namespace hidet::session {

struct ReadDocument {
    lang::service::DocumentRef document;
    std::unique_ptr<Rehearsal> rehearsal; // null: nobody rehearses
};

// The work gets its texts, and the mistakes of its syntax.
ReadDocument read_document(Work& work, lang::service::ReadRequest request);
// And what is wrong else. The document then knows what the evaluation showed.
EvaluatedScript evaluate_document(Work& work, ReadDocument& read, const std::string& folder);

} // namespace hidet::session
