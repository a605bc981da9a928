// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/grid_wait.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"

namespace hidet::ir {

namespace {

class WaitFinder : public Walker {
public:
    bool found = false;

protected:
    using Walker::visit;
    void visit(const Intrinsic& e) override {
        found = found || e.id == IntrinsicId::GridWait;
        Walker::visit(e);
    }
};

} // namespace

bool waits_for_grid(const Function& kernel) {
    WaitFinder finder;
    finder.walk(kernel.body);
    return finder.found;
}

} // namespace hidet::ir
