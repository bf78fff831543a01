/** The query language in brief, as the route's description. docs/query-language.md is the full reference. */
export const queryLanguage = `
\`\`\`
[EXPLAIN] SELECT [DISTINCT] * | column [[AS] alias], …
FROM object [[AS] alias]
[[LEFT] JOIN object [[AS] alias] ON parent.id = child.lookup [AND condition]] …
[WHERE condition] [GROUP BY field, …] [HAVING condition]
[ORDER BY column [ASC | DESC], …] [LIMIT n] [OFFSET n]
\`\`\`

- **Columns**: \`field\`, \`object.field\`, \`object.*\`, \`lookup.id\`, \`lookup.name\`, \`lookup.schema\`, \`COUNT(*)\`,
  \`COUNT(field)\`, \`COUNT(DISTINCT field)\`, \`SUM\`, \`AVG\`, \`MIN\`, \`MAX\`. The key of a column is its alias, else its text.
- **Conditions**: \`= != <> < <= > >=\`, \`[NOT] BETWEEN a AND b\`, \`[NOT] IN (a, b)\` or \`IN [a, b]\`, \`[NOT] LIKE\`,
  \`IS [NOT] NULL\`, combined by NOT, AND, OR (in this order of precedence) and parentheses. Each side is a field or a value.
- **Values**: text in single or double quotes (a quote inside is doubled), numbers, TRUE, FALSE, NULL, ISO dates and date-times with or
  without quotes, \`ME\` (the caller's id) and relative dates. A name that is a keyword is written in backquotes.
- **NULL** is a field without a value, or an empty list. As in SQL a comparison with it is never true: \`status != 'New'\` leaves
  out records without a status, and \`= NULL\` finds nothing. Use \`IS NULL\`. NULL sorts first ascending, last descending.
- **Text**: \`=\` and the order use code points. \`LIKE\` ignores case; \`%\` is any characters, \`_\` is one, and a backslash escapes the next
  character.
- **Dates**: a day against a date-time, and a relative date against either, is a range: \`= '2026-01-31'\` is that whole day, \`<\` is before
  it, \`>\` after it, \`<=\` and \`BETWEEN\` include it. Days begin in the caller's time zone (\`time_zone\` of the user,
  else of the organization's \`settings\`, else UTC), weeks on Monday. \`now\`, \`today\`, \`yesterday\`, \`tomorrow\`,
  \`this_ last_ next_\` with \`week month quarter year\`, and with a number \`last_n_days:30\`, \`next_n_days:7\`, \`n_days_ago:3\` and the same with
  weeks, months, quarters and years. As in SOQL, \`last_n_days\` includes today, but the other counted ranges do not include the current unit.
- **Lookups**: compared, grouped and sorted by id, and returned as \`{id, schema, name}\`.
- **Lists** (multi-select, lookup lists): \`=\` and \`IN\` are true if one of the values is equal, \`!=\` and \`NOT IN\` if none is.
- **Pages**: \`LIMIT\` is the size of a page. If there are more rows, \`next_cursor\` and the \`Link\` header continue after the last one,
  so that records that are added or removed meanwhile shift nothing. Groups and DISTINCT rows continue by number, as with \`OFFSET\`.
  The id breaks ties in the order.
- **Accept**: \`application/x-ndjson\` gives one record a line.
`;
