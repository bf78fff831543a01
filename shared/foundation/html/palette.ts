/**
 * Colours and fonts of all pages, as custom properties. The contrast is at least 4.5 : 1 (WCAG 2.2, AA) in both
 * schemes. The fonts are system fonts.
 */
export const palette = `
:root {
  color-scheme: light dark;
  --paper: #fdfcf9; --panel: #f5f2eb; --line: #e2ddd2; --ink: #1d1b18; --soft: #5f5a51; --accent: #0f5f59;
  --code-paper: #20242b; --code-ink: #e6e4de; --code-soft: #a9adb6; --code-line: #343a44;
  --green: #17653a; --green-paper: #dff0e4; --blue: #1c4f9c; --blue-paper: #e0eafa; --amber: #7a4a00; --amber-paper: #f8e8c8;
  --red: #a3221d; --red-paper: #fae2df; --violet: #5b3a9e; --violet-paper: #ebe4fa; --focus: #0f766e;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", P052, Charter, Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, "Cascadia Mono", Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15171a; --panel: #1d2024; --line: #30343a; --ink: #ebe8e1; --soft: #a8a59d; --accent: #7cd0c6;
    --code-paper: #0e1013; --code-line: #2a2f36;
    --green: #86d6a3; --green-paper: #173325; --blue: #9fc3fb; --blue-paper: #1a2c49; --amber: #f0c678; --amber-paper: #3a2c12;
    --red: #f5a8a1; --red-paper: #45201d; --violet: #c9b4f7; --violet-paper: #2e2449; --focus: #7cd0c6;
  }
}
`;

export const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230f766e' " +
  "d='M2 3h12v3H9.5v8h-3V6H2z'/%3E%3C/svg%3E";
