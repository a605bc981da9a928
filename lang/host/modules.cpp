// SPDX-License-Identifier: Apache-2.0
#include "lang/host/modules.h"

namespace hidet::lang {

#define HIDET_HOST_MODULE(name, maker) void maker(Evaluator& evaluator, HostModule& module);
#include "lang/host/testing_modules.def"
#undef HIDET_HOST_MODULE

const std::vector<ModuleRow>& module_rows() {
    static const std::vector<ModuleRow> rows = {
#define HIDET_HOST_MODULE(name, maker) {name, maker},
#include "lang/host/modules.def"
#include "lang/host/testing_modules.def"
#undef HIDET_HOST_MODULE
    };
    return rows;
}

} // namespace hidet::lang
