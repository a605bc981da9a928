// SPDX-License-Identifier: Apache-2.0
// hidetc tensor: what a .npy file, a constant of a model or the memory of a block holds, and how far that is from another one.
#include "app/cli/output.h"
#include "app/cli/text/document.h"
#include "app/cli/text/numbers.h"
#include "app/cli/tile_choice.h"
#include "app/cli/verbs.h"
#include "app/session/model/view/constant_tensor.h"
#include "app/session/tensor/tensor_text.h"
#include "app/session/worker/compile_pool.h"

namespace hidet::cli {

using namespace session;

namespace {

struct TensorOptions {
    TensorRequest request;
    std::string tolerance;
    bool json = false;
    std::string shared, registers; // names
    BlockTensorRequest of_block;
    std::string block;
    std::uint64_t at = 0;
};

int show_view(const Result<TensorView>& view, bool json) {
    if (!view) {
        print_note("error: " + view.error().message);
        return exit_usage;
    }
    print_text(json ? Document().add_members(view.value()).text() : tensor_text(view.value()));
    return view.value().difference && view.value().difference->bad > 0 ? exit_user : exit_fine;
}

int show_of_block(const TensorOptions& options, TensorRequest request, const Cancelled& cancelled) {
    BlockTensorRequest asked = options.of_block;
    asked.source.file = options.request.file;
    asked.memory = options.shared.empty() ? "registers" : "shared";
    asked.tensor = options.shared.empty() ? options.registers : options.shared;
    const bool is_chosen = !options.block.empty() || options.at > 0;
    if (is_chosen && !read_tile_choice(options.block.empty() ? "0" : options.block, options.at, asked.tile))
        return exit_usage;
    const BlockTensorFile of_block = block_tensor_of(asked, cancelled);
    if (!of_block.saved)
        return of_block.exit;
    request.file = of_block.saved->file;
    request.dtype = of_block.saved->dtype;
    request.written = of_block.saved->written_file;
    Result<TensorView> view = view_tensor(request);
    if (!view)
        return show_view(view, options.json);
    TensorView shown = std::move(view).value();
    shown.file = options.request.file;
    shown.where = of_block.saved->name;
    const int exit = show_view(shown, options.json);
    return of_block.exit == exit_fine ? exit : of_block.exit;
}

// An option that says more of the tensor of a block; empty: none is given.
std::string option_of_block(const TensorOptions& options) {
    return first_given({{!options.block.empty(), "--block"},
                        {options.at > 0, "--at"},
                        {!options.of_block.function.empty(), "--function"}});
}

// Whether the options fit each other; else it is told.
bool are_consistent(const TensorOptions& options) {
    const bool is_of_block = !options.shared.empty() || !options.registers.empty();
    std::string text;
    if (!options.shared.empty() && !options.registers.empty())
        text = "'--shared' and '--registers' name two tensors, and one is shown";
    else if (const std::string option = option_of_block(options); !is_of_block && !option.empty())
        text = cat("'", option, "' is of a tensor that '--shared' or '--registers' names");
    else if (is_of_block && !options.request.written.empty())
        text = "'--written' is for a file: of a tensor of a block it is known";
    else if (is_of_block && !options.request.dtype.empty())
        text = "'--dtype' is for a file: of a tensor of a block the type is known";
    else if (options.request.against.empty() && !options.tolerance.empty())
        text = "'--tolerance' is for a comparison: give '--against', too";
    if (!text.empty())
        wrong_usage(text);
    return text.empty();
}

int show_tensor(const TensorOptions& options, const Cancelled& cancelled) {
    if (!are_consistent(options))
        return exit_usage;
    TensorRequest request = options.request;
    request.cancelled = &cancelled;
    double absolute = 0, relative = 0;
    if (!options.tolerance.empty() && !read_bounds(options.tolerance, absolute, relative)) {
        print_note(
            cat("error: '", options.tolerance, "' is not a tolerance (absolute, relative), such as '1e-5,1e-3'"));
        return exit_usage;
    }
    request.tolerance = {absolute, relative};
    if (!options.shared.empty() || !options.registers.empty())
        return show_of_block(options, std::move(request), cancelled);
    StoredTensorPtr constant;
    if (const std::optional<ConstantName> name = constant_named_by(options.request.file)) {
        if (!options.request.dtype.empty())
            return refuse_usage(cat("'--dtype' is for an array, and '", options.request.file,
                                    "' is a constant, whose type the model says"));
        ModelRequest model;
        model.path = name->model;
        model.tools = open_confined_tools();
        model.cancelled = &cancelled;
        const ConstantResult read = read_constant(model, name->constant);
        print_diagnostics(read.diagnostics);
        if (!read.refusal.empty())
            print_note("error: " + read.refusal);
        if (!read.tensor)
            return read.refusal.empty() ? end_of(read) : exit_usage;
        constant = read.tensor;
    }
    return show_view(constant ? view_tensor(request, constant) : view_tensor(request), options.json);
}

} // namespace

void add_tensor(Verb& program, Action& chosen) {
    Verb verb =
        program.add_verb("tensor", "what a .npy file or a weight holds: statistics, a slice as a grid, differences");
    TensorOptions& options = options_for(verb, chosen, show_tensor);
    verb.file(
        "FILE", options.request.file,
        "a .npy file, as 'try --save' and 'model run --output' write it, or a constant of a model: MODEL.onnx:NAME; "
        "with --shared and --registers a script");
    verb.flag("--json", options.json, "one JSON document on standard output");
    verb.text("--against", options.request.against, "FILE", "what it should be; ends with 1 where an element is wrong");
    verb.text("--tolerance", options.tolerance, "ABS,REL", "of each element, absolute and relative: 1e-5,1e-3");
    verb.text("--slice", options.request.slice, "SLICE", "of more than two dimensions: '0,*,*' shows the last two");
    verb.text("--written", options.request.written, "FILE",
              "what 'try --save' wrote of the elements that were never written");
    verb.text("--shared", options.shared, "NAME",
              "of a script: emulates its kernels, and shows this shared tensor as a block leaves it, or as it was when "
              "something was found");
    verb.text(
        "--registers", options.registers, "NAME",
        "likewise a register tensor of all threads of the block: elements where its layout has them, else thread by "
        "thread");
    verb.text("--block", options.block, "N|X,Y,Z",
              "of these: which block, by its number or its index (the one in which something was found, else 0)");
    verb.number("--at", options.at, "LINE", "likewise: as the last thread of the block leaves this line");
    verb.text("--function", options.of_block.function, "F",
              "likewise: call this one (the first that the script calls)");
    verb.text("--dtype", options.request.dtype, "TYPE", "of items that NumPy has no type for: bf16, f8e4m3, f8e5m2");
}

} // namespace hidet::cli
