// SPDX-License-Identifier: Apache-2.0
#include "compiler/transform/pass.h"
