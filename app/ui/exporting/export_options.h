// SPDX-License-Identifier: GPL-3.0-only
// What can be chosen of an export: of its format those choices that it heeds, and no others.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>

#include "app/session/package/plan_images.h"
#include "app/ui/exporting/export_subject.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

class ExportOptions : public QWidget {
    Q_OBJECT
public:
    explicit ExportOptions(Studio& studio, QWidget* parent = nullptr)
        : QWidget(parent), m_studio(studio), m_parts(new QComboBox), m_targets(new QComboBox), m_archBox(new QWidget),
          m_levelBox(new QWidget) {
        newColumn({12, 8, 12, 8}, 8, {}, this);
        m_parts->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        m_parts->setMinimumContentsLength(12);
        m_partsRow = add(tr("Kernels"), m_parts, "export.part");
        for (const TargetChoice& each : targetChoices())
            m_targets->addItem(tr(each.text));
        m_targets->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        m_targets->setMinimumContentsLength(12);
        m_targetsRow = add(tr("Runs on"), m_targets, "export.targets");
        makeArchitectures();
        m_contracts->setText(tr("a * b + c may be rounded once"));
        m_contracts->setChecked(true);
        m_contractsRow = add({}, m_contracts, "export.contracts");
        m_seed->setRange(0, 1'000'000);
        m_seed->setKeyboardTracking(false);
        m_seedRow = add(tr("Seed of the inputs that results are stored for"), m_seed, "export.seed");
        makeKey();
        connect(m_parts, &QComboBox::activated, this, [this](int row) {
            m_wanted = m_shownParts.value(row);
            emit changed();
        });
        connect(m_targets, &QComboBox::activated, this, [this] {
            refresh();
            emit changed();
        });
        connect(m_contracts, &QCheckBox::toggled, this, &ExportOptions::changed);
        connect(m_seed, &QSpinBox::valueChanged, this, &ExportOptions::changed);
        connect(m_key, &QLineEdit::editingFinished, this, [this] {
            if (m_key->isModified()) {
                m_key->setModified(false);
                emit changed();
            }
        });
    }

    // Keeps what is chosen, where it still can be.
    void show(const ExportSubject& subject, const session::ExportFormatInfo& format) {
        const QSignalBlocker quiet(this);
        m_takes = session::taken_by(format.format);
        m_isModel = subject.isModel();
        showParts(subject, m_takes.function);
        m_partsRow->setVisible(m_shownParts.size() > 2); // all of one is that one
        m_targetsRow->setVisible(m_isModel);
        m_contractsRow->setVisible(m_takes.contracts);
        m_seedRow->setVisible(m_takes.seed);
        m_keyRow->setVisible(m_isModel);
        refresh();
    }

    using QWidget::show;
    void fill(session::ExportRequest& request) const {
        const ExportPart part = m_shownParts.value(m_parts->currentIndex());
        request.module = part.module;
        request.function = part.function.toStdString();
        const std::pair<const QWidget*, const QList<QCheckBox*>*> rows[] = {{m_archRow, &m_architectures},
                                                                            {m_levelRow, &m_levels}};
        for (const auto& [row, boxes] : rows)
            for (const QCheckBox* box : std::as_const(*boxes))
                if (!row->isHidden() && box->isChecked())
                    request.architectures.push_back(box->text().toStdString());
        request.contracts = m_contracts->isChecked() || !m_takes.contracts;
        if (m_takes.seed)
            request.seed = static_cast<std::uint64_t>(m_seed->value());
        if (!m_isModel)
            return;
        request.targets = targetChoices()[static_cast<std::size_t>(std::max(0, m_targets->currentIndex()))].targets;
        request.key = m_key->text().toStdString();
        // Else the exporter asks which GPU is here, and this process opens none.
        if (request.architectures.empty() && !m_archRow->isHidden())
            request.architectures.push_back(m_studio.settings.text(Setting::Arch).toStdString());
    }

    void choosePart(const ExportPart& part) {
        m_wanted = part;
        for (int i = 0; i < m_shownParts.size(); ++i)
            if (m_shownParts[i].isSame(part))
                m_parts->setCurrentIndex(i);
    }

signals:
    void changed();

private:
    static constexpr int columns = 3; // of architectures
    struct TargetChoice {
        const char* text;
        std::vector<session::Target> targets;
    };
    static const std::vector<TargetChoice>& targetChoices() {
        using session::Target;
        static const std::vector<TargetChoice> all = {
            {QT_TRANSLATE_NOOP("ExportOptions", "All that can be compiled for here"), {}},
            {QT_TRANSLATE_NOOP("ExportOptions", "GPU"), {Target::Cuda}},
            {QT_TRANSLATE_NOOP("ExportOptions", "CPU"), {Target::Cpu}},
            {QT_TRANSLATE_NOOP("ExportOptions", "GPU and CPU"), {Target::Cuda, Target::Cpu}}};
        return all;
    }

