// SPDX-License-Identifier: Apache-2.0
#include "runtime/package/expression_text.h"

#include "compiler/artifact/expression.h"
#include "lang/base/text.h"

namespace hidet::artifact {

namespace {

struct ExpressionText {
    std::string text;
    template <class... Parts>
    void add(const Parts&... parts) {
        text += cat(parts...);
    }
};

} // namespace

std::string text_of(const std::vector<Expression>& table, std::uint32_t row, const std::vector<std::string>& symbols) {
    ExpressionText out;
    package::ExprPrinter(table, symbols, out).print(row);
    return std::move(out.text);
}

} // namespace hidet::artifact
