// SPDX-License-Identifier: Apache-2.0
// C++ for the CPU computes the bits of the virtual machine: every conversion, operator and function, on all values of the
// types of 8 and 16 bits and on 65536 of the others. Skipped where there is no C++ compiler.
#include <cstdio>
#include <cstring>
#include <doctest/doctest.h>
#include <random>
#include <string>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "lang/base/numeric.h"
#include "lang/base/text.h"
#include "runtime/toolchain/in_process.h"
#include "tests/harness/skip.h"
#include "tests/unit/codegen/loaded.h"
#include "tests/unit/codegen/zoo.h"
#include "tests/unit/vm/support.h"

using namespace hidet;
using namespace hidet::compiler;
using ir::BinOp;
using ir::DType;
using ir::IntrinsicId;

namespace {

constexpr int count = 65536;

struct Operation {
    std::string name;
    DType in, out;
    std::string ir_text;  // of x[i] and y[i]
    std::string cpp_text; // of a and b
};

const std::vector<DType>& numbers() {
    static const std::vector<DType> types = {DType::I8,  DType::I16,  DType::I32,  DType::I64,    DType::U8,
                                             DType::U16, DType::U32,  DType::U64,  DType::F8E4M3, DType::F8E5M2,
                                             DType::F16, DType::BF16, DType::TF32, DType::F32,    DType::F64};
    return types;
}

std::string filled(std::string text, std::initializer_list<const char*> values) {
    int i = 0;
    for (const char* value : values) {
        std::string hole = cat("{", i++, "}");
        for (std::size_t at = text.find(hole); at != std::string::npos; at = text.find(hole))
            text.replace(at, hole.size(), value);
    }
    return text;
}

std::string type_text(DType dtype) {
    return cpp_dialect().type(dtype)->text;
}

class Operations {
public:
    std::vector<Operation> list;
    Snippets snippets;

    Operations() {
        for (DType dtype : numbers()) {
            use(cpp_dialect().type(dtype));
            for (DType to : numbers())
                if (to != dtype)
                    add_cast(dtype, to);
            if (ir::is_float(dtype))
                add_float(dtype);
            else
                add_integer(dtype);
        }
    }

private:
    void use(const std::optional<TargetSyntax>& syntax) {
        if (syntax)
            snippets.insert(syntax->needs.begin(), syntax->needs.end());
    }
    void add(DType in, DType out, const std::string& ir_text, const std::string& cpp_text) {
        list.push_back({cat(ir_text, " of ", ir::info(in).short_name), in, out, ir_text, cpp_text});
    }
    void add_cast(DType from, DType to) {
        auto syntax = cpp_dialect().cast(from, to);
        use(syntax);
        std::string text = syntax ? syntax->text : cat("static_cast<", type_text(to), ">({0})");
        add(from, to, cat("cast(x[i], ", ir::info(to).short_name, ")"), filled(text, {"a"}));
    }
    void add_float(DType dtype) {
        for (BinOp op : {BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne}) {
            std::string in_ir = cat("x[i] ", ir::spelling(op), " y[i]"), in_cpp = cat("a ", ir::spelling(op), " b");
            snippets.merge(cpp_dialect().operators(op, dtype));
            if (ir::is_comparison(op))
                add(dtype, DType::I32, cat("cast(", in_ir, ", i32)"), in_cpp);
            else
                add(dtype, dtype, in_ir, in_cpp);
        }
        snippets.merge(cpp_dialect().operators(ir::UnOp::Neg, dtype));
        add(dtype, dtype, "-x[i]", "-a");
        add_binary(BinOp::Mod, dtype, "x[i] rem y[i]");
        for (const ir::IntrinsicInfo& row : ir::all_intrinsics())
            if (row.category == ir::IntrinsicCategory::Math)
                add_math(row.id, dtype);
    }
    void add_integer(DType dtype) {
        add_binary(BinOp::FloorDiv, dtype, "x[i] // y[i]");
        add_binary(BinOp::FloorMod, dtype, "x[i] % y[i]");
        for (IntrinsicId id : {IntrinsicId::Min, IntrinsicId::Max, IntrinsicId::Abs})
            add_math(id, dtype);
    }
    void add_binary(BinOp op, DType dtype, const std::string& ir_text) {
        auto syntax = cpp_dialect().binary(op, dtype);
        use(syntax);
        if (syntax)
            add(dtype, dtype, ir_text, filled(syntax->text, {"a", "b"}));
    }
    void add_math(IntrinsicId id, DType dtype) {
        ir::ExprVec args;
        std::string list_text;
        for (int i = 0; i < ir::info(id).max_args; ++i) {
            args.push_back(ir::make_var("x", ir::data_type(dtype)));
            list_text += i == 0 ? "x[i]" : i == 1 ? ", y[i]" : ", x[i]";
        }
        ir::ExprRef expr = ir::math(id, args);
        const auto* call = ir::as<ir::Intrinsic>(expr);
        if (!call)
            return;
        auto syntax = cpp_dialect().intrinsic(*call);
        use(syntax);
        bool is_test = ir::info(id).result.kind == ir::IntrinsicResult::Kind::Fixed;
        std::string text = cat(ir::info(id).name, "(", list_text, ")");
        add(dtype, is_test ? DType::I32 : dtype, is_test ? cat("cast(", text, ", i32)") : text,
            filled(syntax->text, {"a", "b", "a"}));
    }
};

std::size_t width_of(DType dtype) {
    return static_cast<std::size_t>(ir::bytes_of(dtype));
}

// All bit patterns of short types; of long ones numbers of all sizes, and patterns.
std::vector<unsigned char> values_of(DType dtype, unsigned seed) {
    std::mt19937 random(seed);
    std::size_t bytes = width_of(dtype);
    std::vector<unsigned char> out(bytes * count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t bits = static_cast<std::uint64_t>(random()) << 32 | random();
        if (bytes <= 2 && seed == 1)
            bits = i;
        bool is_plain = i % 4 != 0 && ir::is_float(dtype) && bytes >= 4;
        double size = std::ldexp(static_cast<double>(random() % 4096) + 0.25, static_cast<int>(random() % 40) - 28);
        double value = random() % 2 ? size : -size;
        auto single = static_cast<float>(value);
        if (is_plain && bytes == 8)
            std::memcpy(&bits, &value, 8);
        if (is_plain && bytes == 4)
            std::memcpy(&bits, &single, 4);
        if (dtype == DType::TF32)
            bits &= ~std::uint64_t{0x1fff};
        if (!ir::is_float(dtype) && i % 3)
            bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> (random() % 60));
        if (!ir::is_float(dtype) && seed == 2)
            bits |= 1; // a divisor
        std::memcpy(out.data() + bytes * i, &bits, bytes);
    }
    return out;
}

