// SPDX-License-Identifier: GPL-3.0-only
// The passes of the module that the panes show: what each changed and how long it took. The selected row is the pass whose
// IR the panes show; it stays selected from run to run.
#include <QAbstractTableModel>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>

#include "app/session/view/blame.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/widgets/share_bar.h"
#include "app/ui/workbench/studio.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

namespace {

enum Column { Number, Name, Added, Removed, Time, ColumnCount };
constexpr int share_role = Qt::UserRole + 1; // of the slowest pass, 0 to 1

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

class PassModel : public QAbstractTableModel {
public:
    explicit PassModel(Studio& studio) : m_studio(studio) {}

    void show(std::vector<session::PassChange> passes) {
        const bool same = passes.size() == m_passes.size();
        if (!same)
            beginResetModel();
        m_passes = std::move(passes);
        m_slowest = 0;
        for (const session::PassChange& pass : m_passes)
            m_slowest = std::max(m_slowest, pass.ms);
        if (!same)
            endResetModel();
        else if (!m_passes.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        emit headerDataChanged(Qt::Horizontal, Time, Time);
    }
    const std::vector<session::PassChange>& passes() const { return m_passes; }
    int rowOf(int number) const {
        for (std::size_t row = 0; row < m_passes.size(); ++row)
            if (m_passes[row].number == number)
                return static_cast<int>(row);
        return -1;
    }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_passes.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }

    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (orientation != Qt::Horizontal)
            return {};
        if (role == Qt::TextAlignmentRole)
            return int(Qt::AlignVCenter | (section == Name ? Qt::AlignLeft : Qt::AlignRight));
        if (role != Qt::DisplayRole)
            return {};
        const QString titles[] = {tr("No."), tr("Pass"), tr("Lines +"), tr("Lines %1").arg(QChar(0x2212)),
                                  timeUnitOf(m_slowest).name};
        return titles[section];
    }

    QVariant data(const QModelIndex& index, int role) const override {
        const session::PassChange& pass = m_passes[static_cast<std::size_t>(index.row())];
        const Theme& theme = m_studio.themes.theme();
        switch (role) {
        case Qt::DisplayRole: return text(pass, index.column());
        case Qt::ToolTipRole: return sentence(pass.summary);
        case Qt::AccessibleTextRole:
            return index.column() == Name
                       ? (pass.changed ? tr("%1, changed") : tr("%1, unchanged")).arg(QString::fromStdString(pass.name))
                       : text(pass, index.column());
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter | (index.column() == Name ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::ForegroundRole:
            if (index.column() == Added)
                return theme.ok;
            if (index.column() == Removed)
                return theme.error;
            return pass.changed ? theme.text : theme.muted;
        case Qt::DecorationRole:
            if (index.column() == Name)
                return mark(theme.accent, pass.changed);
            return {};
        case share_role: return m_slowest > 0 ? pass.ms / m_slowest : 0.0;
        default: return {};
        }
    }

private:
    QString text(const session::PassChange& pass, int column) const {
        switch (column) {
        case Number: return QString::number(pass.number);
        case Name: return QString::fromStdString(pass.name);
        case Added: return pass.added ? "+" + QString::number(pass.added) : QString();
        case Removed: return pass.removed ? QChar(0x2212) + QString::number(pass.removed) : QString();
        case Time: return timeUnitOf(m_slowest).text(pass.ms);
        default: return {};
        }
    }
    static QPixmap mark(const QColor& color, bool changed) {
        QPixmap pixmap(16, 16);
        pixmap.fill(Qt::transparent);
        if (changed) {
            QPainter painter(&pixmap);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawEllipse(QRectF(5, 5, 6, 6));
        }
        return pixmap;
    }

    Studio& m_studio;
    std::vector<session::PassChange> m_passes;
    double m_slowest = 0;
};

class ChangedOnly : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setOn(bool on) {
        m_on = on;
        invalidateFilter();
    }
    bool isOn() const { return m_on; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex&) const override {
        return !m_on || static_cast<PassModel*>(sourceModel())->passes()[static_cast<std::size_t>(row)].changed;
    }

private:
    bool m_on = false;
};

class PassTable : public QTableView {
public:
    PassTable(Studio& studio, QWidget* parent) : QTableView(parent), m_studio(studio) {}
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
        QTableView::keyPressEvent(event);
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
        return QTableView::event(event);
    }

private:
    Studio& m_studio;
};

