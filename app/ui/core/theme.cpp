// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/theme.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QFontDatabase>
#include <QStringList>

#include "lang/base/ranges.h"

namespace hidet::ui {

namespace {

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double gamma(double channel) {
    channel = std::clamp(channel, 0.0, 1.0);
    return channel <= 0.0031308 ? channel * 12.92 : 1.055 * std::pow(channel, 1 / 2.4) - 0.055;
}

double luminance(const QColor& color) {
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

bool isReadable(const QColor& color, const Theme& theme) {
    return contrast(color, theme.panel) >= least_contrast &&
           std::all_of(theme.links.begin(), theme.links.end(),
                       [&](const QColor& link) { return contrast(color, link) >= least_contrast; });
}

void setSyntax(Theme& theme) {
    auto set = [&](SyntaxColor what, const QColor& color) { theme.syntax[static_cast<std::size_t>(what)] = color; };
    const double lightness = theme.dark ? 0.80 : 0.46;
    const double chroma = theme.id == "high_contrast" ? 0.15 : theme.dark ? 0.10 : 0.13;
    auto hue = [&](double degrees) { return oklch(lightness, chroma, degrees); };
    for (QColor& color : theme.syntax)
        color = theme.text;
    set(SyntaxColor::Keyword, hue(300));
    set(SyntaxColor::Type, hue(195));
    set(SyntaxColor::Number, hue(45));
    set(SyntaxColor::String, hue(145));
    set(SyntaxColor::Comment, theme.muted);
    set(SyntaxColor::Decorator, hue(75));
    set(SyntaxColor::Function, hue(255));
    set(SyntaxColor::Directive, hue(300));
    set(SyntaxColor::Register, hue(195));
    set(SyntaxColor::Label, hue(75));
    set(SyntaxColor::Address, theme.muted);
    set(SyntaxColor::GlobalTensor, hue(25));
    set(SyntaxColor::SharedTensor, hue(110));
    set(SyntaxColor::RegisterTensor, hue(225));
    set(SyntaxColor::Primitive, hue(270));
    set(SyntaxColor::Parameter, hue(340));
    set(SyntaxColor::HostValue, hue(60));
    set(SyntaxColor::Unresolved, theme.error);
    // Code stands on every link hue: a colour that is too near to one goes towards the text's as far as it must.
    for (QColor& color : theme.syntax)
        for (double share = 0.05; share < 1 && !isReadable(color, theme); share += 0.05)
            color = mixed(color, theme.text, share);
}

// Lines, and the names beside them: as light, or as dark, as names need.
QColor seriesColor(const Theme& theme, double hue) {
    QColor color;
    double lightness = theme.dark ? 0.75 : 0.55;
    const double step = theme.dark ? 0.01 : -0.01;
    do {
        color = oklch(lightness, 0.14, hue);
        lightness += step;
    } while ((contrast(color, theme.panel) < least_contrast || contrast(color, theme.raised) < least_contrast) &&
             lightness > 0 && lightness < 1);
    return color;
}

Theme made(const char* id, const char* name, bool dark, std::array<unsigned, 10> colors, double lightness,
           double chroma) {
    Theme theme;
    theme.id = id;
    theme.name = name;
    theme.dark = dark;
    QColor* slots_[] = {&theme.window, &theme.panel,  &theme.raised, &theme.text,    &theme.muted,
                        &theme.line,   &theme.accent, &theme.ok,     &theme.warning, &theme.error};
    for (std::size_t i = 0; i < colors.size(); ++i)
        *slots_[i] = QColor::fromRgb(colors[i]);
    theme.currentLine = mixed(theme.panel, theme.text, dark ? 0.05 : 0.035);
    theme.selection = mixed(theme.panel, theme.accent, dark ? 0.35 : 0.22);
    theme.disabled = mixed(theme.panel, theme.line, 0.6);
    theme.onAccent = contrast(theme.accent, Qt::white) >= contrast(theme.accent, Qt::black) ? Qt::white : Qt::black;
    theme.hover = mixed(theme.window, theme.text, 0.08);
    theme.added = mixed(theme.panel, theme.ok, 0.14);
    theme.removed = mixed(theme.panel, theme.error, 0.14);
    theme.addedWord = mixed(theme.panel, theme.ok, 0.32);
    theme.removedWord = mixed(theme.panel, theme.error, 0.32);
    for (std::size_t i = 0; i < theme.links.size(); ++i) {
        // Neighbouring numbers are far apart on the circle: seven steps of thirty degrees.
        const double hue = 30.0 * double(i * 7 % 12) + 20;
        theme.links[i] = oklch(lightness, chroma, hue);
        theme.series[i] = seriesColor(theme, hue);
    }
    setSyntax(theme);
    return theme;
}

} // namespace

QColor oklch(double lightness, double chroma, double hueDegrees) {
    const double hue = hueDegrees * M_PI / 180;
    const double a = chroma * std::cos(hue);
    const double b = chroma * std::sin(hue);
    auto cube = [](double x) { return x * x * x; };
    // Björn Ottosson, "A perceptual color space for image processing" (2020): OKLab to linear sRGB.
    const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
    const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
    const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
    const double red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    const double green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    const double blue = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
    return QColor::fromRgbF(float(gamma(red)), float(gamma(green)), float(gamma(blue)));
}

std::vector<QColor> distinctColors(double lightness, double chroma, int many) {
    std::vector<QColor> out;
    for (int i = 0; i < many; ++i)
        out.push_back(oklch(lightness, chroma, std::fmod(250 + i * 137.5, 360)));
    return out;
}

QColor mixed(const QColor& a, const QColor& b, double share) {
    auto of = [&](double x, double y) { return x + (y - x) * share; };
    return QColor::fromRgbF(float(of(a.redF(), b.redF())), float(of(a.greenF(), b.greenF())),
                            float(of(a.blueF(), b.blueF())));
}

double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

QColor Theme::stale(const QColor& color) const {
    return mixed(panel, color, 0.5);
}

QColor Theme::readable(const QColor& color, const QColor& background) const {
    QColor out = color;
    for (double share = 0.1; share <= 1 && contrast(out, background) < least_contrast; share += 0.1)
        out = mixed(color, text, share);
    return out;
}

const std::vector<Theme>& allThemes() {
    static const std::vector<Theme> themes = {
#define HIDET_THEME(id, name, dark, window, panel, raised, text, muted, line, accent, ok, warning, error, lightness,   \
                    chroma)                                                                                            \
    made(id, name, dark, {window, panel, raised, text, muted, line, accent, ok, warning, error}, lightness, chroma),
#include "app/ui/core/themes.def"
    };
    return themes;
}

const Theme* findTheme(const QString& id) {
    return first_in(allThemes(), id, &Theme::id);
}

QPalette paletteOf(const Theme& theme) {
    QPalette palette;
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.panel);
    palette.setColor(QPalette::AlternateBase, theme.window);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.muted);
    palette.setColor(QPalette::Button, theme.raised);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::BrightText, theme.error);
    palette.setColor(QPalette::ToolTipBase, theme.raised);
    palette.setColor(QPalette::ToolTipText, theme.text);
    palette.setColor(QPalette::Highlight, theme.selection);
    palette.setColor(QPalette::HighlightedText, theme.text);
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::LinkVisited, theme.accent);
    palette.setColor(QPalette::Light, theme.line);
    palette.setColor(QPalette::Midlight, theme.line);
    palette.setColor(QPalette::Mid, theme.line);
    palette.setColor(QPalette::Dark, theme.line);
    palette.setColor(QPalette::Shadow, theme.line);
    for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme.stale(theme.muted));
    return palette;
}

