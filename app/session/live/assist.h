// SPDX-License-Identifier: Apache-2.0
// The questions of an editor, as the front end asks them: the types and functions of lang/service under the session's
// name. Documents come with the snapshots of a LiveSession; questions may be asked on any thread, and nothing throws.
//
//   assist::Completions list = assist::completions(*snapshot.document, caret);
#pragma once

#include "lang/service/service.h"
#include "lang/service/tunables.h"

namespace hidet::session::assist {

using namespace lang::service; // NOLINT: the front end sees one name

} // namespace hidet::session::assist
