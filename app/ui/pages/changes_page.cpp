// SPDX-License-Identifier: GPL-3.0-only
// What a script has that its file has not, line by line.
#include <QPushButton>

#include "app/session/view/diff.h"
#include "app/ui/code/code_view.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/pages/page_parts.h"
#include "app/ui/pages/pages.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

struct Changes {
    QByteArray text;
    std::vector<int> added, removed; // lines, 0-based
    bool same = false;
};

QByteArray lineOf(const QList<QByteArray>& lines, int number) {
    return number > 0 && number <= lines.size() ? lines[number - 1] : QByteArray();
}

Changes changesBetween(const QByteArray& file, const QByteArray& script) {
    Changes out;
    const auto diff = session::diff(file.toStdString(), script.toStdString(), {});
    if (!diff)
        return out;
    out.same = diff->same();
    const QList<QByteArray> left = file.split('\n'), right = script.split('\n');
    int line = 0;
    for (const session::DiffRow& row : session::inline_rows(*diff)) {
        const bool removed = row.kind == session::RowKind::Removed;
        if (removed)
            out.removed.push_back(line);
        else if (row.kind == session::RowKind::Added)
            out.added.push_back(line);
        out.text += (removed ? lineOf(left, row.left) : lineOf(right, row.right)) + '\n';
        ++line;
    }
    return out;
}

class ChangesPage : public QWidget {
public:
    explicit ChangesPage(Studio& studio) : m_studio(studio) {
        m_said = named(new QLabel, "changes.said");
        auto* back = new QPushButton(tr("Back to the script"));
        m_view = new CodeView(studio.themes, Language::Script, this);
        m_view->setReadOnly(true);
        m_view->setAccessibleName(tr("What changed"));
        newColumn(this, {barOfPage({{m_said, 1}, back}), {m_view, 1}});
        connect(back, &QPushButton::clicked, &studio.requests, &ViewRequests::editorRequested);
        setFocusProxy(m_view);
    }

protected:
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        refresh();
    }

private:
    void refresh() {
        const Document* document = m_studio.tabs.current();
        if (!document)
            return;
        const QString title = document->title();
        const auto compared = [path = document->path(), text = document->text()](const std::atomic<bool>&) {
            FileError ignored;
            const auto read = path.isEmpty() ? std::nullopt : readTextFile(path, ignored);
            return changesBetween(read ? read->text : QByteArray(), text);
        };
        m_comparing.run(compared, [this, title](const Changes& changes) {
            m_view->setReadOnly(false);
            m_view->showText(changes.text);
            m_view->setReadOnly(true);
            m_view->markerDeleteAll(CodeView::AddedLine);
            m_view->markerDeleteAll(CodeView::RemovedLine);
            for (const int line : changes.added)
                m_view->markerAdd(line, CodeView::AddedLine);
            for (const int line : changes.removed)
                m_view->markerAdd(line, CodeView::RemovedLine);
            m_said->setText(changes.same ? tr("%1 is what its file holds").arg(title)
                                         : tr("%1 against its file: %2 lines added, %3 removed")
                                               .arg(title)
                                               .arg(changes.added.size())
                                               .arg(changes.removed.size()));
            const int first = changes.added.empty()     ? -1
                              : changes.removed.empty() ? changes.added.front()
                                                        : std::min(changes.added.front(), changes.removed.front());
            if (first >= 0)
                m_view->reveal(m_view->rangeOfLine(first));
        });
    }

    Studio& m_studio;
    QLabel* m_said;
    CodeView* m_view;
    LatestTask m_comparing;
};

} // namespace

QWidget* makeChangesPage(Studio& studio) {
    return new ChangesPage(studio);
}

} // namespace hidet::ui
