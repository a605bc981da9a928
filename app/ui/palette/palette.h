// SPDX-License-Identifier: GPL-3.0-only
// One box over the window that finds commands (">"), scripts, names ("@"), lines (":") and passes ("#"). The keyboard is
// enough; it goes away when the keyboard leaves it.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListView>

#include "app/ui/palette/palette_item.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class PaletteModel;

class Palette : public QFrame {
    Q_OBJECT
public:
    Palette(Studio& studio, QWidget* window);

    void open(const QString& prefix);
    void close();
    QLineEdit& input() { return *m_input; }
    const PaletteItems& shown() const;
    int selected() const { return m_list->currentIndex().row(); }
    void take(int row);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void listNames(const QString& pattern); // of the script
    bool isReading() const;
    void list(PaletteItems items, const QString& pattern);
    void showHelp();
    void select(int row);
    void place();

    Studio& m_studio;
    QLineEdit* m_input;
    QListView* m_list;
    QLabel* m_help;
    PaletteModel* m_model;
    QPointer<QWidget> m_before; // had the keyboard
};

} // namespace hidet::ui
