// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/program.h"

#include <iterator>

namespace hidet::artifact {

namespace {

constexpr OpInfo op_rows[] = {
#define HIDET_OP(name, text, operands, summary) {text, operands, summary},
#include "compiler/artifact/opcodes.def"
};

} // namespace

const OpInfo& info(Op op) {
    return op_rows[static_cast<std::size_t>(op)];
}

int function_index(const Program& program, std::string_view name) {
    for (std::size_t i = 0; i < program.functions.size(); ++i)
        if (program.functions[i].name == name)
            return static_cast<int>(i);
    return -1;
}

const Function* find_function(const Program& program, std::string_view name) {
    int row = function_index(program, name);
    return row < 0 ? nullptr : &program.functions[static_cast<std::size_t>(row)];
}

} // namespace hidet::artifact
