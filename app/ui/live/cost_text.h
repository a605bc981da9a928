// SPDX-License-Identifier: GPL-3.0-only
// What a kernel costs, before it ran, in one line: what is predicted carries a tilde.
#pragma once

#include <QString>

#include "app/session/live/explained.h"

namespace hidet::ui {

struct CostText {
    QString predicted; // "~6.9 us on NVIDIA H200, ~0.5 % of the roof"
    QString counted;   // "2.3 MFLOP, 116 KiB of arguments, ..."
};
// Of what another version has otherwise, its figure stands behind: "28 MiB moved (baseline: 14 MiB moved)".
CostText costText(const session::KernelExplained& kernel, const session::KernelExplained* baseline = nullptr);

// Kernels of one name are told apart by their module.
QString kernelName(const session::Explained& explained, std::size_t kernel);

} // namespace hidet::ui
