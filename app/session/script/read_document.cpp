// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/read_document.h"

namespace hidet::session {

namespace service = lang::service;

ReadDocument read_document(Work& work, service::ReadRequest request) {
    work.enter("reading the script");
    Work::Clock clock(work, "parse");
    ReadDocument out;
    out.rehearsal = begin_rehearsal({request.name, request.text, request.folder}, request.calls, request.buffers.get());
    out.document = service::read(std::move(request));
    work.sources = service::sources_of(*out.document);
    for (const Diagnostic& mistake : service::mistakes_of(*out.document))
        work.sink.report(mistake);
    return out;
}

EvaluatedScript evaluate_document(Work& work, ReadDocument& read, const std::string& folder) {
    service::FactRecorder recorder(*read.document);
    EvaluatedScript script =
        evaluate_preview(work, service::tree_of(*read.document), {folder, &recorder, std::move(read.rehearsal)});
    read.document = service::with_values(read.document, recorder, script.result.completed);
    return script;
}

} // namespace hidet::session
