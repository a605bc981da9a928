// SPDX-License-Identifier: Apache-2.0
// Names beyond ASCII. Both answer for code points from 128 on.
#pragma once

namespace hidet::lang {

bool starts_name(char32_t c);
bool continues_name(char32_t c);

} // namespace hidet::lang
