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

bool is_number_of_c(ir::DType dtype);                  // that functions take and return
std::optional<int> fraction_of_short(ir::DType dtype); // bits of it, in numbers of 16 bits, which C has as those bits

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
    bool is_in_a_shape = false;  // else only who calls knows it
    bool is_read_as_i32 = false; // by compiled code of the CPU
};

struct ExportedFunction {
    std::string name;        // "few_rows_matmul_2": of C
    std::string script_name; // "launch"
    bool is_on_cpu = false;
    std::size_t module = 0;          // of ExportedProgram::modules, or of cpu_modules
    std::string entry;               // on the CPU: what is called in the C++ of its module
    std::optional<ir::DType> result; // on the CPU: what it returns
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

// C++ for the CPU.
struct ExportedCpuModule {
    int number = 0; // as a preview has it
    int of = 1;
    std::string name;
    ir::ModuleRef script; // the part that is compiled
    artifact::Source source;
};

struct ExportedProgram {
    std::vector<ExportedModule> modules;
    std::vector<std::vector<ExportedImage>> images; // by module, by architecture; empty until they are made
    std::vector<ExportedCpuModule> cpu_modules;
    std::string shared_object_compiler; // "g++ 12.2.0"; empty: nothing is compiled yet, or in this format
    std::vector<std::string> levels;    // of x86-64, that C++ is compiled for: "x86-64-v2", the best last
    std::vector<ExportedFunction> functions;

    bool has_gpu_code() const { return !modules.empty(); }
};

// Gpu: what launches kernels, without functions of the CPU. Both: beside them functions of the CPU. Cpu: all of them, as code
// for the CPU.
enum class Devices : std::uint8_t { Gpu, Cpu, Both };

// Nothing: the reason is in the work's sink.
std::optional<ExportedProgram> exported_program(ExportWork& out, Devices devices = Devices::Gpu);
std::string name_of_function(const Callable& callable, const AskedModule& module);
int module_number(const ExportedProgram& program, const ExportedFunction& function);
// What NVRTC makes of the code. False: the reason is in the work's sink.
bool add_images(ExportWork& out, ExportedProgram& program);
std::optional<ExportedImage> image_of(ExportWork& out, const ExportedModule& module, const ExportedCode& code,
                                      bool with_ptx);

} // namespace hidet::session
