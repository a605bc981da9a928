// SPDX-License-Identifier: GPL-3.0-only
// Every text can be read on everything that is behind it, in every theme.
#include "app/ui/core/theme.h"
#include "tests/ui/fixture/studio_fixture.h"

using namespace hidet::ui;

class ThemeTest : public QObject {
    Q_OBJECT
private slots:
    void textsCanBeRead() {
        QStringList wrong;
        for (const Theme& theme : allThemes()) {
            const std::pair<const char*, QColor> texts[] = {{"text", theme.text},       {"muted", theme.muted},
                                                            {"accent", theme.accent},   {"ok", theme.ok},
                                                            {"warning", theme.warning}, {"error", theme.error}};
            const std::pair<const char*, QColor> backs[] = {
                {"window", theme.window}, {"panel", theme.panel}, {"raised", theme.raised}};
            for (const auto& [text, color] : texts)
                for (const auto& [back, behind] : backs)
                    check(wrong, theme, text, color, back, behind);
            for (const auto& [back, behind] : {std::pair<const char*, QColor>{"selection", theme.selection},
                                               {"added", theme.added},
                                               {"removed", theme.removed},
                                               {"added word", theme.addedWord},
                                               {"removed word", theme.removedWord},
                                               {"current line", theme.currentLine},
                                               {"hover", theme.hover}})
                check(wrong, theme, "text", theme.text, back, behind);
            check(wrong, theme, "text on the accent", theme.onAccent, "accent", theme.accent);
            check(wrong, theme, "muted", theme.muted, "disabled", theme.disabled);
            for (const QColor& behind : {theme.selection, theme.raised, theme.hover})
                for (const auto& [text, color] : texts)
                    check(wrong, theme, text, theme.readable(color, behind), "what it was fitted to", behind);
            for (std::size_t i = 0; i < theme.series.size(); ++i)
                for (const auto& [back, behind] :
                     {std::pair<const char*, QColor>{"panel", theme.panel}, {"raised", theme.raised}})
                    check(wrong, theme, ("series " + QByteArray::number(int(i))).constData(), theme.series[i], back,
                          behind);
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void codeCanBeReadOnEveryLinkHue() {
        QStringList wrong;
        for (const Theme& theme : allThemes())
            for (std::size_t i = 0; i < theme.syntax.size(); ++i) {
                const QByteArray name = "syntax " + QByteArray::number(int(i));
                check(wrong, theme, name.constData(), theme.syntax[i], "panel", theme.panel);
                for (std::size_t hue = 0; hue < theme.links.size(); ++hue)
                    check(wrong, theme, name.constData(), theme.syntax[i],
                          ("link " + QByteArray::number(int(hue))).constData(), theme.links[hue]);
            }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.mid(0, 40).join('\n')));
    }

    void neighbouringLinkHuesDiffer() {
        for (const Theme& theme : allThemes())
            for (std::size_t i = 0; i < theme.links.size(); ++i) {
                const QColor& a = theme.links[i];
                const QColor& b = theme.links[(i + 1) % theme.links.size()];
                QVERIFY(std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) >
                        24);
            }
    }

private:
    static void check(QStringList& wrong, const Theme& theme, const char* text, const QColor& color, const char* back,
                      const QColor& behind) {
        const double now = contrast(color, behind);
        if (now < 4.5)
            wrong << QString("%1: %2 on %3 is %4").arg(theme.id, text, back).arg(now, 0, 'f', 2);
    }
};

HIDET_UI_TEST_MAIN(ThemeTest)
#include "theme_test.moc"