class PassesDock : public DockWidget {
public:
    explicit PassesDock(Studio& studio) : m_studio(studio), m_model(studio) {
        m_rows.setSourceModel(&m_model);
        makeTable();
        makeBar();
        studio.follow({&Studio::liveUpdated}, this, &PassesDock::refresh);
        connect(&studio, &Studio::currentChanged, this, &PassesDock::refresh);
        connect(&studio.stages, &StageHub::shownChanged, this, &PassesDock::follow);
        connect(&studio.stages, &StageHub::passRequested, this, &PassesDock::selectByName);
        connect(&studio.themes, &ThemeSource::changed, this, &PassesDock::applyTheme);
        studio.commands.bind(Command::PassesChangedOnly, this, [this] { m_only->toggle(); });
        applyTheme();
        refresh();
    }

private:
    void shown() override { refresh(); }

    void makeTable() {
        m_table->setObjectName("passes.table");
        m_table->setAccessibleName(tr("Passes"));
        m_table->setModel(&m_rows);
        m_table->setItemDelegateForColumn(Time, new ShareBar(m_studio.themes, share_role, m_table));
        makeList(*m_table);
        m_table->setSelectionMode(QAbstractItemView::SingleSelection);
        m_table->setIconSize({16, 16});
        QHeaderView* header = m_table->horizontalHeader();
        header->setSectionResizeMode(QHeaderView::ResizeToContents);
        header->setSectionResizeMode(Name, QHeaderView::Stretch);
        header->setMinimumSectionSize(40);
        header->setSectionResizeMode(Time, QHeaderView::Fixed);
        header->resizeSection(Time, 96);
        m_table->move = [this](int step) { move(step); };
        auto show = [this](const QModelIndex& index) { showPass(index); };
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
        connect(m_only, &QToolButton::toggled, this, [this](bool on) {
            m_rows.setOn(on);
            follow();
        });
    }

    void applyTheme() {
        m_only->setIcon(icon("filter", m_studio.themes.theme().muted));
        const QFont font = m_studio.themes.smallFont();
        m_table->setFont(font);
        m_total->setFont(font);
        m_table->verticalHeader()->setDefaultSectionSize(QFontMetrics(font).height() + 8);
        m_table->viewport()->update();
    }

    const session::BoardModule* module() const {
        const LivePipeline* live = m_studio.live();
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
        m_model.show(std::move(changes));
        m_table->setVisible(count > 0);
        m_empty->setVisible(count == 0);
        m_empty->setText(m_studio.current() ? tr("The passes that a kernel goes through will appear here")
                                            : tr("Open a script to see the passes that its kernels go through"));
        m_total->setText(count ? tr("%1 of %2 changed something, %3 %4")
                                     .arg(changed)
                                     .arg(count)
                                     .arg(timeUnitOf(total).text(total), timeUnitOf(total).name)
                               : QString());
        setBadge(count ? QString::number(count) : QString());
        follow();
    }

    int numberAt(const QModelIndex& index) const {
        const QModelIndex source = m_rows.mapToSource(index);
        return source.isValid() ? m_model.passes()[static_cast<std::size_t>(source.row())].number : -1;
    }

    void select(int number) {
        const QModelIndex index = m_rows.mapFromSource(m_model.index(m_model.rowOf(number), Name));
        if (!index.isValid())
            return m_table->selectionModel()->clearSelection();
        if (index.row() == m_table->currentIndex().row() && m_table->selectionModel()->isRowSelected(index.row()))
            return;
        m_table->setCurrentIndex(index);
        m_table->scrollTo(index);
    }

    // The row of what the panes show.
    void follow() {
        if (const session::BoardModule* shown = module())
            select(shownPass(shown->snapshot->passes, m_studio.stages.shownIr()));
    }

    void selectByName(const QString& pass) {
        for (const session::PassChange& known : m_model.passes())
            if (known.changed && QString::fromStdString(known.name) == pass)
                return select(known.number);
    }

    void showPass(const QModelIndex& index) {
        if (const int number = numberAt(index); number > 0 && module())
            m_studio.stages.show(nameOfPass(module()->snapshot->passes, number));
    }

    void move(int step) {
        const int row = std::clamp(m_table->currentIndex().row() + step, 0, m_rows.rowCount() - 1);
        m_table->setCurrentIndex(m_rows.index(row, Name));
        showPass(m_table->currentIndex());
    }

    Studio& m_studio;
    PassModel m_model;
    ChangedOnly m_rows;
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
