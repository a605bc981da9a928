// SPDX-License-Identifier: GPL-3.0-only
// All colours of the program in one table: the palette, the editors, plots and canvases read them here. Colour carries
// meaning only: accent, ok, warning, error, what is stale, and the hues that link lines of different panes.
#pragma once

#include <array>
#include <vector>

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>
#include <QString>

namespace hidet::ui {

// What a lexer or the language service says of a piece of text.
enum class SyntaxColor {
    Text,
    Keyword,
    Type,
    Number,
    String,
    Comment,
    Decorator,
    Function,
    Directive,
    Register,
    Label,
    Address,
    GlobalTensor,
    SharedTensor,
    RegisterTensor,
    ScriptValue,
    HostValue,
    Parameter,
    Primitive,
    Unresolved,
    Count
};

struct Theme {
    QString id;
    QString name;
    bool dark = false;
    QColor window, panel, raised, text, muted, line, accent, ok, warning, error;
    QColor currentLine, selection;                 // backgrounds in editors
    QColor disabled;                               // behind the text of a main action that cannot be done
    QColor onAccent;                               // text on the accent
    QColor hover;                                  // behind what the mouse is on
    QColor added, removed, addedWord, removedWord; // backgrounds in diffs
    std::array<QColor, 12> links;                  // backgrounds of linked ranges
    std::array<QColor, 12> series;                 // lines and bars of plots, marks beside linked ranges
    std::array<QColor, static_cast<std::size_t>(SyntaxColor::Count)> syntax;

    QColor color(SyntaxColor what) const { return syntax[static_cast<std::size_t>(what)]; }
    QColor stale(const QColor& color) const; // half way to the panel
    // The colour, or one between it and the text's that can be read on the background.
    QColor readable(const QColor& color, const QColor& background) const;
};

const std::vector<Theme>& allThemes();
const Theme* findTheme(const QString& id);                    // null: no such theme
QColor mixed(const QColor& a, const QColor& b, double share); // `share` of b
double contrast(const QColor& a, const QColor& b);            // WCAG 2.1, 1 to 21
constexpr double least_contrast = 4.5;                        // of text and what is behind it
QColor oklch(double lightness, double chroma, double hueDegrees);
// Neighbours are far apart on the circle of hues, however many there are.
std::vector<QColor> distinctColors(double lightness, double chroma, int many);

QPalette paletteOf(const Theme& theme);
QString styleSheetOf(const Theme& theme);

// The theme in use. Widgets that paint themselves or hold an editor listen to changed().
class ThemeSource : public QObject {
    Q_OBJECT
public:
    explicit ThemeSource(QObject* parent = nullptr);
    const Theme& theme() const { return *m_theme; }
    // "system" follows the desktop's palette; a name that is not known is taken as "system".
    void use(const QString& id);
    // Calls a member, or what needs no arguments: now, and after every change for as long as `who` lives.
    template <class Who, class Act>
    void follow(Who* who, Act act) const {
        connect(this, &ThemeSource::changed, who, act);
        if constexpr (std::is_member_function_pointer_v<Act>)
            (who->*act)();
        else
            act();
    }

    QFont codeFont() const { return m_codeFont; }
    QFont smallFont() const; // the smallest of the three sizes: tables, badges, the status line
    void setCodeFont(const QString& family, int pointSize);

signals:
    void changed();

private:
    const Theme* m_theme;
    QFont m_codeFont;
    bool m_systemIsDark = false;
};

inline QFont italic(QFont font, bool isItalic = true) {
    font.setItalic(isItalic);
    return font;
}

inline QFont bold(QFont font, QFont::Weight weight = QFont::Bold) {
    font.setWeight(weight);
    return font;
}

} // namespace hidet::ui
