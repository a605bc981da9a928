// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/lsp/client.h"

namespace hidet::lsp {

Json capabilities(const Client& client); // what the server says of itself

} // namespace hidet::lsp