ThemeSource::ThemeSource(QObject* parent) : QObject(parent), m_theme(&allThemes().front()) {
    const QPalette palette = QApplication::palette();
    m_systemIsDark = palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
    setCodeFont({}, 0);
}

void ThemeSource::use(const QString& id) {
    const Theme* wanted = findTheme(id);
    if (!wanted)
        wanted = findTheme(m_systemIsDark ? "dark" : "light");
    const QString sheet = styleSheetOf(*wanted);
    if (wanted == m_theme && qApp->styleSheet() == sheet)
        return; // a new sheet styles every widget, the same one too
    m_theme = wanted;
    QApplication::setPalette(paletteOf(*m_theme));
    qApp->setStyleSheet(sheet);
    emit changed();
}

void ThemeSource::setCodeFont(const QString& family, int pointSize) {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const QStringList known = QFontDatabase::families();
    for (const QString& name : {family, QStringLiteral("JetBrains Mono")})
        if (!name.isEmpty() && known.contains(name)) {
            font = QFont(name);
            break;
        }
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    font.setPointSize(pointSize > 0 ? pointSize : std::max(8, QApplication::font().pointSize()));
    m_codeFont = font;
    emit changed();
}

QFont ThemeSource::smallFont() const {
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * 0.9);
    return font;
}

} // namespace hidet::ui
