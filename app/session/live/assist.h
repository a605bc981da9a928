// SPDX-License-Identifier: Apache-2.0
// The questions of an editor, as the front end asks them: the types and functions of lang/service under the session's
// name. Documents are made on a thread of the caller's; all of it is safe to use from any thread, and nothing throws.
//
//   assist::DocumentRef document = assist::analyse(request);
//   assist::Completions list = assist::completions(*document, caret);
#pragma once

#include "app/session/request/source.h"
#include "lang/service/service.h"

namespace hidet::session::assist {

using namespace lang::service; // NOLINT: the front end sees one name

// The request for what is open in an editor.
AnalyseRequest request_for(const Source& source, std::vector<std::string> calls);

} // namespace hidet::session::assist
