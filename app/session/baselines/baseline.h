// SPDX-License-Identifier: Apache-2.0
// Who a call is measured against: a library that computes the same, or the call of another script.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/execute/executor.h"
#include "app/session/tools/tools.h"

namespace hidet::session {

class ArgumentCopies;

// Starts of the same call, each on memory of its own, for as long as the baseline and the copies live.
using Starts = std::vector<std::function<Result<void>()>>;

class Baseline {
public:
    virtual ~Baseline() = default;
    virtual std::string name() const = 0;
    virtual Result<void> once() = 0;
    virtual Result<void> start() { return once(); } // on a GPU: does not wait
    virtual Repeat* repeat() { return nullptr; }    // what once() does, where it is a call of a script
    // The greatest absolute difference between its last result and what the call left in its tensors; nothing: there is
    // nothing in both that can be compared.
    virtual std::optional<double> difference() const = 0;
    // What start() does, on copies of the call's arguments; for at most `launches` launches in a row.
    virtual Result<Starts> on_copies(const ArgumentCopies& copies, int launches);
};

Starts starts_on(GpuRepeat& call, const ArgumentCopies& copies); // of the call itself, for as long as it lives

// "openblas", "cublas". Errors: "no-such-baseline", "baseline-does-not-fit" (it does not compute what these arguments look like, or
// not where they are), and what the baseline's library says. `gpu` is the call when it runs on one.
Result<std::unique_ptr<Baseline>> make_library_baseline(const std::string& name,
                                                        const std::vector<lang::CallArgument>& args, GpuRepeat* gpu,
                                                        Tools& tools);
Result<std::unique_ptr<Baseline>> make_openblas(const std::vector<lang::CallArgument>& args, GpuRepeat* gpu,
                                                Tools& tools);
Result<std::unique_ptr<Baseline>> make_cublas(const std::vector<lang::CallArgument>& args, GpuRepeat* gpu,
                                              Tools& tools);

std::unique_ptr<Baseline> make_script_baseline(std::unique_ptr<Repeat> repeat, std::vector<lang::CallArgument> mine,
                                               std::vector<lang::CallArgument> theirs);

// The matrix product that arguments look like: three tensors of shapes m x k, k x n and m x n, in this order.
struct GemmShape {
    int m = 0, n = 0, k = 0;
    lang::TensorRef a, b, c;
};
std::optional<GemmShape> gemm_of(const std::vector<lang::CallArgument>& args);

// Of `count` elements of f32, f16 or bf16; not a number where one of them is none.
double greatest_difference(const std::byte* a, ir::DType a_type, const std::byte* b, ir::DType b_type,
                           std::size_t count);

} // namespace hidet::session
