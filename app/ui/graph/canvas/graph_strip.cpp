// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_strip.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QSignalBlocker>

namespace hidet::ui {

namespace {

QString changesOf(const session::ModelGraph& graph) {
    QStringList out;
    if (!graph.added.empty())
        out << u'+' + QString::number(graph.added.size());
    if (!graph.removed.empty())
        out << QChar(0x2212) + QString::number(graph.removed.size());
    if (!graph.rewired.empty())
        out << GraphStrip::tr("%1 rewired").arg(graph.rewired.size());
    return out.join(u' ');
}

// A dot below for each pass, in the accent where it replaced something.
class PassSlider : public QSlider {
public:
    PassSlider(ThemeSource& themes, LiveModel& model, QWidget* parent)
        : QSlider(Qt::Horizontal, parent), m_themes(themes), m_model(model) {}

protected:
    void paintEvent(QPaintEvent* event) override {
        QSlider::paintEvent(event);
        const session::SnapshotPtr& snapshot = m_model.snapshot();
        if (!snapshot || maximum() == 0)
            return;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        const double handle = style()->pixelMetric(QStyle::PM_SliderLength, nullptr, this);
        for (int i = 0; i <= maximum(); ++i) {
            const session::ModelGraph& graph = *snapshot->graphs[std::size_t(i)];
            const bool isChange = !graph.added.empty() || !graph.removed.empty() || !graph.rewired.empty();
            painter.setBrush(isChange ? m_themes.theme().accent : m_themes.theme().muted);
            const double x = handle / 2 + (width() - handle) * i / maximum();
            painter.drawEllipse(QPointF(x, height() - 2.5), 1.75, 1.75);
        }
    }

private:
    ThemeSource& m_themes;
    LiveModel& m_model;
};

} // namespace

GraphStrip::GraphStrip(Studio& studio, LiveModel& model, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_model(model), m_parts(new BarParts(studio.themes, this)),
      m_previous(button("left", Command::PassesPrevious, -1)), m_next(button("right", Command::PassesNext, 1)),
      m_slider(new PassSlider(studio.themes, model, this)), m_pass(new ElidedLabel(this)),
      m_scopes(toggle(tr("Modules"), Command::GraphScopes, tr("Group by module"))),
      m_repeats(toggle(tr("Repeats"), Command::GraphRepeats, tr("Group repeated blocks"))),
      m_kernels(toggle(tr("Kernels"), Command::GraphKernels, tr("Group by kernel"))),
      m_overlays(new OverlayBox(model, this)), m_search(new GraphSearch(studio, model, this)) {
    setObjectName("graphStrip");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    row->addWidget(m_previous);
    row->addWidget(m_slider);
    row->addWidget(m_next);
    row->addWidget(m_pass, 3);
    row->addSpacing(4);
    for (QToolButton* button : {m_scopes, m_repeats, m_kernels})
        row->addWidget(button);
    row->addSpacing(4);
    row->addWidget(m_overlays);
    row->addSpacing(4);
    row->addWidget(m_search, 2);
    m_slider->setObjectName("graph.passes");
    m_slider->setAccessibleName(tr("Pass after which the graph is shown"));
    m_slider->setFixedWidth(120);
    m_slider->setMinimumHeight(24);
    m_slider->setPageStep(1);
    m_pass->setObjectName("graph.pass");
    m_pass->setMinimumWidth(60);
    m_overlays->setObjectName("graph.overlay");
    m_overlays->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_overlays->setMinimumContentsLength(14);
    m_overlays->setMaximumWidth(190);
    connect(m_slider, &QSlider::valueChanged, &model, &LiveModel::setShown);
    connect(&model, &LiveModel::shownChanged, this, &GraphStrip::showPasses);
    connect(&model, &LiveModel::snapshotChanged, this, &GraphStrip::showPasses);
    connect(&model, &LiveModel::groupingChanged, this, &GraphStrip::showGrouping);
    showPasses();
    showGrouping();
}

// Named as the command, which is about the script where the graph stands beside one.
QToolButton* GraphStrip::button(const QString& icon, Command command, int by) {
    const QAction* action = m_studio.commands.action(command);
    QToolButton* made = m_parts->newButton(icon, action->text(), action->text());
    connect(made, &QToolButton::clicked, this, [this, by] { m_model.setShown(m_model.shown() + by); });
    return made;
}

QToolButton* GraphStrip::toggle(const QString& text, Command command, const QString& name) {
    auto* made = new QToolButton(this);
    made->setText(text);
    made->setCheckable(true);
    made->setAutoRaise(true);
    made->setAccessibleName(name);
    made->setToolTip(name + QStringLiteral(": ") + Commands::helpOf(m_studio.commands.action(command)));
    made->setFocusPolicy(Qt::TabFocus);
    connect(made, &QToolButton::clicked, this, [this, command] {
        m_studio.commands.action(command)->trigger();
        showGrouping(); // also where nothing came of it
    });
    return made;
}

// What there is no room for are commands as well.
void GraphStrip::resizeEvent(QResizeEvent*) {
    const int room = width();
    m_slider->setVisible(room >= 700);
    for (QToolButton* button : {m_scopes, m_repeats, m_kernels})
        button->setVisible(room >= 930);
    m_overlays->setVisible(room >= 570);
}

QSize GraphStrip::minimumSizeHint() const {
    return {200, QWidget::minimumSizeHint().height()};
}

void GraphStrip::showPasses() {
    const int count = m_model.snapshot() ? int(m_model.snapshot()->graphs.size()) : 0;
    const int shown = m_model.shown();
    {
        const QSignalBlocker blocker(m_slider);
        m_slider->setRange(0, std::max(0, count - 1));
        m_slider->setValue(std::max(0, shown));
    }
    m_slider->setEnabled(count > 1);
    m_previous->setEnabled(shown > 0);
    m_next->setEnabled(shown >= 0 && shown + 1 < count);
    m_kernels->setEnabled(count > 0);
    const session::ModelGraph* graph = m_model.graph();
    if (!graph) {
        m_pass->setText({});
        return;
    }
    QString text = tr("%1 of %2: %3").arg(shown + 1).arg(count).arg(QString::fromStdString(graph->title));
    if (const QString changes = changesOf(*graph); !changes.isEmpty())
        text += QStringLiteral("  (%1)").arg(changes);
    m_pass->setText(text);
    m_slider->update();
    m_slider->setToolTip(text + u'\n' + QString::fromStdString(graph->summary));
    m_slider->setAccessibleDescription(text);
}

void GraphStrip::showGrouping() {
    const session::GroupingOptions& grouping = m_model.grouping();
    m_scopes->setChecked(grouping.by_scope);
    m_repeats->setChecked(grouping.by_repeat);
    m_kernels->setChecked(grouping.by_kernel);
}

} // namespace hidet::ui
