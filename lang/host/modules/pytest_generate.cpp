// SPDX-License-Identifier: Apache-2.0
// pytest_generate_tests(metafunc): a function of the script that parametrizes the others.
#include "lang/host/arguments.h"
#include "lang/host/boxed.h"
#include "lang/host/modules/pytest.h"

namespace hidet::lang {

namespace {

// Nobody gives options: each has the value that the script asks for, or none.
class Config final : public NativeObject {
public:
    std::string type_name() const override { return "Config"; }
    std::vector<std::string> attributes() const override { return {"getoption"}; }
    std::unique_ptr<Value> attribute(Evaluator&, std::string_view name, Span) override {
        if (name != "getoption")
            return nullptr;
        return boxed(name, [](Evaluator&, Args& args, Span span) {
            const Arguments a(args, span, "getoption", {"name", "default=", "skip="});
            a.str(0);
            return a.given(1) ? a[1] : Value();
        });
    }
};

class Metafunc final : public NativeObject {
public:
    explicit Metafunc(Value function) : m_function(std::move(function)) {}
    std::string type_name() const override { return "Metafunc"; }
    std::vector<std::string> attributes() const override {
        return {"config", "fixturenames", "function", "parametrize"};
    }
    void clear() override { m_function = Value(), marks.clear(); }

    std::unique_ptr<Value> attribute(Evaluator& evaluator, std::string_view name, Span) override {
        if (name == "config")
            return boxed(Value::extension(Ref<NativeObject>(new Config)));
        if (name == "function")
            return boxed(m_function);
        if (name == "fixturenames") {
            std::vector<Value> names;
            for (const ast::Param& param : as_function(m_function).params)
                names.push_back(Value::str(std::string(param.name.text)));
            return boxed(evaluator.new_list(std::move(names)));
        }
        if (name != "parametrize")
            return nullptr;
        Ref<Metafunc> self(this);
        return boxed(name, [self](Evaluator&, Args& args, Span span) {
            Arguments(args, span, "parametrize", {"argnames", "argvalues", "indirect=", "ids=", "scope="});
            self->marks.push_back(Value::extension(Ref<NativeObject>(new PytestMark("parametrize", args, true))));
            return Value();
        });
    }

    std::vector<Value> marks; // as if decorators had set them

private:
    Value m_function;
};

} // namespace

std::vector<Value> generated_marks(Evaluator& evaluator, HostModule& main, const Value& function, Span span) {
    const Value* hook = main.table.find("pytest_generate_tests");
    if (!hook || !hook->is(ValueKind::Function))
        return {};
    const Ref<Metafunc> metafunc(new Metafunc(function));
    Args args;
    args.positional.push_back(Value::extension(metafunc));
    args.spans.push_back(span);
    evaluator.call(*hook, args, span);
    return metafunc->marks;
}

} // namespace hidet::lang
