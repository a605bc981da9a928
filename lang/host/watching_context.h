// SPDX-License-Identifier: Apache-2.0
// A context manager of ours that wants to know how its block ended, besides that it did.
#pragma once

#include "lang/host/value.h"

namespace hidet::lang {

class WatchingContext : public NativeObject {
public:
    // `exception` left the block, or is None; true: it ends here.
    virtual bool leave(Evaluator& evaluator, const Value& exception, Span span) = 0;
};

inline bool leave_context(Evaluator& evaluator, NativeObject& context, const Value& exception, Span span) {
    if (auto* watching = dynamic_cast<WatchingContext*>(&context))
        return watching->leave(evaluator, exception, span);
    context.exit(evaluator, span);
    return false;
}

} // namespace hidet::lang
