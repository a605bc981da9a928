// SPDX-License-Identifier: Apache-2.0
// pytest_generate_tests(metafunc): a function of the script that parametrizes the others.
#include "lang/host/arguments.h"
#include "lang/host/members.h"
#include "lang/host/modules/pytest.h"

namespace hidet::lang {

namespace {

// Nobody gives options: each has the value that the script asks for, or none.
struct Config final : WithMembers<Config> {
    std::string type_name() const override { return "Config"; }
    static std::span<const Member<Config>> members() {
        static constexpr Member<Config> rows[] = {
            {"getoption", {"name", "default=", "skip="}, [](Config&, Evaluator&, const Arguments& a, Span) {
                 a.str(0);
                 return a.or_none(1);
             }}};
        return rows;
    }
};

class Metafunc final : public WithMembers<Metafunc> {
public:
    explicit Metafunc(Value function) : m_function(std::move(function)) {}
    std::string type_name() const override { return "Metafunc"; }
    void clear() override { m_function = Value(), marks.clear(); }

    static std::span<const Member<Metafunc>> members() {
        static constexpr Member<Metafunc> rows[] = {
            {"config", [](const Metafunc&) { return new_extension<Config>(); }},
            {"fixturenames",
             [](Metafunc& self, Evaluator& evaluator, Span) {
                 std::vector<Value> names;
                 for (const ast::Param& param : as_function(self.m_function).params)
                     names.push_back(Value::str(std::string(param.name.text)));
                 return evaluator.new_list(std::move(names));
             }},
            {"function", [](const Metafunc& self) { return self.m_function; }},
            {"parametrize",
             [](Metafunc& self, Evaluator&, Args& args, Span span) {
                 Arguments(args, span, "parametrize", {"argnames", "argvalues", "indirect=", "ids=", "scope="});
                 self.marks.push_back(new_extension<PytestMark>("parametrize", args, true));
                 return Value();
             }},
        };
        return rows;
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
    evaluator.call(*hook, {Value::extension(metafunc)}, span);
    return metafunc->marks;
}

} // namespace hidet::lang
