// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/jobs.h"

#include <iterator>

namespace hidet::session {

const JobKindRow& row_of(JobKind kind) {
    static constexpr JobKindRow rows[] = {
#define HIDET_JOB(kind, name, doing, request, result, grace) {name, doing, grace},
#include "app/session/worker/jobs.def"
#undef HIDET_JOB
    };
    static_assert(std::size(rows) == std::variant_size_v<JobRequest>);
    return rows[static_cast<std::size_t>(kind)];
}

} // namespace hidet::session
