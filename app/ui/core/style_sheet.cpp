// SPDX-License-Identifier: GPL-3.0-only
// What Fusion does not take from the palette: one-pixel separators in place of frames, flat buttons and tabs, corners of
// four pixels. Sizes keep to a grid of eight pixels, four inside tables. Fields take the colour of their text from the
// palette: with a colour from here Qt would show hints at half of it, which is hard to read.
#include "app/ui/core/theme.h"

namespace hidet::ui {

namespace {

constexpr const char* sheet = R"(
QMainWindow::separator { background: @line; width: 1px; height: 1px; }
QSplitter::handle { background: @line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QSplitter::handle:hover { background: @accent; }
QToolTip { color: @text; background: @raised; border: 1px solid @line; padding: 4px; }
QMenu { background: @raised; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 4px 24px 4px 24px; border-radius: 4px; }
QMenu::item:selected { background: @selection; color: @text; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QDockWidget { color: @muted; titlebar-close-icon: url(:/icons/close_tab.svg); titlebar-normal-icon: none; }
QDockWidget::close-button { subcontrol-position: right center; right: 4px; }
QDockWidget::float-button { subcontrol-position: left center; left: -64px; }
QDockWidget::title { background: @window; padding: 4px 8px; border-bottom: 1px solid @line; }
QTabBar { qproperty-drawBase: 0; background: transparent; }
QTabBar::tab { background: transparent; color: @muted; padding: 4px 12px; border: 0; border-bottom: 2px solid transparent; }
QTabBar#documents::tab { padding: 4px 8px; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:hover:!selected { color: @text; }
QTabBar::tab:focus { color: @text; background: @selection; }
QTabBar::close-button { image: url(:/icons/close_tab.svg); subcontrol-position: right; width: 12px; height: 12px; margin: 2px; }
QTabBar::close-button:hover { background: @hover; border-radius: 4px; }
QTabWidget::pane { border: 0; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 3px 6px; color: @text; }
QTabBar::scroller { width: 44px; }
QToolButton#ScrollLeftButton, QToolButton#ScrollRightButton { padding: 0; }
QToolButton:hover, QToolButton:checked { background: @hover; }
QToolButton:focus { border: 1px solid @accent; }
QToolButton:disabled { color: @faint; }
QToolButton::menu-indicator { image: none; }
QToolButton[primary="true"] { background: @accent; color: @onAccent; border-color: @accent; padding: 3px 12px 3px 8px; font-weight: 600; }
QToolButton[primary="true"]:hover, QToolButton[primary="true"]:focus { border-color: @text; }
QToolButton[primary="true"]:disabled { background: @disabled; color: @muted; border-color: @line; }
QToolButton[field="true"] { background: @panel; color: @muted; border: 1px solid @line; padding: 3px 8px 3px 4px; text-align: left; }
QToolButton[field="true"]:hover { border-color: @muted; background: @panel; }
QToolButton[field="true"]:focus { border-color: @accent; }
QToolButton#closeTab, QToolButton#dismiss { padding: 1px; }
QMenuBar { background: @window; color: @text; padding: 2px 4px; }
QMenuBar::item { background: transparent; padding: 4px 8px; border-radius: 4px; }
QMenuBar::item:selected { background: @hover; }
QPushButton { background: @raised; border: 1px solid @line; border-radius: 4px; padding: 4px 12px; color: @text; }
QPushButton:hover { border-color: @muted; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled { color: @faint; }
QPushButton[primary="true"] { background: @accent; color: @onAccent; border-color: @accent; }
QPushButton[primary="true"]:hover { border-color: @text; }
QPushButton[primary="true"]:disabled { background: @disabled; color: @muted; border-color: @line; }
QComboBox, QLineEdit, QSpinBox, QDoubleSpinBox, QKeySequenceEdit { background: @panel; padding: 3px 6px;
  border: 1px solid @line; border-radius: 4px; selection-background-color: @selection; selection-color: @text; }
QLineEdit { lineedit-clear-button-icon: url(:/icons/close_tab.svg); }
QComboBox:hover, QLineEdit:hover, QSpinBox:hover { border-color: @muted; }
QComboBox:focus, QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus { border-color: @accent; }
QComboBox:disabled, QLineEdit:disabled, QSpinBox:disabled { color: @faint; }
QAbstractSpinBox { qproperty-buttonSymbols: NoButtons; } /* the arrow keys and the wheel do the same */
QComboBox::drop-down { border: 0; width: 18px; }
QComboBox::down-arrow { image: url(:/icons/arrow.svg); width: 12px; height: 12px; }
QComboBox[flat="true"] { background: transparent; border-color: transparent; }
QComboBox[flat="true"]:hover { background: @hover; border-color: transparent; }
QComboBox[flat="true"]:focus { border-color: @accent; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @line; selection-background-color: @selection; selection-color: @text; }
QAbstractItemView { background: @panel; border: 0; outline: 0; alternate-background-color: @window;
  selection-background-color: @selection; selection-color: @text; }
QTreeView::item, QTableView::item { border: 0; padding: 3px 5px; }
QTreeView::item:selected, QTableView::item:selected { background: @selection; color: @text; }
QAbstractItemView:focus { border-left: 2px solid @accent; }
QHeaderView { background: @panel; }
QHeaderView::section { background: @panel; color: @muted; border: 0; border-bottom: 1px solid @line; padding: 4px 8px; }
QScrollArea { border: 0; background: transparent; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @scroll; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QStatusBar { background: @window; color: @muted; border-top: 1px solid @line; }
QStatusBar::item { border: 0; }
QToolBar#modes { background: @window; border: 0; border-right: 1px solid @line; padding: 0; spacing: 0; }
QLabel[muted="true"] { color: @muted; }
QLabel[role="ok"] { color: @ok; }
QLabel[role="warning"] { color: @warning; }
QLabel[role="error"] { color: @error; }
QFrame[separator="true"] { background: @line; border: 0; }
QWidget[panel="true"] { background: @panel; }
QWidget[bar="true"] { background: @window; border-bottom: 1px solid @line; }
QWidget[page="true"], QScrollArea[page="true"] { background: @panel; }
QLabel[role="title"] { font-size: 18pt; font-weight: 600; }
QLabel[role="heading"] { font-weight: 600; }
QPushButton[card="true"] { background: @panel; border: 1px solid @line; border-radius: 4px; }
QPushButton[card="true"]:hover { background: @window; border-color: @muted; }
QPushButton[card="true"]:focus { border-color: @accent; }
QPushButton[row="true"] { background: transparent; border: 1px solid transparent; text-align: left; padding: 4px 8px; }
QPushButton[row="true"]:hover { background: @hover; }
QPushButton[row="true"]:focus, QPushButton[link="true"]:focus { border-color: @accent; }
QPushButton[link="true"] { background: transparent; border: 1px solid transparent; color: @accent; padding: 2px 0; }
QPushButton[link="true"]:hover { background: @hover; }
QWidget[settingRow="true"] { background: @panel; border-bottom: 1px solid @line; }
QWidget[notice="true"] { background: @raised; border-bottom: 1px solid @line; }
QFrame#palette { background: @raised; border: 1px solid @edge; border-radius: 4px; }
QFrame#palette QLineEdit { border: 0; background: transparent; padding: 4px; font-size: 110%; }
QListView[palette="true"], QFrame#palette QListView { background: transparent; border: 0; border-top: 1px solid @line; padding: 4px 0; }
QProgressBar { background: @line; border: 0; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }
QCheckBox { spacing: 8px; }
QCheckBox[alone="true"] { spacing: 0; }
QCheckBox::indicator, QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid @muted; border-radius: 4px; background: @panel; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(@check); }
QRadioButton::indicator:checked { background: @accent; }
QCheckBox::indicator:disabled { border-color: @line; }
QCheckBox:focus, QRadioButton:focus { color: @accent; }
)";

QString nameBetween(const QColor& a, const QColor& b, double share) {
    auto of = [&](int x, int y) { return int(x + (y - x) * share); };
    return QColor(of(a.red(), b.red()), of(a.green(), b.green()), of(a.blue(), b.blue())).name();
}

} // namespace

QString styleSheetOf(const Theme& theme) {
    const std::pair<const char*, QString> values[] = {
        {"@onAccent", theme.onAccent.name()},
        {"@accent", theme.accent.name()},
        {"@window", theme.window.name()},
        {"@panel", theme.panel.name()},
        {"@raised", theme.raised.name()},
        {"@text", theme.text.name()},
        {"@muted", theme.muted.name()},
        {"@line", theme.line.name()},
        {"@ok", theme.ok.name()},
        {"@warning", theme.warning.name()},
        {"@error", theme.error.name()},
        {"@selection", theme.selection.name()},
        {"@hover", theme.hover.name()},
        {"@disabled", theme.disabled.name()},
        {"@faint", theme.stale(theme.muted).name()},
        {"@check", theme.onAccent == QColor(Qt::white) ? ":/icons/check_white.svg" : ":/icons/check_black.svg"},
        {"@edge", nameBetween(theme.window, theme.text, 0.25)},
        {"@scroll", nameBetween(theme.panel, theme.text, 0.22)},
    };
    QString out = sheet;
    for (const auto& [name, value] : values)
        out.replace(name, value);
    return out;
}

} // namespace hidet::ui
