// SPDX-License-Identifier: GPL-3.0-only
// Search in the script and in all of its stages at once. What is found is grouped by stage; a hit is shown in a pane.
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QToolButton>
#include <QTreeWidget>

#include "app/session/view/search.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/docks/docks.h"
#include "app/ui/panes/stage_text.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/hit_delegate.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

constexpr int pause_ms = 60;
constexpr std::size_t most_hits = 1'000;

struct SearchedText {
    StageName stage; // empty: the script
    std::optional<session::Form> form;
    session::SearchText text;
};

// Byte ranges of what a regular expression matches in a line of UTF-8.
std::vector<session::TextRange> matchesOf(const QRegularExpression& expression, std::string_view line) {
    std::vector<session::TextRange> out;
    const QString text = QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()));
    const bool plain = static_cast<std::size_t>(text.size()) == line.size();
    auto bytes = [&](qsizetype at) {
        return static_cast<std::uint32_t>(plain ? at : QStringView(text).left(at).toUtf8().size());
    };
    for (auto matches = expression.globalMatch(text); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        if (match.capturedLength() > 0)
            out.push_back({bytes(match.capturedStart()), bytes(match.capturedEnd())});
    }
    return out;
}

class SearchDock : public DockWidget {
public:
    explicit SearchDock(Studio& studio)
        : m_studio(studio), m_case(toggle("Aa", tr("Match case"))), m_word(toggle("W", tr("Whole words"))),
          m_regex(toggle(".*", tr("Regular expression"))),
          m_passes(toggle(tr("All passes"), tr("Search the IR after every pass that changed it"))) {
        build();
        connect(m_text, &QLineEdit::textChanged, this, [this] { m_pause.start(); });
        for (QToolButton* button : {m_case, m_word, m_regex, m_passes})
            connect(button, &QToolButton::toggled, this, &SearchDock::search);
        const auto searchSoon = [this] {
            if (!m_pause.isActive())
                m_pause.start();
        };
        connect(&studio.scripts, &LiveScripts::liveUpdated, this, searchSoon);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, searchSoon);
        connect(&studio.stages, &StageHub::filtersChanged, this, &SearchDock::search);
        connect(&studio.themes, &ThemeSource::changed, this, &SearchDock::applyTheme);
        onChosen(*m_results, this, [this](QTreeWidgetItem* item) { show(item); });
        connect(m_text, &QLineEdit::returnPressed, this, &SearchDock::showNext);
        applyTheme();
        say();
    }
    QSize sizeHint() const override { return {460, 320}; } // lines of code

protected:
    void shown() override { search(); }
    void focusInEvent(QFocusEvent* event) override {
        DockWidget::focusInEvent(event);
        m_text->selectAll();
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == m_text && event->type() == QEvent::KeyPress &&
            static_cast<QKeyEvent*>(event)->key() == Qt::Key_Down && m_results->topLevelItemCount() > 0) {
            m_results->setFocus();
            if (!m_results->currentItem())
                m_results->setCurrentItem(m_results->topLevelItem(0));
            return true;
        }
        return DockWidget::eventFilter(watched, event);
    }

