// SPDX-License-Identifier: GPL-3.0-only
// The language manual beside the code: a section, a page, or the contents, with a field that finds words.
#pragma once

#include <QLineEdit>
#include <QPushButton>
#include <QTextBlock>
#include <QTextBrowser>

#include "app/session/live/manual.h"
#include "app/ui/code/language.h"
#include "app/ui/workbench/dock.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class ManualDock : public DockWidget {
public:
    explicit ManualDock(Studio& studio);

    // The section that explains a word; an unknown place: the contents.
    void show(const session::assist::ManualPlace& place);
    void showWord(const QString& word); // what is shown stays where the manual does not explain it
    const session::assist::ManualPlace& place() const { return m_place; }
    QTextBrowser& text() { return *m_text; }
    QSize sizeHint() const override;

protected:
    void focusInEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void search(const QString& word);
    void follow(const QUrl& link);
    void goBack();
    void render();
    QString markdown(); // of the place, with a link behind each script
    void style(QTextDocument& document) const;
    void colour(QTextBlock block, LineState& state) const;
    void wrap(); // at lines that can be read
    int widthOfLines() const;

    Studio& m_studio;
    QLineEdit* m_search;
    QPushButton* m_back;
    QTextBrowser* m_text;
    session::assist::ManualPlace m_place;
    QList<session::assist::ManualPlace> m_before;
    QList<QByteArray> m_scripts; // of what is shown
};

} // namespace hidet::ui
