// SPDX-License-Identifier: GPL-3.0-only
// What is seen when no script is open: samples to start from, what was open lately, new and open.
#include <QFileInfo>
#include <QGridLayout>
#include <QPainter>
#include <QPushButton>

#include "app/ui/core/icons.h"
#include "app/ui/core/recent_files.h"
#include "app/ui/pages/page_parts.h"
#include "app/ui/pages/pages.h"
#include "app/ui/pages/samples.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

void openFile(Studio& studio, const QString& path) {
    if (studio.tabs.openFile(path))
        emit studio.requests.editorRequested();
}

// A button of two lines: what the sample is, and what it teaches.
class SampleCard : public QPushButton {
public:
    SampleCard(const Sample& sample, const ThemeSource& themes) : m_sample(sample), m_themes(themes) {
        setProperty("card", true);
        setAccessibleName(sample.title);
        setAccessibleDescription(sample.sentence);
        setToolTip(QFileInfo(sample.path).fileName());
        QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
    }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override {
        const int inside = width - 2 * side - indent;
        const int lines = heightOf(m_sample.title, bold(font(), QFont::DemiBold), inside) + gap +
                          heightOf(m_sample.sentence, font(), inside);
        return std::max(lines, 3 * fontMetrics().height()) + 2 * top;
    }
    QSize sizeHint() const override { return {240, heightForWidth(240)}; }

protected:
    void paintEvent(QPaintEvent* event) override {
        QPushButton::paintEvent(event);
        const Theme& theme = m_themes.theme();
        QPainter painter(this);
        const QRect inside = rect().adjusted(side, top, -side, -top);
        hidet::ui::icon("kernel", theme.accent).paint(&painter, QRect(inside.left(), inside.top() + 1, 16, 16));
        painter.setFont(bold(font(), QFont::DemiBold));
        painter.setPen(theme.text);
        const QRect title = inside.adjusted(indent, 0, 0, 0);
        QRect used;
        painter.drawText(title, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_sample.title, &used);
        painter.setFont(font());
        painter.setPen(theme.muted);
        const QRect text = title.adjusted(0, used.height() + gap, 0, 0);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_sample.sentence);
    }

private:
    static constexpr int side = 16, top = 12, indent = 24, gap = 4;
    static int heightOf(const QString& text, const QFont& font, int width) {
        return QFontMetrics(font).boundingRect(QRect(0, 0, width, 10'000), Qt::TextWordWrap, text).height();
    }

    Sample m_sample;
    const ThemeSource& m_themes;
};

class WelcomePage : public Page {
public:
    explicit WelcomePage(Studio& studio) : Page(tr("Hidet Studio"), 1040), m_studio(studio) {
        column()->addWidget(mutedLabel(tr("Write a GPU kernel and watch it become machine code.")));
        column()->addSpacing(8);
        m_first = button(Command::FileNew);
        m_first->setProperty("primary", true);
        column()->addLayout(
            newRow({}, 8, {m_first, button(Command::FileOpen), button(Command::GoQuickOpen), stretched()}));
        column()->addSpacing(16);
        m_recent = newColumn(nullptr, {});
        column()->addLayout(m_recent);
        addPlan();
        addSamples();
        setFocusProxy(m_first);
    }

protected:
    void showEvent(QShowEvent* event) override {
        showRecent();
        Page::showEvent(event);
    }

private:
    QPushButton* button(Command command) {
        QAction* action = m_studio.commands.action(command);
        QString text = action->text();
        text.remove("...");
        auto* out = new QPushButton(text);
        out->setToolTip(action->toolTip());
        connect(out, &QPushButton::clicked, action, &QAction::trigger);
        return out;
    }

    void showRecent() {
        while (QLayoutItem* item = m_recent->takeAt(0)) {
            if (item->widget())
                item->widget()->deleteLater();
            delete item;
        }
        const QStringList files = recentFiles(m_studio.settings).mid(0, 6);
        if (files.isEmpty())
            return;
        m_recent->addWidget(headingOf(tr("Open recent")));
        m_recent->addSpacing(4);
        for (const QString& path : files) {
            auto* row = new QPushButton(QFileInfo(path).fileName() + "   " + QFileInfo(path).path());
            row->setProperty("row", true);
            row->setIcon(hidet::ui::icon("file", m_studio.themes.theme().muted));
            connect(row, &QPushButton::clicked, this, [this, path] { openFile(m_studio, path); });
            m_recent->addWidget(row);
        }
        m_recent->addSpacing(24);
    }

    // From nothing to a kernel of one's own; the manual has every step.
    void addPlan() {
        auto keys = [this](Command command) {
            return m_studio.commands.action(command)->shortcut().toString(QKeySequence::NativeText);
        };
        const QString steps[] = {
            tr("1.  %1 and Down: a script that runs and checks itself; %2 runs it")
                .arg(keys(Command::FileNew), keys(Command::RunRun)),
            tr("2.  Type a softmax of your own until it is correct; %1 checks every access")
                .arg(keys(Command::RunEmulate)),
            tr("3.  Make its threads read whole lines of memory"),
            tr("4.  Take the bank conflicts out of its tile, and write down what you expect of it")};
        column()->addWidget(headingOf(tr("The first half hour")));
        column()->addSpacing(4);
        for (const QString& step : steps) {
            auto* line = new QLabel(step);
            line->setWordWrap(true);
            column()->addWidget(line);
        }
        column()->addSpacing(4);
        auto* read = button(Command::HelpHalfHour);
        read->setText(tr("Step by step"));
        read->setAccessibleName(tr("The first half hour, step by step"));
        column()->addLayout(newRow({}, -1, {read, stretched()}));
        column()->addSpacing(24);
    }

    void addSamples() {
        const QList<Sample> samples = allSamples();
        column()->addWidget(headingOf(tr("Samples")));
        if (samples.isEmpty())
            return column()->addWidget(mutedLabel(tr("The samples are not installed with this program.")));
        auto* grid = new QGridLayout;
        grid->setSpacing(8);
        constexpr int columns = 3;
        for (int i = 0; i < int(samples.size()); ++i) {
            auto* card = new SampleCard(samples[i], m_studio.themes);
            connect(card, &QPushButton::clicked, this, [this, path = samples[i].path] { openFile(m_studio, path); });
            grid->addWidget(card, i / columns, i % columns);
        }
        for (int i = 0; i < columns; ++i)
            grid->setColumnStretch(i, 1);
        column()->addLayout(grid);
    }

    Studio& m_studio;
    QPushButton* m_first;
    QVBoxLayout* m_recent;
};

} // namespace

QWidget* makeWelcomePage(Studio& studio) {
    return new WelcomePage(studio);
}

} // namespace hidet::ui
