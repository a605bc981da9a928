// SPDX-License-Identifier: GPL-3.0-only
// The language manual: a section, a page, or the contents, with a field that finds words.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBrowser>

#include "app/session/live/manual.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class ManualPage : public QWidget {
public:
    explicit ManualPage(Studio& studio);

    // The section that explains a word; an unknown place: the contents.
    void show(const session::assist::ManualPlace& place);
    const session::assist::ManualPlace& place() const { return m_place; }
    QTextBrowser& text() { return *m_text; }

protected:
    void focusInEvent(QFocusEvent* event) override;

private:
    void search(const QString& word);
    void follow(const QUrl& link);
    void goBack();
    void render();
    void style(QTextDocument& document) const; // fonts and backgrounds of code

    Studio& m_studio;
    QLabel* m_title;
    QLineEdit* m_search;
    QPushButton* m_back;
    QTextBrowser* m_text;
    session::assist::ManualPlace m_place;
    QList<session::assist::ManualPlace> m_before;
};

} // namespace hidet::ui
