// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/expressions.h"

#include <QRegularExpression>

#include "lang/base/text.h"

namespace hidet::ui {

static Result<session::TextTest> readExpression(std::string_view text) {
    const QString pattern = QString::fromUtf8(text.data(), qsizetype(text.size()));
    constexpr auto options = QRegularExpression::CaseInsensitiveOption;
    if (const QRegularExpression asked(pattern, options); !asked.isValid())
        return Error{"wrong-usage", cat(asked.errorString().toStdString(), ", at ", asked.patternErrorOffset())};
    const QRegularExpression limited("(*LIMIT_MATCH=100000)" + pattern, options);
    return session::TextTest([limited](std::string_view subject) {
        return limited.match(QString::fromUtf8(subject.data(), qsizetype(subject.size()))).hasMatch();
    });
}

session::ExpressionReader regularExpressions() {
    return readExpression;
}

} // namespace hidet::ui
