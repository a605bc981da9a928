// SPDX-License-Identifier: GPL-3.0-only
// A place to go to, typed or pasted: "12", "12:5", "kernels/matmul.py:12:5".
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QWidget>
#include <optional>

#include "app/session/snapshot/snapshot.h"
#include "app/ui/widgets/floating_panel.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

// File, line and column, where the text has them: the file stays empty where it has none.
inline std::optional<session::Place> placeOfText(const QString& text) {
    static const QRegularExpression form(R"(^\s*(?:(.*[^\d\s:,].*?):)?\s*(\d{1,9})(?:[:,]\s*(\d{1,9}))?:?\s*$)");
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch() || match.captured(2).toInt() < 1)
        return std::nullopt;
    const int line = match.captured(2).toInt(), column = std::max(1, match.captured(3).toInt());
    return session::Place{match.captured(1).trimmed().toStdString(), line, column, line, column};
}

class GoBar : public QWidget {
    Q_OBJECT
public:
    explicit GoBar(QWidget* parent) : QWidget(parent) {
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

    // where the caret is, and how many there are
    void open(int line, int lines) {
        m_place->setText(QString::number(line));
        m_place->selectAll();
        m_message->setText(tr("line 1 to %1").arg(lines));
        setVisible(true);
        m_place->setFocus(Qt::ShortcutFocusReason);
    }

    void closeBar() {
        setVisible(false);
        emit closed();
    }

signals:
    void placeRequested(const hidet::session::Place& place);
    void closed();

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        return filterKeys(
            event, [this] { go(); }, [this] { closeBar(); });
    }

private:
    void go() {
        const auto place = placeOfText(m_place->text());
        if (!place)
            return m_message->setText(tr("Not a line number"));
        closeBar();
        emit placeRequested(*place);
    }

    QLineEdit* m_place = new QLineEdit(this);
    QLabel* m_message = new QLabel(this);
};

} // namespace hidet::ui
