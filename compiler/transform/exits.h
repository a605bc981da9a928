// SPDX-License-Identifier: Apache-2.0
// The breaks and continues of a loop, for passes that replace the loop by something else.
#pragma once

#include "compiler/ir/stmt.h"

namespace hidet::compiler {

struct LoopExits {
    bool breaks = false;
    bool continues = false;
    bool any() const { return breaks || continues; }
};
// Those of the loop whose body it is; inner loops keep theirs.
LoopExits exits_of(const ir::StmtRef& body);

// Puts `what` before each break of the loop whose body it is.
ir::StmtRef before_breaks(const ir::StmtRef& body, const ir::StmtRef& what);

// The body of a loop that runs once, with branches instead of breaks and continues: `if c: continue; rest` is `if not c:
// rest`. Not done when that needs two copies of a statement, or nests too deeply. A null body is an empty one.
struct Straightened {
    bool done = false;
    ir::StmtRef body;
};
Straightened without_exits(const ir::StmtRef& body);

// The body as a statement that runs once: without its exits, else in a loop of one trip.
ir::StmtRef run_once(const ir::StmtRef& body);

} // namespace hidet::compiler
