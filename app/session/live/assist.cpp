// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/assist.h"

#include "compiler/graph/script/language.h"

namespace hidet::session::assist {

AnalyseRequest request_for(const Source& source, std::vector<std::string> calls) {
    AnalyseRequest request;
    request.text = source.text;
    request.name = source.name;
    request.folder = source.folder;
    request.calls = std::move(calls);
    request.graphs = graph::make_graph_language();
    return request;
}

} // namespace hidet::session::assist
