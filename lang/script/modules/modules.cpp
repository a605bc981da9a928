// SPDX-License-Identifier: Apache-2.0
// The modules around hidet.lang: which groups of names each of them has.
#include "lang/script/modules/exports.h"

namespace hidet::lang {

std::unique_ptr<IrOperations> make_ir_operations(Evaluator& evaluator) {
    return std::make_unique<Operations>(evaluator);
}

HostModuleRef make_hidet_lang(Evaluator&, std::string_view name) {
    HostModuleRef module = new_module(name);
    export_dtypes(*module);
    export_types(*module);
    export_memory(*module);
    export_loops(*module);
    export_expressions(*module);
    export_mappings(*module);
    export_layouts(*module);
    export_script(*module);
    return module;
}

HostModuleRef make_hidet_lang_types(Evaluator&, std::string_view name) {
    HostModuleRef module = new_module(name);
    export_dtypes(*module);
    export_types(*module);
    export_memory(*module);
    return module;
}

HostModuleRef make_hidet_lang_mapping(Evaluator&, std::string_view name) {
    HostModuleRef module = new_module(name);
    export_mappings(*module);
    return module;
}

HostModuleRef make_hidet_lang_layout(Evaluator&, std::string_view name) {
    HostModuleRef module = new_module(name);
    export_layouts(*module);
    return module;
}

HostModuleRef make_hidet_lang_cuda(Evaluator&, std::string_view name) {
    HostModuleRef module = new_module(name);
    export_cuda(*module);
    export_memory(*module);
    export_runtime(*module);
    return module;
}

HostModuleRef make_hidet_lang_cuda_contexts(Evaluator&, std::string_view name) {
    HostModuleRef module = new_module(name);
    export_cuda_contexts(*module);
    return module;
}

HostModuleRef make_hidet_lang_cpu(Evaluator&, std::string_view name) {
    HostModuleRef module = new_module(name);
    export_cpu(*module);
    return module;
}

HostModuleRef make_hidet_lang_runtime(Evaluator&, std::string_view name) {
    HostModuleRef module = new_module(name);
    export_runtime(*module);
    return module;
}

HostModuleRef make_hidet_ir(Evaluator&, std::string_view name) {
    HostModuleRef module = new_module(name);
    export_dtypes(*module);
    export_types(*module);
    export_expressions(*module);
    export_statements(*module);
    export_mappings(*module);
    export_layouts(*module);
    return module;
}

HostModuleRef make_hidet_ir_primitives(Evaluator&, std::string_view name) {
    HostModuleRef module = new_module(name);
    export_cuda(*module);
    export_cpu(*module);
    export_runtime(*module);
    export_expressions(*module);
    export_math(*module);
    return module;
}

} // namespace hidet::lang
