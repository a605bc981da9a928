// SPDX-License-Identifier: Apache-2.0
// Shapes of tensors in a graph. A dimension is an integer expression of type i64: a constant, or arithmetic over symbols
// (ir::SymbolVar, equal by name in the whole graph). Two dimensions are the same when their simplified expressions are.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/printable.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

#include "compiler/ir/expr.h"

namespace hidet::graph {

using Dim = ir::ExprRef;
using Shape = std::vector<Dim>;

// A mistake of who builds the graph: shapes that do not fit, an axis out of range, a dtype that an operator does not take.
// Callers turn it into a diagnostic at the call in the script, or into a message that names the node of the model.
class OpError : public std::runtime_error {
public:
    // Lower-case, no final period, in parts as cat() takes them; of a real number the text, as how it is written is a
    // decision. It may quote what a stranger's file says, however long.
    template <class... Parts>
        requires(!std::floating_point<Parts> && ...)
    explicit OpError(const Parts&... parts) : std::runtime_error(printable(cat(parts...))) {}
};

Dim dim(std::int64_t extent);
Dim symbol_dim(const std::string& name); // "batch"
Dim simplified(const Dim& dim);          // constants folded, sums and products in one order
std::optional<std::int64_t> constant_of(const Dim& dim);
bool same_dim(const Dim& a, const Dim& b);
bool differ(const Dim& a, const Dim& b);     // both are constants, and not the same
bool differ(const Shape& a, const Shape& b); // in their ranks, or in an extent
bool same_shape(const Shape& a, const Shape& b);

Shape shape_of(const std::vector<std::int64_t>& extents);
std::optional<std::vector<std::int64_t>> constant_shape(const Shape& shape); // nothing when a dimension is symbolic
std::vector<std::int64_t> dims_from(std::int64_t first, std::size_t rank);   // first, first + 1, ... up to the last
Dim element_count(const Shape& shape);
std::string text_of(const Dim& dim);     // "4", "seq", "2 * (seq + 1)"
std::string text_of(const Shape& shape); // "[1, seq, 768]"
Dim parse_dim(std::string_view text);    // null: not the text of a dimension

// The symbols of a dimension or shape, in the order of their names.
std::vector<std::string> symbols_of(const Shape& shape);

// NumPy's rule. A symbol meets 1 or itself; two different symbols are an OpError, as are unequal constants; a symbol that
// meets a constant other than 1 becomes the constant (the run checks it).
Shape broadcast(const Shape& a, const Shape& b);

// Python's rule for negative axes; OpError when out of range. `what` names it: "axis".
std::int64_t normalise_axis(std::int64_t axis, std::size_t rank, const char* what);

} // namespace hidet::graph
