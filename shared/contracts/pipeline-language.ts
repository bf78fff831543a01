/** The pipeline language, as the route's description. */
export const pipelineLanguage = `
Runs a MongoDB aggregation pipeline on one object's records, within the caller's access: records, fields and objects that
the caller may not read do not exist in any collection at any depth, and neither do the names in lookups to such objects.

- **Stages and operators** must be on a list, at any depth. An error lists everything that is refused by operator and path, such as
  \`pipeline[2].$lookup.pipeline[0].$out\`. A pipeline cannot write, and cannot run code.
- **Names**: \`collection\`, \`from\` and \`coll\` are api_names of objects, case-insensitive. \`foreignField\`, \`connectFromField\` and
  \`connectToField\` are readable fields. A lookup is stored as \`{id, schema, name}\`: join by \`company.id\`.
- **Ids**: \`_id\` and \`id\` of a record are equal; a match on either uses the index. The reply has \`id\`; the \`_id\` of a
  \`$group\` stays.
- **Dates** are written \`{"$date": "2026-01-31T09:30:00Z"}\`. A \`$match\` before any other kind of stage also accepts ISO text where
  it compares a date-time field: a day means its beginning, a time without offset is in UTC. \`$numberInt\`, \`$numberLong\`, \`$numberDouble\`,
  \`$numberDecimal\`, \`$oid\` and \`$regularExpression\` of MongoDB's extended JSON are values too. \`date\` fields hold text.
- **The reply** has dates as ISO text, integers beyond 2⁵³ as \`{"$numberLong": "…"}\` and decimals as \`{"$numberDecimal": "…"}\`.
- **Limits**: 20 seconds; 8 pipelines and queries of an organization at a time that take longer than one second (else
  \`too_many_queries\`); 200 stages, 20 of them joins, 60 levels; 10,000 rows unless the pipeline has a top-level \`$limit\`; 5 MB.
`;
