// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/operator_help.h"

#include <algorithm>
#include <cctype>

#include "compiler/graph/core/op.h"
#include "compiler/graph/script/signatures.h"
#include "lang/base/text.h"

namespace hidet::session {

std::optional<OperatorHelp> help_of_operator(const std::string& op) {
    const graph::OpInfo* info = graph::find_op(op);
    if (!info)
        return std::nullopt;
    OperatorHelp out{info->summary, {}, info->example};
    std::replace(out.summary.begin(), out.summary.end(), '`', '\'');
    // "x with its dimensions turned": names keep their case at the start of a sentence.
    const bool begins_with_name = out.summary.size() > 1 && out.summary[1] == ' ' && out.summary[0] != 'a';
    if (!out.summary.empty() && !begins_with_name)
        out.summary[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out.summary[0])));
    if (*info->python)
        out.call = cat("hidet.ops.", info->python, "(", graph::text_of(*info, graph::signature_of(*info)), ")");
    return out;
}

} // namespace hidet::session
