// SPDX-License-Identifier: Apache-2.0
// What a script's unknown names need: the import that would bind them, or the module that has them.
#pragma once

#include "app/session/request/source.h"
#include "app/session/work/work.h"
#include "lang/service/analysis.h"

namespace hidet::session {

// For the mistakes of the work's sink that are about unknown names of the document's text.
void offer_imports(Work& work, const lang::service::Document& document);
// The same; the text is read again, which is only done where there is such a mistake.
void offer_imports(Work& work, const Source& source);

} // namespace hidet::session