    // all of the row
    QWidget* add(const QString& text, QWidget* field, const QString& name) {
        auto* row = new QWidget;
        auto* column = newColumn({}, 4, {}, row);
        if (!text.isEmpty()) {
            auto* label = new QLabel(text);
            label->setProperty("muted", true);
            label->setWordWrap(true);
            label->setBuddy(field);
            column->addWidget(label);
            field->setAccessibleName(text);
        }
        field->setObjectName(name);
        column->addWidget(field);
        layout()->addWidget(row);
        return row;
    }

    void makeArchitectures() {
        for (QWidget* box : {m_archBox, m_levelBox}) {
            auto* grid = new QGridLayout(box);
            grid->setContentsMargins(0, 0, 0, 0);
            grid->setSpacing(4);
        }
        for (const QString& name : choicesOf(Setting::Arch))
            m_architectures << addArchitecture(*m_archBox, name);
        for (const session::ProcessorLevel& level : session::processor_levels)
            m_levels << addArchitecture(*m_levelBox, level.name);
        m_archRow = add(tr("Architectures"), m_archBox, "export.architectures");
        m_archLabel = m_archRow->findChild<QLabel*>();
        m_levelRow = add(tr("Levels of x86-64 (default: the script's, or all)"), m_levelBox, "export.levels");
    }

    QCheckBox* addArchitecture(QWidget& box, const QString& name) {
        auto* grid = static_cast<QGridLayout*>(box.layout());
        auto* choice = new QCheckBox(name);
        choice->setObjectName("export.arch." + name);
        const int row = grid->count() / columns, column = grid->count() % columns;
        grid->addWidget(choice, row, column);
        connect(choice, &QCheckBox::toggled, this, &ExportOptions::changed);
        return choice;
    }

    void makeKey() {
        auto* field = new QWidget;
        m_key->setObjectName("export.key.path");
        m_key->setAccessibleName(tr("File with the key"));
        m_key->setPlaceholderText(tr("not signed"));
        m_key->setToolTip(tr("A file with the seed of an Ed25519 key: 32 bytes, or 64 hexadecimal digits"));
        m_chooseKey->setObjectName("export.key.choose");
        m_chooseKey->setText(tr("Choose..."));
        m_chooseKey->setAccessibleName(tr("Choose the key"));
        newRow({}, 4, {{m_key, 1}, m_chooseKey}, field);
        connect(m_chooseKey, &QPushButton::clicked, this, [this] {
            const QStringList files = m_studio.dialogs.open(window(), tr("Choose the key"), {}, {});
            if (files.isEmpty())
                return;
            m_key->setText(files.first());
            emit changed();
        });
        m_keyRow = add(tr("Signed with the key"), field, "export.key");
    }

    void showParts(const ExportSubject& subject, bool withFunctions) {
        const QList<ExportPart> parts =
            subject.document ? partsOf(subject, m_studio, withFunctions) : QList<ExportPart>();
        if (std::ranges::equal(parts, m_shownParts, &ExportPart::isSame))
            return; // it may be open
        m_shownParts = parts;
        m_parts->clear();
        for (const ExportPart& part : std::as_const(m_shownParts)) {
            m_parts->addItem(part.text);
            // In a format of whole modules a function stands for its module.
            if (part.isSame(m_wanted) || (part.function.isEmpty() && part.module == m_wanted.module))
                m_parts->setCurrentIndex(m_parts->count() - 1);
        }
    }

    // what depends on other choices
    void refresh() {
        const bool isForCpu = m_isModel && m_targets->currentText() == tr("CPU");
        m_archRow->setVisible(m_takes.architectures && !isForCpu);
        m_levelRow->setVisible(m_takes.levels);
        const QString none = m_isModel ? m_studio.settings.text(Setting::Arch) : tr("the script's, or sm_90a");
        m_archLabel->setText(tr("Architectures (default: %1)").arg(none));
    }

    Studio& m_studio;
    QComboBox *m_parts, *m_targets;
    QWidget *m_archBox, *m_levelBox;
    QList<QCheckBox*> m_architectures, m_levels;
    QCheckBox* m_contracts = new QCheckBox;
    QSpinBox* m_seed = new QSpinBox;
    QLineEdit* m_key = new QLineEdit;
    QPushButton* m_chooseKey = new QPushButton;
    QLabel* m_archLabel;
    QWidget *m_partsRow, *m_targetsRow, *m_archRow, *m_levelRow, *m_contractsRow, *m_seedRow, *m_keyRow;
    QList<ExportPart> m_shownParts;
    ExportPart m_wanted; // by the user, also while it cannot be chosen
    session::ExportTakes m_takes;
    bool m_isModel = false;
};

} // namespace hidet::ui
