// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/effect_panel.h"

#include <QGridLayout>

#include "app/ui/core/figures.h"
#include "app/ui/graph/tables/figure_unit.h"

namespace hidet::ui {

namespace {

QString inPercent(double before, double after) {
    if (before <= 0)
        return {};
    const double change = (after - before) / before;
    if (change == 0)
        return {};
    return QString(" (%1)").arg((change < 0 ? QChar(0x2212) : QChar('+')) + percentText(change < 0 ? -change : change));
}

} // namespace

EffectPanel::EffectPanel(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_measure(new QPushButton(tr("Measure"), this)), m_note(new QLabel(this)) {
    setObjectName("fusion.effect");
    const QString titles[] = {tr("Kernels"), tr("Launches"), tr("Memory"), tr("Predicted"), tr("Measured")};
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(2);
    auto label = [this](bool isMuted) {
        auto* out = new QLabel(this);
        out->setProperty("muted", isMuted);
        out->setTextFormat(Qt::PlainText);
        return out;
    };
    const QString heads[] = {{}, tr("Without choices"), tr("With them"), tr("Change")};
    for (int column = 1; column < 4; ++column) {
        QLabel* head = label(true);
        head->setText(heads[column]);
        grid->addWidget(head, 0, column, Qt::AlignRight);
    }
    for (int row = 0; row < RowCount; ++row) {
        Cells& cells = m_rows[static_cast<std::size_t>(row)];
        cells = {label(true), label(false), label(false), label(false)};
        cells.title->setText(titles[row]);
        grid->addWidget(cells.title, row + 1, 0);
        int column = 0;
        for (QLabel* cell : {cells.before, cells.after, cells.change}) {
            cell->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            grid->addWidget(cell, row + 1, ++column);
        }
        m_rows[static_cast<std::size_t>(row)].change->setObjectName(QString("fusion.change%1").arg(row));
    }
    grid->setColumnStretch(4, 1);
    QAction* run = studio.commands.action(Command::RunRun);
    m_measure->setObjectName("fusion.measure");
    m_measure->setAccessibleName(tr("Measure the model as it is now"));
    m_measure->setToolTip(tr("Measures the model as it is now"));
    connect(m_measure, &QPushButton::clicked, run, &QAction::trigger);
    connect(run, &QAction::changed, this, [this, run] { m_measure->setEnabled(run->isEnabled()); });
    m_measure->setEnabled(run->isEnabled());
    m_note->setProperty("muted", true);
    m_note->setWordWrap(true);
    m_note->setObjectName("fusion.effect_note");
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    foot->addWidget(m_measure);
    foot->addWidget(m_note, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 4, 12, 4);
    column->setSpacing(4);
    column->addLayout(grid);
    column->addLayout(foot);
    column->addStretch(1);
    connect(&studio.themes, &ThemeSource::changed, this, &EffectPanel::applyTheme);
    applyTheme();
}

void EffectPanel::applyTheme() {
    const QFont font = m_studio.themes.smallFont();
    QFont italic = font;
    italic.setItalic(true);
    for (QLabel* each : findChildren<QLabel*>())
        each->setFont(font);
    for (const Row row : {Memory, Predicted}) {
        const Cells& cells = m_rows[row];
        for (QLabel* each : {cells.before, cells.after, cells.change})
            each->setFont(italic);
    }
}

void EffectPanel::set(Row row, const QString& before, const QString& after, const QString& change) {
    const Cells& cells = m_rows[row];
    const QString none = QChar(0x2013);
    cells.before->setText(before.isEmpty() ? none : before);
    cells.after->setText(after.isEmpty() ? none : after);
    cells.change->setText(change);
}

QString EffectPanel::textOf(const QString& row) const {
    for (const Cells& cells : m_rows)
        if (cells.title->text() == row)
            return QStringList{cells.before->text(), cells.after->text(), cells.change->text()}.join(' ').trimmed();
    return {};
}

void EffectPanel::showCounts(Row row, const session::ModelTotals* before, const session::ModelTotals* after,
                             std::size_t session::ModelTotals::*count) {
    const auto text = [&](const session::ModelTotals* totals) {
        return totals ? QString::number(totals->*count) : QString();
    };
    set(row, text(before), text(after),
        before && after
            ? changeText(static_cast<std::int64_t>(after->*count) - static_cast<std::int64_t>(before->*count))
            : QString());
}

void EffectPanel::showFigures(const session::ModelTotals* before, const session::ModelTotals* after) {
    const auto show = [&](Row row, double session::ModelTotals::*figure, FigureUnit (*unitOf)(double)) {
        const double greatest = std::max(before ? before->*figure : 0, after ? after->*figure : 0);
        const FigureUnit unit = unitOf(greatest);
        const auto text = [&](const session::ModelTotals* totals) {
            return totals ? QString("~%1 %2").arg(unit.text(totals->*figure), unit.name) : QString();
        };
        const double change = before && after ? after->*figure - before->*figure : 0;
        set(row, text(before), text(after),
            before && after ? "~" + changeText(change, unitOf) + inPercent(before->*figure, after->*figure)
                            : QString());
    };
    show(Memory, &session::ModelTotals::bytes, unitOfBytes);
    show(Predicted, &session::ModelTotals::seconds, unitOfSeconds);
}

void EffectPanel::showMeasured(const session::ModelBenchResult* before, const session::ModelBenchResult* after) {
    const FigureUnit unit = unitOfSeconds(std::max(before ? before->times.median : 0, after ? after->times.median : 0));
    const auto text = [&](const session::ModelBenchResult* result) {
        if (!result)
            return QString();
        const double spread = (result->times.p90 - result->times.p10) / 2;
        return QString("%1 %2 %3%4").arg(unit.text(result->times.median), unit.name, QChar(0xB1), unit.text(spread));
    };
    QString change;
    if (before && after)
        change = changeText(after->times.median - before->times.median, unitOfSeconds) +
                 inPercent(before->times.median, after->times.median);
    set(Measured, text(before), text(after), change);
}

void EffectPanel::show(const ChoiceEffects* effects, const LiveModel* model) {
    const auto before = effects ? effects->before() : std::nullopt;
    const bool isChosen = model && !model->choices().isEmpty();
    const auto after = effects && isChosen ? effects->after() : std::nullopt;
    const session::ModelTotals* x = before ? &*before : nullptr;
    const session::ModelTotals* y = after ? &*after : nullptr;
    showCounts(Kernels, x, y, &session::ModelTotals::kernels);
    showCounts(Launches, x, y, &session::ModelTotals::launches);
    showFigures(x, y);
    if (model && model->snapshot())
        m_rows[Predicted].title->setToolTip(
            tr("Lower bound on %1").arg(QString::fromStdString(model->snapshot()->roofs.name)));
    const auto was = effects ? effects->measuredBefore() : nullptr;
    const auto is = effects ? effects->measuredAfter() : nullptr;
    showMeasured(was.get(), is.get());
    if (model && model->isBusy())
        m_note->setText(tr("Deciding anew"));
    else if (isChosen && !y)
        m_note->setText(tr("The model cannot be compiled with these choices; the list says what is wrong"));
    else if (isChosen && is && !was)
        m_note->setText(tr("Measure once without choices to compare: forget them, measure, undo"));
    else if (isChosen && x && !x->assumed.empty())
        m_note->setText(tr("Unspecified dimensions are assumed to be 1"));
    else
        m_note->setText({});
}

} // namespace hidet::ui
