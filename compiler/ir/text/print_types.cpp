// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/family.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/printer.h"
#include "lang/base/text.h"

namespace hidet::ir {

void Printer::type(const TypeRef& type) {
    if (!type)
        return put("null");
    switch (kind_of(*type)) {
    case TypeKind::DataType: return put(info(static_cast<const DataType&>(*type).dtype).short_name);
    case TypeKind::TensorType: return tensor_type(static_cast<const TensorType&>(*type));
    case TypeKind::PointerType: return prefixed("~", static_cast<const PointerType&>(*type).base);
    case TypeKind::TensorPointerType:
        put("*");
        return tensor_type(*static_cast<const TensorPointerType&>(*type).tensor);
    case TypeKind::ReferenceType: return prefixed("&", static_cast<const ReferenceType&>(*type).base);
    case TypeKind::ArrayType: {
        const auto& t = static_cast<const ArrayType&>(*type);
        put("array(");
        this->type(t.base);
        return put(", "), put(std::to_string(t.count)), put(")");
    }
    case TypeKind::VoidType: return put("void");
    case TypeKind::StringType: return put("str");
    case TypeKind::FuncType: return func_type(static_cast<const FuncType&>(*type));
    case TypeKind::OpaqueType: return opaque_type(static_cast<const OpaqueType&>(*type));
    }
}

void Printer::layout(const LayoutRef& layout) {
    switch (kind_of(*layout)) {
    case LayoutKind::StridesLayout: return strides_layout(layout);
    case LayoutKind::LocalLayout: return call("local", static_cast<const LocalLayout&>(*layout).shape);
    case LayoutKind::ComposedLayout: {
        const auto& l = static_cast<const ComposedLayout&>(*layout);
        return pair("compose", l.outer, l.inner);
    }
    case LayoutKind::ConcatLayout: {
        const auto& l = static_cast<const ConcatLayout&>(*layout);
        return pair("concat", l.first, l.second);
    }
    case LayoutKind::SwizzleLayout: {
        const auto& l = static_cast<const SwizzleLayout&>(*layout);
        put("swizzle("), this->layout(l.base);
        return put(cat(", dim=", l.dim, ", regards=", l.regards, ", log_step=", l.log_step, ")"));
    }
    case LayoutKind::PermuteLayout: {
        const auto& l = static_cast<const PermuteLayout&>(*layout);
        put("permute("), this->layout(l.base), put(", "), integers(l.perm);
        return put(")");
    }
    case LayoutKind::ReshapeLayout: {
        const auto& l = static_cast<const ReshapeLayout&>(*layout);
        put("reshape("), this->layout(l.base), put(", [");
        return list(l.shape), put("])");
    }
    }
}

void Printer::mapping(const MappingRef& mapping) {
    switch (kind_of(*mapping)) {
    case MappingKind::SpatialMapping: {
        const auto& m = static_cast<const SpatialMapping&>(*mapping);
        put("spatial("), list(m.shape), ranks(m.ranks, m.shape.empty());
        return put(")");
    }
    case MappingKind::RepeatMapping: return repeat_mapping(static_cast<const RepeatMapping&>(*mapping));
    case MappingKind::ComposedMapping: {
        const auto& m = static_cast<const ComposedMapping&>(*mapping);
        bool is_chain = m.inner->kind == Kind::SpatialMapping || m.inner->kind == Kind::RepeatMapping;
        if (!is_chain)
            put("compose(");
        this->mapping(m.outer), put(is_chain ? "." : ", "), this->mapping(m.inner);
        return put(is_chain ? "" : ")");
    }
    case MappingKind::ProjectedMapping: {
        const auto& m = static_cast<const ProjectedMapping&>(*mapping);
        put("project("), this->mapping(m.base), put(", "), integers(m.dims);
        return put(")");
    }
    }
}

void Printer::prefixed(std::string_view mark, const TypeRef& base) {
    put(mark), atom_type(base);
}

void Printer::atom_type(const TypeRef& type) {
    bool is_wide = type && (type->kind == Kind::FuncType || type->kind == Kind::TensorType);
    put(is_wide ? "(" : ""), this->type(type), put(is_wide ? ")" : "");
}

void Printer::tensor_type(const TensorType& t) {
    bool is_simple = t.element && t.element->kind == Kind::DataType;
    put(is_simple ? "" : "("), type(t.element), put(is_simple ? "[" : ")["), list(t.shape);
    if (t.layout)
        put("; "), layout(t.layout);
    put("]");
}

void Printer::func_type(const FuncType& t) {
    put("("), separated(t.params, [&](const TypeRef& param) { type(param); }), put(") -> "), atom_type(t.ret);
}

void Printer::opaque_type(const OpaqueType& t) {
    put("opaque("), put(quote(t.name));
    for (const std::string& modifier : t.modifiers)
        put(", "), put(quote(modifier));
    put(")");
}

void Printer::pair(std::string_view name, const LayoutRef& a, const LayoutRef& b) {
    put(name), put("("), layout(a), put(", "), layout(b), put(")");
}

void Printer::strides_layout(const LayoutRef& layout) {
    const auto& l = static_cast<const StridesLayout&>(*layout);
    if (is_row_major(layout))
        return call("row", l.shape);
    if (structural_equal(layout, column_major(l.shape)))
        return call("column", l.shape);
    put("strides(["), list(l.shape), put("], ["), list(l.strides), put("])");
}

void Printer::ranks(const std::vector<std::int64_t>& ranks, bool is_first) {
    bool is_row_order = true;
    for (std::size_t d = 0; d < ranks.size(); ++d)
        is_row_order = is_row_order && ranks[d] == static_cast<std::int64_t>(d);
    if (is_row_order)
        return;
    put(is_first ? "ranks=" : ", ranks="), integers(ranks);
}

void Printer::repeat_mapping(const RepeatMapping& m) {
    put("repeat("), list(m.shape), ranks(m.ranks, m.shape.empty());
    const auto automatic = as<RepeatMapping>(repeat(m.shape))->attrs;
    if (m.attrs != automatic) {
        std::string text;
        for (const LoopAttr& attr : m.attrs)
            text += (text.empty() ? "" : " ") + to_string(attr);
        put(", attrs="), put(quote(text));
    }
    put(")");
}

} // namespace hidet::ir
