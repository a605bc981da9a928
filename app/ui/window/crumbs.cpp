// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/crumbs.h"

#include <utility>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "app/ui/core/words.h"
#include "app/ui/editor/symbols.h"
#include "app/ui/run/run_controller.h"

namespace hidet::ui {

namespace assist = session::assist;

constexpr int gap_of_parts = 8;

Crumbs::Crumbs(Studio& studio, QWidget* parent) : QWidget(parent), m_studio(studio) {
    setObjectName("crumbs");
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    setCursor(Qt::PointingHandCursor);
    connect(&studio.scripts, &LiveScripts::caretMoved, this, [this](Document* document, int offset) {
        if (document != m_studio.tabs.current())
            return;
        m_caret = offset;
        refresh();
    });
    studio.scripts.follow({&LiveScripts::analysed, &LiveScripts::explanationChanged}, this, &Crumbs::refresh);
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &Crumbs::refresh);
    connect(&studio.scripts, &LiveScripts::findingsChanged, this, &Crumbs::refresh);
    connect(studio.runs, &RunController::reportChanged, this, &Crumbs::refresh);
    connect(&studio.themes, &ThemeSource::changed, this, &Crumbs::refresh);
    refresh();
}

void Crumbs::refresh() {
    const LivePipeline* live = m_studio.scripts.live();
    const bool canAnswer = live && live->answers() && live->answersAreCurrent();
    if (live && live->answers() && !canAnswer)
        return; // what is seen stays until the text has been read
    m_parts.clear();
    const Theme& theme = m_studio.themes.theme();
    const QString file = live ? m_studio.tabs.current()->name() : QString();
    if (canAnswer)
        for (const assist::Crumb& crumb : assist::breadcrumb(*live->answers(), static_cast<std::uint32_t>(m_caret))) {
            const session::Place place = placeIn(*live, file, crumb.name_range);
            m_parts.push_back({(m_parts.empty() ? QString() : QChar(0x203a) + QString(" ")) + ui::text(crumb.name),
                               tr("Go to %1").arg(ui::text(crumb.name)), theme.text, false, place});
            if (crumb.kind != assist::OutlineKind::Kernel)
                continue;
            for (const KernelBadge& badge : kernelBadges(m_studio, crumb.name, placeIn(*live, file, crumb.range)))
                m_parts.push_back({badge.text, badge.hint, colorOf(badge.tone, theme), badge.isPredicted, place});
        }
    setVisible(!m_parts.empty());
    setAccessibleName(tr("Around the caret: %1").arg(text()));
    if (const int wanted = sizeHint().width(); wanted != std::exchange(m_wanted, wanted))
        updateGeometry();
    update();
}

QString Crumbs::text() const {
    QStringList out;
    for (const Part& part : m_parts)
        out << part.text;
    return out.join(' ');
}

QFont Crumbs::fontOf(const Part& part) const {
    QFont out = font();
    out.setItalic(part.isPredicted);
    return out;
}

int Crumbs::widthOf(const Part& part) const {
    return QFontMetrics(fontOf(part)).horizontalAdvance(part.text);
}

QSize Crumbs::sizeHint() const {
    int width = gap_of_parts;
    for (const Part& part : m_parts)
        width += widthOf(part) + gap_of_parts;
    return {width, fontMetrics().height()};
}

void Crumbs::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    int x = gap_of_parts;
    for (const Part& part : m_parts) {
        const QFont used = fontOf(part);
        const int room = width() - x;
        if (room < 2 * gap_of_parts)
            return;
        painter.setFont(used);
        painter.setPen(part.color);
        painter.drawText(QRect(x, 0, room, height()), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetrics(used).elidedText(part.text, Qt::ElideRight, room));
        x += widthOf(part) + gap_of_parts;
    }
}

const Crumbs::Part* Crumbs::partAt(int x) const {
    int left = gap_of_parts;
    for (const Part& part : m_parts) {
        const int width = widthOf(part);
        if (left <= x && x < left + width)
            return &part;
        left += width + gap_of_parts;
    }
    return nullptr;
}

void Crumbs::mousePressEvent(QMouseEvent* event) {
    if (const Part* part = partAt(event->pos().x()))
        m_studio.requests.show(session::Place(part->place));
}

bool Crumbs::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Part* part = partAt(help->pos().x());
    QToolTip::showText(help->globalPos(), part ? part->hint : QString(), this);
    return true;
}

} // namespace hidet::ui
