// SPDX-License-Identifier: Apache-2.0
// The one analysis of a text: it is read once and evaluated once, without data, and everybody else takes what that found:
// the editor's questions the document, the window the mistakes, the lowering the modules, the run panel the preview. It
// is published in two stages: the document as soon as the text was read, then everything that the evaluation showed.
#pragma once

#include "app/session/live/revision.h"
#include "app/session/preview/sites.h"

namespace hidet::session {

// What the lowering goes on with.
struct AnalysedScript {
    std::shared_ptr<Revision> revision;
    Work work; // with the texts and the mistakes
    std::vector<RecordedSite> sites;
    std::vector<ModuleSnapshot> described;          // the same, before any pass
    std::shared_ptr<const PreviewedScript> preview; // null: of IR
};

// Of the revisions of one script, one after the other.
class AnalysisStage {
public:
    AnalysedScript run(const std::shared_ptr<Revision>& revision);

private:
    std::shared_ptr<const PreviewedScript> analyse(Revision& revision, AnalysedScript& out,
                                                   assist::DocumentRef& document);

    assist::DocumentRef m_last; // the newest that was evaluated
};

// What a module looks like before anything was made of it.
LiveModule fresh(const Revision& revision, ModuleSnapshot snapshot);

} // namespace hidet::session
