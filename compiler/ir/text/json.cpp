// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/text/json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "compiler/ir/family.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "lang/base/text.h"

namespace hidet::ir {

namespace {

using Json = nlohmann::ordered_json;

class Dumper {
public:
    explicit Dumper(const JsonOptions& options) : m_options(options) {}

    Json node(const Node* n) {
        if (!n)
            return nullptr;
        Json object = {{"kind", kind_name(n->kind)}};
        if (n->kind == Kind::Var) {
            var(static_cast<const Var&>(*n), object);
        } else {
            visit_node(*n, [&](const auto& typed) {
                std::decay_t<decltype(typed)>::visit_fields(
                    typed, [&](const char* name, const auto& field) { object[name] = value(field); });
            });
            if (is_expr(*n) && n->kind != Kind::Var)
                object["type"] = to_string(NodeRef(static_cast<const Expr&>(*n).type));
        }
        if (m_options.with_origins && n->origin.known())
            object["origin"] = {{"file", n->origin.span.file},
                                {"begin", n->origin.span.begin},
                                {"end", n->origin.span.end},
                                {"pass", n->origin.pass}};
        return object;
    }

private:
    void var(const Var& v, Json& object) {
        auto [found, is_new] = m_ids.emplace(&v, m_ids.size());
        object["id"] = found->second;
        if (!is_new)
            return;
        object["name"] = v.name;
        object["type"] = node(v.type.get());
    }

    template <class T>
    Json value(const Ref<const T>& ref) {
        return node(ref.get());
    }
    template <class T>
    Json value(const std::vector<T>& items) {
        Json list = Json::array();
        for (const auto& item : items)
            list.push_back(value(item));
        return list;
    }
    Json value(const ConstantValue& constant) {
        return std::visit([this](const auto& v) { return value(v); }, constant);
    }
    Json value(double number) { return std::isfinite(number) ? Json(number) : Json(shortest(number)); }
    Json value(const std::string& text) { return text; }
    Json value(std::int64_t number) { return number; }
    Json value(bool flag) { return flag; }
    Json value(DType dtype) { return info(dtype).name; }
    Json value(BinOp op) { return spelling(op); }
    Json value(UnOp op) { return op == UnOp::Neg ? "-" : op == UnOp::Not ? "not" : "bitwise_not"; }
    Json value(Builtin which) { return builtin_name(which); }
    Json value(IntrinsicId id) { return info(id).name; }
    Json value(Scope scope) { return scope_name(scope); }
    Json value(FuncKind kind) { return func_kind_name(kind); }
    Json value(Level level) { return level_name(level); }
    Json value(const IntrinsicAttr& attr) { return to_text(attr); }
    Json value(const LoopAttr& attr) { return to_string(attr); }

    JsonOptions m_options;
    std::unordered_map<const Var*, std::size_t> m_ids;
};

} // namespace

std::string to_json(const NodeRef& node, const JsonOptions& options) {
    Json document = Dumper(options).node(node.get());
    return document.dump(options.indent, ' ', false, Json::error_handler_t::replace); // texts may hold any bytes
}

} // namespace hidet::ir
