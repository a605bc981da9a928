// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/generate.h"

namespace hidet::compiler {

std::optional<artifact::Source> generate_cpp(const ir::ModuleRef&, DiagnosticSink&) {
    return artifact::Source();
}

} // namespace hidet::compiler
