// SPDX-License-Identifier: Apache-2.0
// A reference interpreter of IR for tests: one thread, every level, slow and simple. Two modules mean the same when they
// leave the same memory and the same log for the same inputs.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler/ir/func.h"
#include "lang/base/symbol_values.h"

namespace hidet::test {

struct Value;
struct Buffer {
    std::vector<Value> slots;
};
struct Pointer {
    std::shared_ptr<Buffer> buffer;
    std::int64_t offset = 0;
};
struct Value {
    std::variant<std::int64_t, double, Pointer> v = std::int64_t{0};
    std::int64_t integer() const { return std::get<std::int64_t>(v); }
    friend bool operator==(const Value& a, const Value& b);
};

// The program did something that has no meaning: out of bounds, division by zero, too many steps.
class Trap : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Interpreter {
public:
    explicit Interpreter(const ir::Module& module) : m_module(module) {}

    std::map<ir::Builtin, std::int64_t> builtins; // 0 where absent; extents 1
    SymbolValues symbols;
    std::vector<std::string> log;    // what was printed, launched, asserted in vain, synchronised
    std::int64_t budget = 2'000'000; // statements and expressions

    Value call(const std::string& function, const std::vector<Value>& args);

private:
    enum class Flow { Next, Break, Continue, Return };
    struct Frame {
        std::unordered_map<const ir::Var*, std::shared_ptr<Buffer>> vars; // one slot, or those of a tensor
        Value result;
    };

    Value run_function(const ir::Function& function, const std::vector<std::shared_ptr<Buffer>>& args);
    Flow run(const ir::StmtRef& stmt);
    Flow run_loop_body(const ir::StmtRef& body, bool& stop);
    Flow run_mapping(const ir::ForMappingStmt& stmt);
    void declare(const ir::DeclareStmt& stmt);
    void launch(const ir::LaunchStmt& stmt);
    void set(const ir::Var& var, Value value);

    Value eval(const ir::ExprRef& expr);
    Value eval_binary(const ir::Binary& expr);
    Value eval_intrinsic(const ir::Intrinsic& expr);
    Value eval_call(const ir::Call& expr);
    Value eval_cast(const ir::Cast& expr);
    Value& place(const ir::ExprRef& expr);
    Value& element(const ir::ExprRef& base, const ir::ExprVec& indices, bool is_protected, bool& outside);
    Pointer address(const ir::ExprRef& expr);
    std::shared_ptr<Buffer>& storage(const ir::Var& var);
    std::int64_t eval_int(const ir::ExprRef& expr) { return eval(expr).integer(); }
    void step();

    const ir::Module& m_module;
    Frame* m_frame = nullptr;
};

std::string to_text(const Value& value);

} // namespace hidet::test
