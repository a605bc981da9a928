// SPDX-License-Identifier: Apache-2.0
// The text of `hidetc emit --kind bytecode`. It is for people: registers are %u1 and %v1, constants appear as values,
// accesses as name[index, ...] and jump targets as the number of the instruction.
#include "compiler/artifact/memory_scope.h"
#include "compiler/artifact/program.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

#include <cstring>

namespace hidet::artifact {

namespace {

class Printer {
public:
    Printer(const Program& program, const Function& function) : m_program(program), m_function(function) {}

    void print(Disassembly& out) {
        header(out);
        for (std::size_t pc = 0; pc < m_function.code.size(); ++pc)
            line(out, cat("  ", number(pc), "  ", instruction(m_function.code[pc])), m_function.origins[pc]);
        line(out, "", {});
    }

private:
    static void line(Disassembly& out, const std::string& text, Origin origin) {
        out.text += text + "\n";
        out.line_origins.push_back(origin);
    }

    static std::string number(std::size_t pc) {
        std::string text = std::to_string(pc);
        return std::string(text.size() < 4 ? 4 - text.size() : 0, ' ') + text;
    }

    void header(Disassembly& out) {
        std::string text = m_function.kind == FunctionKind::Kernel ? "kernel "
                           : m_function.is_public                  ? "public "
                                                                   : "host ";
        text += m_function.name + "(";
        for (std::size_t i = 0; i < m_function.params.size(); ++i) {
            const Parameter& p = m_function.params[i];
            text += cat(i ? ", " : "", "%u", i, " ", p.name, ": ", p.is_pointer ? "pointer" : scalar_name(p.type));
        }
        text += ")";
        if (m_function.returns_value)
            text += cat(" -> ", scalar_name(m_function.return_type));
        text += cat("  # ", m_function.u_count, " u, ", m_function.v_count, " v");
        line(out, text, {});
        for (const SharedArray& a : m_function.shared)
            line(out,
                 a.bytes < 0 ? cat("  shared ", string(a.name), ": dynamic")
                             : cat("  shared ", string(a.name), ": ", scalar_name(a.element), ", ", a.bytes, " bytes"),
                 {});
        for (const LocalArray& a : m_function.locals)
            line(out,
                 cat("  local ", string(a.name), ": ", scalar_name(a.element), ", ", a.count, " elements",
                     m_function.kind == FunctionKind::Kernel ? cat(" in %v", a.first, a.packed ? " packed" : "") : ""),
                 {});
    }

    std::string string(std::int32_t row) const {
        return row < 0 ? "_" : m_program.strings[static_cast<std::size_t>(row)];
    }

    std::string operand(std::int32_t operand, Scalar type) const {
        if (operand < 0)
            return "_";
        int index = register_of(operand);
        if (!is_u(operand))
            return cat("%v", index);
        int constant = index - m_function.first_constant;
        if (constant < 0 || constant >= static_cast<int>(m_function.constants.size()))
            return cat("%u", index);
        return value(m_function.constants[static_cast<std::size_t>(constant)], type);
    }

    static std::string value(std::uint64_t bits, Scalar type) {
        if (type == Scalar::F32 || type == Scalar::TF32) {
            float f = 0;
            std::memcpy(&f, &bits, sizeof f);
            return shortest_float(f);
        }
        if (type == Scalar::F64) {
            double d = 0;
            std::memcpy(&d, &bits, sizeof d);
            return shortest(d);
        }
        return std::to_string(static_cast<std::int64_t>(bits));
    }

    std::string term(const AccessDim& dim) const {
        std::vector<std::string> parts;
        if (dim.u >= 0)
            parts.push_back(operand(dim.u, Scalar::I64));
        if (dim.v >= 0)
            parts.push_back(operand(dim.v, Scalar::I32));
        if (dim.constant || parts.empty())
            parts.push_back(std::to_string(dim.constant));
        std::string text = join(parts, "+");
        if (dim.extent >= 0)
            text += cat("<", dim.extent);
        else if (dim.extent_u >= 0)
            text += cat("<", operand(dim.extent_u, Scalar::I64));
        text += cat("*", dim.stride);
        if (dim.stride_u >= 0)
            text += cat("*", operand(dim.stride_u, Scalar::I64));
        return text;
    }

