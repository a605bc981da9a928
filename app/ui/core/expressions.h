// SPDX-License-Identifier: GPL-3.0-only
// Regular expressions for searches of the session. They end soon whatever they are: an expression that tries too long on a
// text is one that the text does not meet.
#pragma once

#include "app/session/model/model_search.h"

namespace hidet::ui {

session::ExpressionReader regularExpressions(); // upper and lower case are alike

} // namespace hidet::ui
