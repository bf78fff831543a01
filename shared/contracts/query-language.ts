/** The query language in brief, as the route's description; docs/query-language.md says it in full. */
export const queryLanguage = `
\`\`\`
[EXPLAIN] SELECT [DISTINCT] * | column [[AS] alias], …
FROM object [[AS] alias]
[[LEFT] JOIN object [[AS] alias] ON parent.id = child.lookup [AND condition]] …
[WHERE condition] [GROUP BY field, …] [HAVING condition]
[ORDER BY column [ASC | DESC], …] [LIMIT n] [OFFSET n]
\`\`\`

- **Columns**: \`field\`, \`object.field\`, \`object.*\`, \`lookup.id\`, \`lookup.name\`, \`lookup.schema\`, \`COUNT(*)\`,
  \`COUNT(field)\`, \`COUNT(DISTINCT field)\`, \`SUM\`, \`AVG\`, \`MIN\`, \`MAX\`. The key of a column is its alias, else what was written.
- **Conditions**: \`= != <> < <= > >=\`, \`[NOT] BETWEEN a AND b\`, \`[NOT] IN (a, b)\` or \`IN [a, b]\`, \`[NOT] LIKE\`,
  \`IS [NOT] NULL\`, combined by NOT, AND, OR (in this order of precedence) and parentheses. A side may be a field or a value.
- **Values**: text in single or double quotes (a quote inside is doubled), numbers, TRUE, FALSE, NULL, ISO dates and date-times with or
  without quotes, \`ME\` (the caller's id) and relative dates. A name that is a keyword goes in backquotes.
- **NULL** is a field that is not set, and an empty list. As in SQL a comparison with it is never true, so \`status != 'New'\` leaves
  out records without a status, and \`= NULL\` finds nothing: use \`IS NULL\`. NULL sorts first ascending, last descending.
- **Text**: \`=\` and the order go by code points; \`LIKE\` ignores case, with \`%\` for any characters, \`_\` for one, and a backslash before
  a character that is meant as it is.
- **Dates**: a day against a date-time, and a relative date against either, is a range: \`= '2026-01-31'\` is that whole day, \`<\` is before
  it, \`>\` after it, \`<=\` and \`BETWEEN\` include it. Days begin where the caller's time zone says (\`time_zone\` of the user,
  else of the organization's \`settings\`, else UTC), weeks on Monday. \`now\`, \`today\`, \`yesterday\`, \`tomorrow\`,
  \`this_ last_ next_\` with \`week month quarter year\`, and with a number \`last_n_days:30\`, \`next_n_days:7\`, \`n_days_ago:3\` and the same with
  weeks, months, quarters and years. As in SOQL, \`last_n_days\` includes today, the other counted ranges leave out the present unit.
- **Lookups**: alone they compare, group and sort by id, and are answered as \`{id, schema, name}\`.
- **Lists** (multi-select, lookup lists): \`=\` and \`IN\` ask whether one of the values is meant, \`!=\` and \`NOT IN\` that none is.
- **Pages**: \`LIMIT\` is the size of a page. If there are more rows, \`next_cursor\` and the \`Link\` header go on behind the last one:
  records that are added or removed meanwhile shift nothing. Groups and DISTINCT rows go on by number, as \`OFFSET\` does. The order is
  always made total by the id.
- **Accept**: \`application/x-ndjson\` gives one record a line.
`;
