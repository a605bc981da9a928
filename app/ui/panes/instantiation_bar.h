// SPDX-License-Identifier: GPL-3.0-only
// Over the panes, when the script only has functions that return kernels and nothing calls one: offers to enter a call to
// look at. It is remembered with the script's file, and changes nothing in it.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QToolButton>
#include <QWidget>

#include "app/ui/workbench/studio.h"

namespace hidet::ui {

struct KernelFactory {
    QString name;
    QStringList parameters; // those without a default
    QString call() const { return name + '(' + parameters.join(", ") + ')'; }
};
// Functions of host code at the top of the script that have a kernel in them.
QList<KernelFactory> factoriesIn(const session::assist::Document& document);

class InstantiationBar : public QWidget {
    Q_OBJECT
public:
    InstantiationBar(Studio& studio, QWidget* parent = nullptr);

private:
    void refresh();
    void follow(LivePipeline* live);
    void showCalls();
    void restore(); // what was entered for this file
    void apply();
    QString key() const;
    void applyTheme();

    Studio& m_studio;
    QLabel* m_text = new QLabel(this);
    QLineEdit* m_call = new QLineEdit(this);
    QPushButton* m_show = new QPushButton(tr("Show"), this);
    QToolButton* m_clear = new QToolButton(this);
    QPointer<LivePipeline> m_live; // of the script in front
    std::weak_ptr<const session::assist::Document> m_seen;
    QList<KernelFactory> m_factories;
};

} // namespace hidet::ui
