// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/go_bar.h"

#include <QRegularExpression>

#include "app/ui/widgets/parts.h"

namespace hidet::ui {

std::optional<session::Place> placeOfText(const QString& text) {
    static const QRegularExpression form(R"(^\s*(?:(.*[^\d\s:,].*?):)?\s*(\d{1,9})(?:[:,]\s*(\d{1,9}))?:?\s*$)");
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch() || match.captured(2).toInt() < 1)
        return std::nullopt;
    const int line = match.captured(2).toInt(), column = std::max(1, match.captured(3).toInt());
    return session::Place{match.captured(1).trimmed().toStdString(), line, column, line, column};
}

GoBar::GoBar(QWidget* parent) : QWidget(parent) {
    setObjectName("goBar");
    makeBar(*this);
    m_place->setObjectName("goText");
    m_place->setAccessibleName(tr("Place to go to"));
    m_place->setPlaceholderText(tr("line, line:column or file:line:column"));
    m_message->setProperty("muted", true);
    auto* label = new QLabel(tr("Go to"), this);
    label->setBuddy(m_place);
    newRow({8, 4, 8, 4}, 8, {label, {m_place, 1}, m_message}, this);
    m_place->installEventFilter(this);
    setVisible(false);
}

void GoBar::open(int line, int lines) {
    m_place->setText(QString::number(line));
    m_place->selectAll();
    m_message->setText(tr("line 1 to %1").arg(lines));
    setVisible(true);
    m_place->setFocus(Qt::ShortcutFocusReason);
}

void GoBar::closeBar() {
    setVisible(false);
    emit closed();
}

bool GoBar::eventFilter(QObject*, QEvent* event) {
    return filterKeys(
        event, [this] { go(); }, [this] { closeBar(); });
}

void GoBar::go() {
    const auto place = placeOfText(m_place->text());
    if (!place)
        return m_message->setText(tr("Not a line number"));
    closeBar();
    emit placeRequested(*place);
}

} // namespace hidet::ui
