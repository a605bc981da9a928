// SPDX-License-Identifier: Apache-2.0
// The code of a model that is planned: what any operator became, from its definition to machine code, as fast as one program
// can be lowered. Nothing is imported, optimised or planned again for it.
//
// Programs, steps and the definitions of operators are kept; a program is lowered when it is first asked for, and what was
// made of it is kept for the next question. All of it may be asked from any thread at any time.
//
// Every line and token that came from an operator has a place in the file graph_name(): the line of that operator
// (CodeOperator::line). Groups that are alike share a program; its lines are those of the operators that it was lowered from,
// CodeProgram::nodes, and the operators of every use stand in the places of those.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/request/request.h"
#include "app/session/snapshot/outcome.h"

namespace hidet::session {

struct Work;
class ModelStages;

struct CodeOperator {
    std::uint32_t node = 0; // id
    std::string key;
    std::string name; // as the model has it
    std::string op;   // "Conv2d"
    int line = 0;     // of origins
};

struct CodeUse {
    std::uint32_t step = 0;           // of the run
    std::vector<std::uint32_t> nodes; // in the places of the program's
    std::vector<std::string> kernels; // that the step launches, in order
    std::string schedule;             // "matmul_wgmma(block_n=64)"; empty: the rules
};

// The script of a template, as it was when the model was planned.
struct CodeTemplate {
    std::string name; // "matmul_wgmma", "softmax.softmax"
    std::string file; // "matmul_wgmma.py", or the path of a user's
    std::string text;
    int line = 1; // of the template in it
    bool is_ours = false;
};

struct CodeProgram {
    std::string key;
    std::vector<std::uint32_t> nodes;
    std::vector<CodeUse> uses; // in the order of the run
    bool is_cuda = false;
};

struct CodePlace {
    std::uint32_t program = 0;
    std::uint32_t use = 0;
    friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

struct CodeQuestion {
    static constexpr int last_pass = std::numeric_limits<int>::max();

    std::uint32_t program = 0;
    std::optional<Form> form; // nothing: IR
    int pass = last_pass;     // that the IR is of, by number; 0: as it was scheduled
    std::string arch = default_arch;
    std::shared_ptr<Tools> tools; // may be null where the form needs no compiler
    const std::atomic<bool>* cancelled = nullptr;
};

struct CodeAnswer : Outcome {
    std::shared_ptr<const ModuleSnapshot> module; // its functions and passes, without texts; null: it cannot be lowered
    std::shared_ptr<const FormSnapshot> code;     // null: the diagnostics say why
    bool lacks_tool = false;                      // then it is no mistake, but this machine
};

class ModelCode {
public:
    ~ModelCode();
    ModelCode(const ModelCode&) = delete;
    ModelCode& operator=(const ModelCode&) = delete;

    const std::string& graph_name() const; // "mlp.graph"
    const std::vector<CodeProgram>& programs() const;
    const CodeOperator* find(std::uint32_t node) const;          // null: not in the graph that is run
    const CodeOperator* at_line(int line) const;                 // null: none
    std::optional<CodePlace> place_of(std::uint32_t node) const; // nothing: no kernel computes it
    // That scheduled it; null: the rules did.
    std::shared_ptr<const CodeTemplate> template_of(const CodePlace& place) const;
    bool runs_on_host(std::uint32_t node) const;
    std::optional<Place>
    site_of(std::uint32_t node) const; // in the script that defines the operator; nothing: none does

    // What its operators compute, one after the other. Of an operator that no kernel computes: what is known of it.
    std::shared_ptr<const TextSnapshot> definition(const CodePlace& place) const;
    std::shared_ptr<const TextSnapshot> definition(std::uint32_t node) const;

    CodeAnswer answer(const CodeQuestion& question) const;
    // The same, if it was answered before; nothing otherwise. Never waits for more than a look-up.
    std::optional<CodeAnswer> known(const CodeQuestion& question) const;

private:
    friend class ModelCodeMaker;
    struct Data;
    explicit ModelCode(std::unique_ptr<Data> data);
    std::unique_ptr<Data> m_data;
};

// Made between optimise() and plan(), when origins must be given; taken once the model is planned.
class ModelCodeMaker {
public:
    ModelCodeMaker(Work& work, const ModelStages& stages, const std::string& path);
    ~ModelCodeMaker();
    std::shared_ptr<const ModelCode> take();

private:
    Work& m_work;
    const ModelStages& m_stages;
    std::unique_ptr<ModelCode::Data> m_data;
};

} // namespace hidet::session
