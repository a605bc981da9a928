// SPDX-License-Identifier: Apache-2.0
// Scenes as SVG. What is drawn with the same marks is the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "app/session/figure/scene.h"

namespace hidet::session {

std::string svg_element(const Scene& scene);  // for a page that has the palette
std::string svg_document(const Scene& scene); // a file of its own
std::string palette_css();                    // of elements
std::string escaped(std::string_view text);   // for SVG and HTML

} // namespace hidet::session
