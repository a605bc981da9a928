// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hidet::session {

// The library's reader recurses, and takes up to two hundred bytes for an item that one byte can stand for. So what nests
// deeper than any message of ours, or would take more memory than the largest, is refused before it comes to that; and so
// is what is no CBOR, or not all there.
bool is_modest_cbor(std::string_view bytes);

} // namespace hidet::session
