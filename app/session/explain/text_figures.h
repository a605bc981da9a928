// SPDX-License-Identifier: Apache-2.0
// What is said of kernels before they run, as the few figures that texts are compared by.
#pragma once

#include <map>
#include <vector>

#include "app/session/explain/explain.h"
#include "app/session/kernel_bench/code_figures.h"

namespace hidet::session {

std::map<int, CodeFigures> figures_of(const std::vector<KernelExplained>& kernels); // by module

} // namespace hidet::session
