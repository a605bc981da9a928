// SPDX-License-Identifier: Apache-2.0
// How a document comes about, for whoever evaluates scripts. A text is read once and evaluated once:
//
//   DocumentRef document = read(request);          // answers at once
//   SourceMap sources = sources_of(*document);     // an evaluation adds what else it imports
//   FactRecorder recorder(*document);
//   ... an Evaluator in preview on `sources`, watched by the recorder, runs tree_of(*document) ...
//   document = with_values(document, recorder, result.completed);
//
// The tree refers to the texts of its document, which has to live as long.
#pragma once

#include "lang/ast/ast.h"
#include "lang/base/diagnostic.h"
#include "lang/service/facts.h"

namespace hidet::lang::service {

struct ReadRequest {
    std::string text;
    std::string name;                       // of the file, as messages say it
    std::string folder;                     // where sibling files are imported from; empty: nowhere
    std::vector<std::string> calls;         // of kernel factories: "matmul(1024, 1024, 1024)"
    DocumentRef previous;                   // with the values of an earlier text: known until those of this one are
    std::shared_ptr<const Buffers> buffers; // may be null
};
// Tokens, tree, names, and the siblings that the text imports. Never null, throws nothing.
DocumentRef read(ReadRequest request);

const ast::Module& tree_of(const Document& document);
const SourceMap& sources_of(const Document& document);                // with the siblings, which are not read again
const std::vector<Diagnostic>& mistakes_of(const Document& document); // of the text's syntax

// The document of the same text that knows what the evaluation showed. One that did not get to the end of the text leaves
// what was known before where it showed nothing.
DocumentRef with_values(const DocumentRef& document, FactRecorder& recorder, bool completed);

} // namespace hidet::lang::service
