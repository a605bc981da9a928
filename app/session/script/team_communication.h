// SPDX-License-Identifier: Apache-2.0
// hidet.distributed between the ranks of a script that run in one process.
#pragma once

#include <memory>

#include "app/session/request/request.h"
#include "lang/host/modules/communication.h"

namespace hidet::session {

std::shared_ptr<lang::Communication> make_team_communication(const RankPlace& place);

} // namespace hidet::session
