// SPDX-License-Identifier: Apache-2.0
#include "lang/base/diagnostic.h"
#include "lang/host/ir_operations.h"
#include "lang/host/modules.h"

namespace hidet::lang {

namespace {

[[noreturn]] void refuse(Span span) {
    fail(DiagId::InternalFailure, span, "lang/script", "kernels are not built in");
}

class NoIr : public IrOperations {
public:
    Value unary(ast::UnaryOp, const Value&, Span span) override { refuse(span); }
    Value binary(ast::BinaryOp, const Value&, const Value&, Span a, Span) override { refuse(a); }
    Value compare(ast::CompareOp, const Value&, const Value&, Span a, Span) override { refuse(a); }
    Value logical(bool, const Value&, const Value&, Span a, Span) override { refuse(a); }
    Value select(const Value&, const Value&, const Value&, Span span) override { refuse(span); }
    Value attribute(const Value&, std::string_view, Span span) override { refuse(span); }
    Value subscript(const Value&, const Value&, Span span, Span) override { refuse(span); }
    Value call(const Value&, Args&, Span span) override { refuse(span); }
    std::unique_ptr<Value> call_builtin(std::string_view, Args&, Span span) override { refuse(span); }
    Value define_script(const ast::FunctionDef& def, Environment&) override { refuse(def.name.span); }
    std::string repr(const Value&) override { return "<ir>"; }
};

} // namespace

std::unique_ptr<IrOperations> make_ir_operations(Evaluator&) {
    return std::make_unique<NoIr>();
}

static HostModuleRef empty_module(std::string_view name) {
    return HostModuleRef(new HostModule(std::string(name)));
}
HostModuleRef make_hidet_lang(Evaluator&, std::string_view name) {
    return empty_module(name);
}
HostModuleRef make_hidet_lang_types(Evaluator&, std::string_view name) {
    return empty_module(name);
}
HostModuleRef make_hidet_lang_cuda(Evaluator&, std::string_view name) {
    return empty_module(name);
}
HostModuleRef make_hidet_lang_cpu(Evaluator&, std::string_view name) {
    return empty_module(name);
}
HostModuleRef make_hidet_lang_mapping(Evaluator&, std::string_view name) {
    return empty_module(name);
}
HostModuleRef make_hidet_lang_layout(Evaluator&, std::string_view name) {
    return empty_module(name);
}
HostModuleRef make_hidet_lang_runtime(Evaluator&, std::string_view name) {
    return empty_module(name);
}
HostModuleRef make_hidet_ir(Evaluator&, std::string_view name) {
    return empty_module(name);
}
HostModuleRef make_hidet_ir_primitives(Evaluator&, std::string_view name) {
    return empty_module(name);
}

} // namespace hidet::lang