private:
    QToolButton* toggle(const QString& text, const QString& name) {
        auto* button = new QToolButton(this);
        button->setText(text);
        button->setCheckable(true);
        button->setAccessibleName(name);
        button->setToolTip(name);
        button->setFocusPolicy(Qt::TabFocus);
        return button;
    }

    void build() {
        setNames("search", m_text, "text", m_case, "case", m_word, "word", m_regex, "regex", m_passes, "passes",
                 m_count, "count", m_results, "results");
        makeField(*m_text, tr("Search in all stages"), tr("Search in all stages"));
        m_text->installEventFilter(this);
        setFocusProxy(m_text);
        makeTree(*m_results, tr("What was found"), 12);
        m_results->setItemDelegate(new HitDelegate(m_studio.themes, m_results));
        newColumn(this, {newRow({8, 4, 8, 0}, 4, {{m_text, 1}, m_case, m_word, m_regex}),
                         newRow({8, 0, 8, 4}, 4, {m_passes, {m_count, 1}}),
                         {m_results, 1}});
    }

    void applyTheme() {
        m_count->setFont(m_studio.themes.smallFont());
        m_results->viewport()->update();
    }

    void say(const QString& text = {}, bool isError = false) {
        m_count->setProperty("role", isError ? "error" : "");
        m_count->setProperty("muted", !isError);
        m_count->style()->unpolish(m_count);
        m_count->style()->polish(m_count);
        m_count->setText(text.isEmpty() ? tr("Search results appear here") : text);
    }

    // All texts that there are, in the order of the pipeline.
    std::vector<SearchedText> texts() const {
        std::vector<SearchedText> out;
        const LivePipeline* live = m_studio.scripts.live();
        if (!live)
            return out;
        auto script = std::make_shared<session::TextSnapshot>();
        script->text = live->document().text().toStdString();
        out.push_back({{}, {}, {tr("Script").toStdString(), std::move(script)}});
        QList<StageName> stages{StageName::ofScript()};
        const auto& passes = live->board().passes(live->module());
        if (m_passes->isChecked())
            for (const session::PassSnapshot& pass : passes)
                if (pass.number > 0 && pass.changed)
                    stages << nameOfPass(passes, pass.number);
        if (!m_passes->isChecked())
            stages << StageName::lowered();
        stages << generatedStages();
        for (const StageName& stage : stages)
            if (auto text = viewOf(live->board(), live->module(), stage).text)
                out.push_back({stage, stage.form(), {titleOf(stage).toStdString(), std::move(text)}});
        return out;
    }

    void search() {
        m_pause.stop();
        if (!isVisible())
            return;
        if (m_text->text().isEmpty()) {
            m_job.cancel();
            m_results->clear();
            m_hits.clear();
            return say();
        }
        session::SearchQuery query;
        query.text = m_text->text().toStdString();
        query.match_case = m_case->isChecked();
        query.whole_word = m_word->isChecked();
        query.limit = most_hits;
        if (m_regex->isChecked()) {
            const QString pattern = m_word->isChecked() ? "\\b(?:" + m_text->text() + ")\\b" : m_text->text();
            QRegularExpression expression(pattern, m_case->isChecked() ? QRegularExpression::NoPatternOption
                                                                       : QRegularExpression::CaseInsensitiveOption);
            if (!expression.isValid()) {
                m_job.cancel();
                return say(tr("The expression is not valid: %1").arg(expression.errorString()), true);
            }
            expression.optimize();
            query.matcher = [expression](std::string_view line) { return matchesOf(expression, line); };
        }
        auto searched = texts();
        m_stages.clear();
        for (const SearchedText& text : searched)
            m_stages << text.stage;
        std::map<session::Form, std::vector<session::Filter>> filters;
        for (session::Form form : {session::Form::Ptx, session::Form::Sass})
            filters[form] = filtersInUse(m_studio.settings, form);
        m_job.run(
            [query, searched = std::move(searched),
             filters = std::move(filters)](const std::atomic<bool>& stop) mutable {
                std::vector<session::SearchText> all;
                for (SearchedText& text : searched) {
                    // Lines are those that the panes show.
                    if (text.form && !filters[*text.form].empty())
                        text.text.text = std::make_shared<session::TextSnapshot>(
                            session::filtered(*text.text.text, *text.form, filters[*text.form]));
                    all.push_back(std::move(text.text));
                }
                query.cancelled = &stop;
                return session::search_stages(all, query);
            },
            [this](session::SearchResult result) { take(std::move(result)); });
    }

    // The row that was chosen stays chosen where the same hit is found again.
    void take(session::SearchResult result) {
        const QTreeWidgetItem* current = m_results->currentItem();
        const QString chosen = current ? current->data(0, Qt::UserRole).toString() : QString();
        QStringList closed;
        for (int i = 0; i < m_results->topLevelItemCount(); ++i)
            if (!m_results->topLevelItem(i)->isExpanded())
                closed << m_results->topLevelItem(i)->data(0, Qt::UserRole).toString();
        m_hits = std::move(result.hits);
        m_results->setUpdatesEnabled(false);
        m_results->clear();
        QTreeWidgetItem* group = nullptr;
        QTreeWidgetItem* again = nullptr;
        std::size_t source = 0;
        int groups = 0;
        for (std::size_t i = 0; i < m_hits.size(); ++i) {
            const session::SearchHit& hit = m_hits[i];
            if (!group || hit.source != source) {
                source = hit.source;
                group = new QTreeWidgetItem(m_results, {QString::fromStdString(hit.stage)});
                group->setData(0, Qt::UserRole, "stage:" + QString::fromStdString(hit.stage));
                group->setExpanded(!closed.contains(group->data(0, Qt::UserRole).toString()));
                ++groups;
            }
            QTreeWidgetItem* row = rowOf(hit, i);
            group->addChild(row);
            if (row->data(0, Qt::UserRole).toString() == chosen)
                again = row;
        }
        for (int i = 0; i < m_results->topLevelItemCount(); ++i) {
            QTreeWidgetItem* item = m_results->topLevelItem(i);
            item->setText(0, tr("%1  (%2)").arg(item->text(0)).arg(item->childCount()));
        }
        if (again)
            m_results->setCurrentItem(again);
        m_results->setUpdatesEnabled(true);
        const QString count = result.cut ? tr("The first %n hits", nullptr, int(m_hits.size()))
                                         : tr("%1 hits in %2 stages").arg(m_hits.size()).arg(groups);
        say(m_hits.empty() ? tr("Nothing was found") : count);
        setBadge(m_hits.empty() ? QString() : QString::number(m_hits.size()));
    }

    static QTreeWidgetItem* rowOf(const session::SearchHit& hit, std::size_t index) {
        const QByteArray line = QByteArray::fromStdString(hit.line_text);
        // Indentation says nothing here.
        int blanks = 0;
        while (blanks < line.size() && blanks < int(hit.range.begin) && line[blanks] == ' ')
            ++blanks;
        auto characters = [&](std::uint32_t at) {
            return static_cast<int>(QString::fromUtf8(line.mid(blanks, qsizetype(at) - blanks)).size());
        };
        auto* row = new QTreeWidgetItem;
        const QString text = QString::fromUtf8(line.mid(blanks, 400));
        row->setText(0, text);
        row->setData(0, Qt::UserRole,
                     QString("%1:%2:%3").arg(QString::fromStdString(hit.stage)).arg(hit.line).arg(hit.range.begin));
        row->setData(0, HitRole, static_cast<qulonglong>(index));
        row->setData(0, HitBeginRole, characters(hit.range.begin));
        row->setData(0, HitEndRole, characters(hit.range.end));
        row->setData(0, NumberRole, QString::number(hit.line));
        row->setData(0, Qt::AccessibleTextRole, tr("Line %1: %2").arg(hit.line).arg(text));
        return row;
    }

    void show(QTreeWidgetItem* item) {
        const QVariant index = item->data(0, HitRole);
        if (!index.isValid())
            return;
        const session::SearchHit& hit = m_hits[index.toULongLong()];
        const StageName stage = m_stages.value(static_cast<qsizetype>(hit.source));
        const int begin = static_cast<int>(hit.range.begin), end = static_cast<int>(hit.range.end);
        if (!stage.isEmpty())
            return m_studio.stages.show(stage, hit.line, begin, end);
        m_studio.requests.show({m_studio.tabs.current()->name().toStdString(), hit.line, begin + 1, hit.line, end + 1});
    }

    // Return in the field: from hit to hit, with the keyboard left where it is.
    void showNext() {
        QTreeWidgetItem* item =
            m_results->currentItem() ? m_results->itemBelow(m_results->currentItem()) : m_results->topLevelItem(0);
        while (item && !item->data(0, HitRole).isValid())
            item = m_results->itemBelow(item);
        if (!item)
            return;
        m_results->setCurrentItem(item);
        show(item);
        m_text->setFocus();
    }

    Studio& m_studio;
    QLineEdit* m_text = new QLineEdit(this);
    QToolButton *m_case, *m_word, *m_regex, *m_passes;
    QLabel* m_count = new QLabel(this);
    QTreeWidget* m_results = new QTreeWidget(this);
    std::vector<session::SearchHit> m_hits;
    QList<StageName> m_stages; // of the texts that were searched
    OneShot m_pause{pause_ms, [this] { search(); }};
    LatestTask m_job;
};

} // namespace

DockWidget* makeSearchDock(Studio& studio) {
    return new SearchDock(studio);
}

} // namespace hidet::ui
