// SPDX-License-Identifier: Apache-2.0
// The formats of printf().
#pragma once

#include "compiler/ir/expr.h"
#include "lang/base/diagnostic.h"

namespace hidet::lang {

// values[0] is the format, spans[i] the place of values[i]. Reports conversions that do not fit their values.
void check_format(const std::string& format, Span span, const ir::ExprVec& values, const std::vector<Span>& spans,
                  DiagnosticSink& sink);

} // namespace hidet::lang
