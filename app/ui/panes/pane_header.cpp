// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/pane_header.h"

#include <QHBoxLayout>

#include "app/ui/core/icons.h"

namespace hidet::ui {

QString figuresOf(const session::FormSnapshot& form) {
    QStringList kernels;
    for (const session::KernelFacts& kernel : form.kernels) {
        QStringList figures{PaneHeader::tr("%1 registers").arg(kernel.registers)};
        const int spills = kernel.spill_store_bytes + kernel.spill_load_bytes;
        figures << (spills ? PaneHeader::tr("%1 bytes spilled").arg(spills) : PaneHeader::tr("no spills"));
        if (kernel.static_shared_bytes)
            figures << PaneHeader::tr("%1 bytes shared").arg(kernel.static_shared_bytes);
        if (kernel.stack_bytes)
            figures << PaneHeader::tr("%1 bytes stack").arg(kernel.stack_bytes);
        const QString name = form.kernels.size() > 1 ? QString::fromStdString(kernel.name) + ": " : QString();
        kernels << name + figures.join(", ");
    }
    return kernels.join("; ");
}

PaneHeader::PaneHeader(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_stages(new StageChooser(studio, this)), m_modules(new QComboBox(this)),
      m_filter(new FilterButton(studio, this)), m_figures(new ElidedLabel(this)), m_state(new ElidedLabel(this)),
      m_pin(button("pin", tr("Pin this pane"), tr("Keep showing this text while the script changes"))),
      m_copy(button("copy", tr("Copy the whole text"), tr("Copy the whole text, with colours"))) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 4, 4);
    row->setSpacing(8);
    row->addWidget(m_stages, 0);
    row->addWidget(m_modules, 0);
    row->addWidget(m_figures, 3);
    row->addWidget(m_state, 1);
    row->addWidget(m_filter);
    row->addWidget(m_pin);
    row->addWidget(m_copy);
    m_stages->setObjectName("pane.stage");
    m_modules->setObjectName("pane.module");
    m_modules->setAccessibleName(tr("Module"));
    m_modules->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_modules->hide();
    m_filter->setObjectName("pane.filters");
    m_figures->setObjectName("pane.figures");
    m_figures->setProperty("muted", true);
    m_figures->setFont(studio.themes.smallFont());
    m_state->setObjectName("pane.state");
    m_state->setProperty("muted", true);
    m_state->setFont(studio.themes.smallFont());
    m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_pin->setObjectName("pane.pinned");
    m_pin->setCheckable(true);
    connect(m_pin, &QToolButton::clicked, this, &PaneHeader::pinToggled);
    connect(m_copy, &QToolButton::clicked, this, &PaneHeader::copyRequested);
    connect(m_modules, &QComboBox::activated, this, [this](int row) {
        if (LivePipeline* live = m_studio.live())
            live->setModule(m_modules->itemData(row).toInt());
    });
    connect(&studio.themes, &ThemeSource::changed, this, &PaneHeader::applyTheme);
    applyTheme();
}

QToolButton* PaneHeader::button(const QString& icon, const QString& name, const QString& tip) {
    auto* made = new QToolButton(this);
    made->setAccessibleName(name);
    made->setToolTip(tip);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    m_icons << std::pair(made, icon);
    return made;
}

void PaneHeader::applyTheme() {
    const Theme& theme = m_studio.themes.theme();
    for (const auto& [button, name] : m_icons) {
        const bool marked = button == m_pin && m_pin->isChecked();
        button->setIcon(icon(name, marked ? theme.accent : theme.muted));
    }
    m_figures->setFont(m_studio.themes.smallFont());
    m_state->setFont(m_studio.themes.smallFont());
}

void PaneHeader::setStage(const StageName& stage) {
    m_stages->setStage(stage);
    m_filter->setStage(stage);
}

void PaneHeader::setModules() {
    const LivePipeline* live = m_studio.live();
    const std::size_t count = live ? live->board().modules().size() : 0;
    m_modules->setVisible(count > 1);
    if (count <= 1)
        return;
    const QSignalBlocker quiet(m_modules);
    const auto& modules = live->board().modules();
    QHash<QString, int> titles;
    for (const session::BoardModule& module : modules)
        ++titles[moduleTitle(*module.snapshot)];
    for (std::size_t i = 0; i < modules.size(); ++i) {
        const session::ModuleSnapshot& module = *modules[i].snapshot;
        QString title = moduleTitle(module);
        if (titles.value(title) > 1)
            title = tr("%1 (%2)").arg(title).arg(module.number);
        const int row = static_cast<int>(i);
        if (row >= m_modules->count())
            m_modules->addItem({});
        if (m_modules->itemText(row) != title)
            m_modules->setItemText(row, title);
        m_modules->setItemData(row, modules[i].id);
    }
    while (m_modules->count() > static_cast<int>(count))
        m_modules->removeItem(m_modules->count() - 1);
    m_modules->setCurrentIndex(m_modules->findData(live->module()));
}

void PaneHeader::setFigures(const QString& text) {
    m_figures->setText(text);
    m_figures->setVisible(!text.isEmpty()); // the state takes its room
    m_figures->setAccessibleName(text);
}

void PaneHeader::setState(const QString& text) {
    m_state->setText(text);
    m_state->setAccessibleName(text);
}

void PaneHeader::setPinned(bool pinned) {
    m_pin->setChecked(pinned);
    applyTheme();
}

} // namespace hidet::ui
