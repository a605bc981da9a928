// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/expressions.h"

#include <QCoreApplication>
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

session::NodeSearch findNodes(const session::ModelGraph& graph, const QString& query, SearchBy by,
                              const std::atomic<bool>& stopped) {
    const std::string text = query.trimmed().toStdString();
    return by == SearchBy::Expressions ? session::find_nodes_by_expression(graph, text, regularExpressions(), &stopped)
                                       : session::find_nodes(graph, text);
}

QToolButton* newExpressionSwitch(QWidget* line) {
    auto* button = new QToolButton(line);
    button->setText(".*");
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(QCoreApplication::translate("Search", "Regular expression"));
    button->setToolTip(QCoreApplication::translate(
        "Search", "Regular expression: the words are expressions, as in op:^(conv|matmul) name:layer[0-3]"));
    return button;
}

} // namespace hidet::ui
