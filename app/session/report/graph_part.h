// SPDX-License-Identifier: Apache-2.0
// The part of a page that shows a graph.
#pragma once

#include "app/session/figure/html.h"
#include "app/session/model/view/model_view.h"

namespace hidet::session {

void add_graph(Page& page, const ModelSnapshot& snapshot, const std::string& title);

} // namespace hidet::session
