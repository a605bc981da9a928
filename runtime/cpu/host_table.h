// SPDX-License-Identifier: Apache-2.0
// What generated C++ calls back. One text for the runtime and for the generated code.
#pragma once

#include "compiler/artifact/host_table.h"