std::vector<unsigned char> run_machine(const Operation& op, std::vector<unsigned char> x,
                                       std::vector<unsigned char> y) {
    test::KernelText k;
    k.args = "x, y, z", k.grid = "64, 1, 1", k.block = "1024, 1, 1";
    const char* in = ir::info(op.in).short_name;
    const char* out = ir::info(op.out).short_name;
    k.params = cat("x: *", in, "[65536], y: *", in, "[65536], z: *", out, "[65536]");
    k.body = cat("let i: i32 = blockIdx.x * 1024 + threadIdx.x\nz[i] = ", op.ir_text, "\n");
    auto program = test::compile(test::module_text(k));
    std::vector<unsigned char> z(width_of(op.out) * count);
    vm::Machine machine(vm::MachineOptions{});
    auto map = [&](std::vector<unsigned char>& data, const char* name) {
        return machine.map(data.data(), data.size(),
                           {.name = name, .dtype = "", .shape = {count}, .device = Device::Cuda});
    };
    std::string finding = test::run(program, machine, {map(x, "x"), map(y, "y"), map(z, "z")});
    if (!finding.empty())
        FAIL(finding);
    return z;
}

bool is_nan(DType dtype, const unsigned char* p) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, p, width_of(dtype));
    float single;
    double wide;
    std::memcpy(&single, p, std::min<std::size_t>(4, width_of(dtype)));
    switch (dtype) {
    case DType::F8E4M3: return (bits & 0x7f) == 0x7f;
    case DType::F8E5M2: return (bits & 0x7f) > 0x7c;
    case DType::F16: return (bits & 0x7fff) > 0x7c00;
    case DType::BF16: return (bits & 0x7fff) > 0x7f80;
    case DType::TF32:
    case DType::F32: return single != single;
    case DType::F64: std::memcpy(&wide, p, 8); return wide != wide;
    default: return false;
    }
}

std::string shown(const unsigned char* p, std::size_t bytes) {
    std::string text;
    char digits[4];
    for (std::size_t i = bytes; i-- > 0;) {
        std::snprintf(digits, sizeof digits, "%02x", p[i]);
        text += digits;
    }
    return text;
}

std::string source_text(const Operations& operations) {
    std::string text = cpp_dialect().prelude(operations.snippets);
    int number = 0;
    for (const Operation& op : operations.list) {
        std::string in = type_text(op.in), out = type_text(op.out);
        text += cat("extern \"C\" void op", number++, "(const ", in, "* x, const ", in, "* y, ", out,
                    "* z) {\n    for (int i = 0; i < ", count, "; ++i) {\n        const ", in,
                    " a = x[i];\n        [[maybe_unused]] const ", in, " b = y[i];\n        z[i] = ", op.cpp_text,
                    ";\n    }\n}\n");
    }
    return text;
}

using CompiledOperation = void (*)(const void* x, const void* y, void* z);

void compare(const Operation& op, CompiledOperation function) {
    auto x = values_of(op.in, 1), y = values_of(op.in, 2);
    std::vector<unsigned char> actual(width_of(op.out) * count);
    function(x.data(), y.data(), actual.data());
    auto expected = run_machine(op, x, y);
    std::size_t in = width_of(op.in), out = width_of(op.out);
    for (std::size_t i = 0; i < count; ++i) {
        const unsigned char *p = actual.data() + out * i, *q = expected.data() + out * i;
        bool is_same = std::memcmp(p, q, out) == 0 || (is_nan(op.out, p) && is_nan(op.out, q));
        if (!is_same)
            FAIL(cat("x ", shown(x.data() + in * i, in), ", y ", shown(y.data() + in * i, in), ": ", shown(p, out),
                     ", the machine has ", shown(q, out), "\n  ", op.cpp_text));
    }
}

} // namespace

TEST_CASE("operations have the bits of the virtual machine") {
    toolchain::InProcessCompiler compiler(toolchain::default_places());
    if (auto cxx = compiler.cxx(); !cxx)
        return test::skip(cxx.error().message);
    Operations operations;
    test::Loaded loaded(compiler, source_text(operations), {"-O1", "-Wall", "-Wextra"});
    for (std::size_t i = 0; i < operations.list.size(); ++i) {
        CAPTURE(operations.list[i].name);
        compare(operations.list[i], loaded.find<CompiledOperation>(cat("op", i)));
    }
}
