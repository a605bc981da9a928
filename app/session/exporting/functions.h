// SPDX-License-Identifier: Apache-2.0
// What a script's modules let others call: each function with what it launches, as steps of a launch plan over its
// parameters, and the machine code of the kernels.
#pragma once

#include <string>
#include <vector>

#include "app/session/exporting/kernels.h"
#include "app/session/kernel_bench/parameters.h"
#include "compiler/artifact/launch_plan.h"

namespace hidet::session {

struct ExportedParameter {
    std::string name; // no word of C, C++ or Python
    ParameterKind kind = ParameterKind::Scalar;
    ir::DType dtype{};
    std::vector<artifact::Row> shape; // of a Tensor: expressions of the body
    bool is_read = false;             // memory behind it
    bool is_written = false;
};

// A dimension without a number.
struct ExportedSymbol {
    std::string name;       // as C has it
    artifact::Row row = 0;  // of the body's symbols
    std::size_t tensor = 0; // a parameter whose shape has it alone in one place
    std::size_t dimension = 0;
    bool is_in_a_shape = false; // else only who calls knows it
};

struct ExportedFunction {
    std::string name;        // "few_rows_matmul_2": of C
    std::string script_name; // "launch"
    std::size_t module = 0;  // of ExportedProgram::modules
    std::vector<ExportedParameter> parameters;
    std::vector<ExportedSymbol> symbols;
    artifact::PlanBody body;               // launches; its values are the parameters
    std::vector<std::string> kernels;      // by PlanStep::function: symbols in the module's code
    std::vector<std::string> symbol_texts; // by row of the body's symbols: what it is in C
    std::vector<bool> symbol_is_real;      // likewise: a float, where expressions have the bits of an f64
};

struct ExportedImage {
    artifact::TargetSpec target;
    std::string cubin;
    std::string ptx; // empty: nobody asked for it
    std::string compiler;
};

struct ExportedProgram {
    std::vector<ExportedModule> modules;
    std::vector<std::vector<ExportedImage>> images; // by module, by architecture; empty until they are made
    std::vector<ExportedFunction> functions;
};

// Nothing: the reason is in the work's sink.
std::optional<ExportedProgram> exported_program(ExportWork& out);
// What NVRTC makes of the code. False: the reason is in the work's sink.
bool add_images(ExportWork& out, ExportedProgram& program);
std::optional<ExportedImage> image_of(ExportWork& out, const ExportedModule& module, const ExportedCode& code,
                                      bool with_ptx);

} // namespace hidet::session
