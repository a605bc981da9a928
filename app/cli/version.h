// SPDX-License-Identifier: Apache-2.0
// The version of this program, which the build says.
#pragma once

#ifndef HIDET_VERSION
#define HIDET_VERSION "unknown"
#endif
