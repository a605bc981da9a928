// SPDX-License-Identifier: Apache-2.0
// What a model calls the dimensions of its inputs. Exporters name some by what they are made of: the third dimension of
// [batch, heads, past + sequence] is no symbol of its own where an input has "past" and one "sequence".
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/graph/core/shape.h"
#include "compiler/graph/onnx/model.h"
#include "lang/base/symbol_values.h"

namespace hidet::graph::onnx {

class DimensionNames {
public:
    // `values` are those that the caller gives to dimensions.
    DimensionNames(const std::vector<ValueInfo>& inputs, const SymbolValues& values);

    // A number, a symbol, or an expression over symbols each of which is a dimension of some input or has a value. OpError
    // for a value that is negative.
    Dim of(const std::string& param);
    const std::set<std::string>& used() const { return m_used; } // of what of() was asked for

private:
    Dim symbol(const std::string& param);
    std::string identifier(const std::string& param);
    bool is_dimension(const std::string& name) const { return m_alone.contains(name) || m_values.contains(name); }

    const SymbolValues& m_values;
    std::set<std::string> m_alone; // what stands alone as a dimension
    std::set<std::string> m_used;
    std::map<std::string, std::string> m_identifiers;
    std::set<std::string> m_taken;
};

} // namespace hidet::graph::onnx
