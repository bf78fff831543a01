/** HTML that takes programs long, needs much memory or hides something: name → HTML of about so many characters. */

const filled =
  (piece: string) =>
  (length: number): string =>
    piece.repeat(Math.ceil(length / piece.length));

const between =
  (begin: string, piece: string, end = "") =>
  (length: number): string =>
    begin + filled(piece)(length) + end;

export const hostileHtml: Readonly<Record<string, (length: number) => string>> = {
  "quotes in quotes": filled("<blockquote>"),
  "quotes with lines": (length) => `${"<blockquote>".repeat(length / 24)}${"<br>a".repeat(length / 10)}`,
  "lists in lists": filled("<ul><li>x"),
  "lines in a hundred lists": (length) => "<ul><li>".repeat(100) + "<br>a".repeat(length / 5),
  "tables in tables": filled("<table><tr><td>"),
  "cells without a row": filled("<td>x"),
  "rows of a wide table": (length) =>
    `<table><tr><td>${"x".repeat(length / 2)}</td></tr>${"<tr><td>y".repeat(length / 18)}`,
  "cells that span millions": filled("<tr><td colspan=1000000 rowspan=1000000>x"),
  "unclosed elements": filled("<b>"),
  "unclosed elements and end tags of others": (length) => "<a>".repeat(length / 7) + "</b>".repeat(length / 7),
  "end tags without a begin": filled("</p>"),
  "forms in forms": filled("<form>"),
  "attributes of one element": (length) =>
    `<p ${Array.from({ length: length / 10 }, (_, index) => `a${index}=b`).join(" ")}>`,
  "one attribute without an end": between('<p title="', "x"),
  "styles of one element": between('<p style="', "color:red;", '">x'),
  "spaces in a style": between('<p style="', " ", '">x'),
  "open parentheses in a style": between('<p style="color:', "rgb(", '">x'),
  entities: filled("&amp;"),
  "entities without an end": filled("&am"),
  "less-than signs": filled("<"),
  comments: filled("<!--"),
  "sections of character data": filled("<![CDATA["),
  scripts: filled("<script>"),
  "styles in drawings": filled("<svg><style>"),
  "lines of preformatted text": between("<pre>", "\n ", "x"),
  "spaces before a character": between("<pre>", " ", "x"),
  "no-break spaces": filled("\u00a0 "),
  links: filled("<a href='http://x.test/y'>b</a>"),
  "a long address": between("<a href='http://x.test/", "y", "'>b</a>"),
  images: filled("<img src=http://x.test/y alt=z>"),
};
