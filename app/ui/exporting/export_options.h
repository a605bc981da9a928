// SPDX-License-Identifier: GPL-3.0-only
// What can be chosen of an export: of its format those choices that it heeds, and no others.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include "app/ui/exporting/export_subject.h"

namespace hidet::ui {

class ExportOptions : public QWidget {
    Q_OBJECT
public:
    explicit ExportOptions(Studio& studio, QWidget* parent = nullptr);

    // Keeps what is chosen, where it still can be.
    void show(const ExportSubject& subject, const session::ExportFormatInfo& format);
    using QWidget::show;
    void fill(session::ExportRequest& request) const;
    void choosePart(const ExportPart& part);

signals:
    void changed();

private:
    QWidget* add(const QString& text, QWidget* field, const QString& name); // all of the row
    void makeArchitectures();
    QCheckBox* addArchitecture(QWidget& box, const QString& name);
    void makeKey();
    void showParts(const ExportSubject& subject, bool withFunctions);
    void refresh(); // what depends on other choices

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
