// SPDX-License-Identifier: GPL-3.0-only
// The passes of the module that the panes show: what each changed and how long it took. The selected row is the pass whose
// IR the panes show; it stays selected from run to run.
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include "app/session/view/blame.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/widgets/share_bar.h"
#include "app/ui/workbench/studio.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

namespace {

enum Column { Number, Name, Added, Removed, Time };

// Passes of small kernels take microseconds; one unit for all rows, in the header.
struct TimeUnit {
    double perMs;
    QString name;
    QString text(double ms) const { return QString::fromStdString(three_digits(ms * perMs)); }
};
TimeUnit timeUnitOf(double ms) {
    return ms < 1 ? TimeUnit{1000, QString::fromUtf8("\u00b5s")} : TimeUnit{1, "ms"};
}

bool samePasses(const std::vector<session::PassSnapshot>& a, const std::vector<session::PassSnapshot>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.number == y.number && x.module == y.module && x.ms == y.ms && x.name == y.name;
    });
}

QPixmap changedMark(const QColor& color) {
    QPixmap pixmap(16, 16);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(QRectF(5, 5, 6, 6));
    return pixmap;
}

class PassTable : public FigureTable {
public:
    PassTable(Studio& studio, QWidget* parent)
        : FigureTable(studio.themes, tr("Passes"),
                      {tr("No."), textColumn(tr("Pass")), QString("+"), QString(QChar(0x2212)), tr("ms")}, parent),
          m_studio(studio) {
        horizontalHeaderItem(Added)->setToolTip(tr("Lines added"));
        horizontalHeaderItem(Removed)->setToolTip(tr("Lines removed"));
    }
    std::function<void(int)> move;

protected:
    void keyPressEvent(QKeyEvent* event) override {
        const QString key = event->text();
        const bool alt = event->modifiers() == Qt::AltModifier;
        if (key == "j" || (alt && event->key() == Qt::Key_Down))
            return move(1);
        if (key == "k" || (alt && event->key() == Qt::Key_Up))
            return move(-1);
        if (key == "]" || key == "[")
            return m_studio.commands.action(key == "]" ? Command::PassesNextChanged : Command::PassesPreviousChanged)
                ->trigger();
        if (key == "d")
            return m_studio.commands.action(Command::PassesDiff)->trigger();
        const int before = currentIndex().row();
        FigureTable::keyPressEvent(event);
        if (currentIndex().row() != before)
            move(0); // what is chosen is what the panes show
    }
    bool event(QEvent* event) override {
        if (event->type() == QEvent::ShortcutOverride) {
            const auto* key = static_cast<QKeyEvent*>(event);
            const bool step =
                key->modifiers() == Qt::AltModifier && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down);
            if (step)
                event->accept();
        }
        return FigureTable::event(event);
    }

private:
    Studio& m_studio;
};

class PassesDock : public DockWidget {
public:
    explicit PassesDock(Studio& studio) : m_studio(studio) {
        makeTable();
        makeBar();
        studio.scripts.follow({&LiveScripts::liveUpdated}, this, &PassesDock::refresh);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &PassesDock::refresh);
        connect(&studio.stages, &StageHub::shownChanged, this, &PassesDock::follow);
        connect(&studio.stages, &StageHub::passRequested, this, &PassesDock::selectByName);
        connect(&studio.themes, &ThemeSource::changed, this, &PassesDock::applyTheme);
        studio.commands.bind(
            Command::PassesChangedOnly, this, [this] { m_only->toggle(); },
            [this] { return m_studio.tabs.current() != nullptr; });
        applyTheme();
        refresh();
    }

