// SPDX-License-Identifier: Apache-2.0
// The language manual, as front ends see it (assist.h says how).
#pragma once

#include "app/session/live/assist.h"
#include "lang/service/manual.h"
