// SPDX-License-Identifier: GPL-3.0-only
// Find and replace in one view, a bar below it. It searches while it is typed in, marks all hits, and goes on searching when
// the text changes. A view that is read only has no second row.
#pragma once

#include <functional>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include "app/ui/code/visible_fill.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/widgets/text_search.h"

namespace hidet::ui {

class FindBar : public QWidget {
    Q_OBJECT
public:
    FindBar(CodeView& view, QWidget* parent);

    // The bar of the view: below it, in the layout that it stands in. Made hidden when it is first asked for.
    static FindBar* of(CodeView& view);

    void openFind(); // with what is selected, and the keyboard
    void openReplace();
    void closeBar();
    void findNext() { find(Then::Next); }
    void findPrevious() { find(Then::Previous); }
    void replaceCurrent();
    void replaceAll();

    const std::vector<ByteRange>& hits() const { return m_result.hits; }
    bool isSearching() const { return m_pending; }
    CodeView& view() const { return m_view; }

signals:
    void hitsChanged(); // also when the bar is closed: there are none then

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Then { Stay, ShowNearest, Next, Previous, ReplaceOne, ReplaceAll };
    QToolButton* option(const QString& text, const QString& name, const QString& help);
    QWidget* makeTools();
    void open();
    void showReplace(bool shown);
    void search(Then then);
    void find(Then then);
    SearchQuery query() const;
    void take(const SearchResult& result);
    void step(int direction);
    void show(std::size_t hit);
    void showCount();
    void applyOne(const TextEdit& edit);
    void applyAll(const SearchResult& result);
    void chooseScope(bool on);
    void applyTheme();
    std::optional<std::size_t> currentHit() const;

    CodeView& m_view;
    QLineEdit* m_what = new QLineEdit(this);
    QLineEdit* m_with = new QLineEdit(this);
    QToolButton *m_case, *m_words, *m_expression, *m_inSelection, *m_previous, *m_next, *m_close;
    QPushButton *m_replace, *m_replaceAll;
    QWidget* m_replaceTools = new QWidget(this);
    QLabel* m_count = new QLabel(this);
    TextSearch m_search;
    VisibleFill m_fill;
    OneShot m_again{0, [this] { search(Then::Stay); }};
    SearchResult m_result;
    Then m_then = Then::Stay;
    ByteRange m_one; // that is to be replaced
    bool m_pending = false;
    int m_from = 0; // where searching while typing begins
};

} // namespace hidet::ui