    std::string access(const Access& a) const {
        const char* space = a.space == Space::Pointer ? "" : a.space == Space::Shared ? "shared " : "local ";
        std::string text = cat(space, a.name >= 0 ? string(a.name) : "pointer");
        if (a.space == Space::Pointer)
            text += cat("(", operand(a.base, Scalar::U64), ")");
        std::vector<std::string> terms = transformed(a.dims, [&](const AccessDim& dim) { return term(dim); });
        text += cat("[", join(terms, ", "), "]");
        if (a.offset)
            text += cat("+", a.offset);
        return text;
    }

    std::string operand_row(std::int32_t row) const {
        const Operands& o = m_function.operands[static_cast<std::size_t>(row)];
        std::vector<std::string> parts;
        if (o.text >= 0)
            parts.push_back(quote(string(o.text)));
        for (std::size_t i = 0; i < o.items.size(); ++i)
            parts.push_back(i < o.types.size() ? operand(o.items[i], o.types[i]) : std::to_string(o.items[i]));
        return join(parts, ", ");
    }

    std::string launch(const Launch& l) const {
        auto three = [&](const std::int32_t(&dims)[3]) {
            return cat("(", operand(dims[0], Scalar::I64), ", ", operand(dims[1], Scalar::I64), ", ",
                       operand(dims[2], Scalar::I64), ")");
        };
        std::vector<std::string> args =
            transformed(l.args, [&](std::int32_t arg) { return operand(arg, Scalar::I64); });
        return cat(m_program.functions[static_cast<std::size_t>(l.function)].name, " grid ", three(l.grid), " block ",
                   three(l.block), " shared ", operand(l.dynamic_shared, Scalar::I64), " (", join(args, ", "), ")");
    }

    // The field of an instruction, as its row of opcodes.def says.
    std::string field(char kind, std::int32_t bits, const Instr& i) const {
        switch (kind) {
        case 'r':
        case 'u':
        case 'v': return operand(bits, i.op == Op::Convert ? static_cast<Scalar>(i.x) : i.type);
        case 't': return cat("-> ", bits);
        case 'A': return access(m_function.accesses[static_cast<std::size_t>(bits)]);
        case 'O': return operand_row(bits);
        case 'L': return launch(m_function.launches[static_cast<std::size_t>(bits)]);
        case 'S': return quote(string(bits));
        case 'G': return m_program.globals[static_cast<std::size_t>(bits)].name;
        case 'H': return string(m_function.shared[static_cast<std::size_t>(bits)].name);
        case 'C': return string(m_function.locals[static_cast<std::size_t>(bits)].name);
        default: return std::to_string(bits);
        }
    }

    std::string instruction(const Instr& i) const {
        const OpInfo& row = info(i.op);
        std::string text = row.name;
        if (row.operands[0] != '_' || row.operands[2] != '_')
            text += cat(".", scalar_name(i.type));
        if (i.op == Op::Convert)
            text += cat(".", scalar_name(static_cast<Scalar>(i.x)));
        if (i.flags & flag_negate)
            text += ".not";
        if (i.flags & flag_blend)
            text += ".blend";
        if (i.flags & flag_strong)
            text += ".strong";
        if (i.flags & flag_factor)
            text += ".factor";
        if (i.flags & (flag_block_scope | flag_cluster_scope))
            text += has_scope(i.flags, flag_system_scope)  ? ".system"
                    : has_scope(i.flags, flag_block_scope) ? ".block"
                                                           : ".cluster";
        if (i.flags & flag_may_block)
            text += ".split";
        const std::int32_t fields[] = {i.dst, i.a, i.b, i.c, i.x};
        std::vector<std::string> parts;
        for (int f = 0; f < 5; ++f) {
            char kind = row.operands[2 * f];
            bool is_register = kind == 'r' || kind == 'u' || kind == 'v';
            bool from_type = i.op == Op::Convert && f == 4;
            if (kind == '_' || from_type || (is_register && fields[f] < 0))
                continue;
            parts.push_back(field(kind, fields[f], i));
        }
        return parts.empty() ? text : text + " " + join(parts, ", ");
    }

    const Program& m_program;
    const Function& m_function;
};

} // namespace

Disassembly disassemble(const Program& program, const Function& function) {
    Disassembly out;
    Printer(program, function).print(out);
    return out;
}

Disassembly disassemble(const Program& program) {
    Disassembly out;
    for (const Function& function : program.functions) {
        Disassembly one = disassemble(program, function);
        out.text += one.text;
        out.line_origins.insert(out.line_origins.end(), one.line_origins.begin(), one.line_origins.end());
    }
    return out;
}

} // namespace hidet::artifact