private:
    void shown() override { refresh(); }

    void makeTable() {
        m_table->setObjectName("passes.table");
        m_table->setItemDelegateForColumn(Time, new ShareBar(m_studio.themes, figure_share_role, m_table));
        m_table->setSelectionMode(QAbstractItemView::SingleSelection);
        m_table->setIconSize({16, 16});
        QHeaderView* header = m_table->horizontalHeader();
        header->setStretchLastSection(false);
        header->setSectionResizeMode(Name, QHeaderView::Stretch);
        header->setMinimumSectionSize(40);
        header->setSectionResizeMode(Time, QHeaderView::Fixed);
        header->resizeSection(Time, 72);
        m_table->move = [this](int step) { move(step); };
        auto show = [this](const QModelIndex& index) { showPass(index.row()); };
        connect(m_table, &QTableView::activated, this, show);
        connect(m_table, &QTableView::clicked, this, show);
        setFocusProxy(m_table);
    }

    void makeBar() {
        setNames("passes", m_only, "changed_only", m_total, "total");
        m_only->setText(tr("Changed only"));
        m_only->setCheckable(true);
        m_only->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        m_only->setFocusPolicy(Qt::TabFocus);
        m_total->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_total->setProperty("muted", true);
        newColumn(this, {newRow({8, 4, 8, 4}, usual_spacing, {m_only, {m_total, 1}}), {m_table, 1}, {m_empty, 1}});
        connect(m_only, &QToolButton::toggled, this, &PassesDock::fill);
    }

    void applyTheme() {
        m_only->setIcon(icon("filter", m_studio.themes.theme().muted));
        const QFont font = m_studio.themes.smallFont();
        m_table->setFont(font);
        m_total->setFont(font);
        m_table->verticalHeader()->setDefaultSectionSize(QFontMetrics(font).height() + 8);
        fill();
    }

    const session::BoardModule* module() const {
        const LivePipeline* live = m_studio.scripts.live();
        return live ? live->board().module(live->module()) : nullptr;
    }

    // Lines are counted on another thread; only when there is another module to count.
    void refresh() {
        if (!isVisible())
            return;
        const session::BoardModule* shown = module();
        const auto snapshot = shown ? shown->snapshot : nullptr;
        if (!snapshot || snapshot->passes.size() < 2) {
            m_counted = nullptr;
            m_job.cancel();
            return take({});
        }
        // Forms arrive one by one, with a snapshot each; the passes stay.
        if (m_counted && samePasses(m_counted->passes, snapshot->passes))
            return;
        m_counted = snapshot;
        m_job.run([snapshot](const std::atomic<bool>& stop) { return session::pass_changes(*snapshot, &stop); },
                  [this](std::optional<std::vector<session::PassChange>> changes) {
                      if (changes)
                          take(std::move(*changes));
                  });
    }

    void take(std::vector<session::PassChange> changes) {
        double total = 0;
        int changed = 0;
        for (const session::PassChange& pass : changes) {
            total += pass.ms;
            changed += pass.changed;
        }
        const auto count = changes.size();
        m_passes = std::move(changes);
        m_table->setVisible(count > 0);
        m_empty->setVisible(count == 0);
        m_empty->setText(m_studio.tabs.current() ? tr("The passes that a kernel goes through will appear here")
                                                 : tr("Open a script to see the passes that its kernels go through"));
        m_total->setText(count ? tr("%1 of %2 changed something, %3 %4")
                                     .arg(changed)
                                     .arg(count)
                                     .arg(timeUnitOf(total).text(total), timeUnitOf(total).name)
                               : QString());
        setBadge(count ? QString::number(count) : QString());
        fill();
    }

    void fill() {
        const Theme& theme = m_studio.themes.theme();
        double slowest = 0;
        for (const session::PassChange& pass : m_passes)
            slowest = std::max(slowest, pass.ms);
        const TimeUnit unit = timeUnitOf(slowest);
        m_table->horizontalHeaderItem(Time)->setText(unit.name);
        m_numbers.clear();
        FigureRows rows;
        for (const session::PassChange& pass : m_passes) {
            if (m_only->isChecked() && !pass.changed)
                continue;
            m_numbers << pass.number;
            const QString name = QString::fromStdString(pass.name), tip = sentence(pass.summary);
            const QColor color = pass.changed ? theme.text : theme.muted;
            FigureCell named(name, tip, color, pass.changed ? QIcon(changedMark(theme.accent)) : QIcon());
            named.spoken = (pass.changed ? tr("%1, changed") : tr("%1, unchanged")).arg(name);
            FigureCell took(unit.text(pass.ms), tip, color);
            took.share = slowest > 0 ? pass.ms / slowest : 0;
            rows.push_back(
                {{QString::number(pass.number), tip, color},
                 named,
                 {pass.added ? "+" + QString::number(pass.added) : QString(), tip, theme.ok},
                 {pass.removed ? QChar(0x2212) + QString::number(pass.removed) : QString(), tip, theme.error},
                 took});
        }
        const QSignalBlocker quiet(m_table);
        m_table->show(rows);
        follow();
    }

    void select(int number) {
        const auto row = int(m_numbers.indexOf(number));
        if (row < 0)
            return m_table->selectionModel()->clearSelection();
        if (row == m_table->currentRow() && m_table->selectionModel()->isRowSelected(row))
            return;
        m_table->setCurrentCell(row, Name);
        m_table->scrollToItem(m_table->item(row, Name));
    }

    // The row of what the panes show.
    void follow() {
        if (const session::BoardModule* shown = module())
            select(shownPass(shown->snapshot->passes, m_studio.stages.shownIr()));
    }

    void selectByName(const QString& pass) {
        for (const session::PassChange& known : m_passes)
            if (known.changed && QString::fromStdString(known.name) == pass)
                return select(known.number);
    }

    void showPass(int row) {
        if (row >= 0 && row < m_numbers.size() && module())
            m_studio.stages.show(nameOfPass(module()->snapshot->passes, m_numbers[row]));
    }

    void move(int step) {
        if (m_numbers.isEmpty())
            return;
        const int row = std::clamp(m_table->currentRow() + step, 0, int(m_numbers.size()) - 1);
        m_table->setCurrentCell(row, Name);
        showPass(row);
    }

    Studio& m_studio;
    std::vector<session::PassChange> m_passes;
    QList<int> m_numbers; // by row
    PassTable* m_table = new PassTable(m_studio, this);
    QLabel* m_total = new QLabel(this);
    QLabel* m_empty = newHint(16, this);
    QToolButton* m_only = new QToolButton(this);
    std::shared_ptr<const session::ModuleSnapshot> m_counted;
    LatestTask m_job;
};

} // namespace

DockWidget* makePassesDock(Studio& studio) {
    return new PassesDock(studio);
}

} // namespace hidet::ui
