/** What pipelines may be made of, as the route's description. */
export const pipelineLanguage = `
Runs a MongoDB aggregation pipeline on one object's records, as the caller: in every collection that it touches, at any
depth, records, fields and objects that they may not read do not exist, and neither do the names that lookups to such objects hold.

- **Stages and operators** are a list of allowed ones, checked at any depth. What is refused is named by operator and path, such as
  \`pipeline[2].$lookup.pipeline[0].$out\`, all of it at once. Nothing can be written, and no code run.
- **Names**: \`collection\`, \`from\` and \`coll\` are objects' api_names in any letter case. \`foreignField\`, \`connectFromField\` and
  \`connectToField\` are readable fields. A lookup is stored as \`{id, schema, name}\`: join by \`company.id\`.
- **Ids**: a record has the same text as \`_id\` and as \`id\`; either may be matched and uses the index. The answer has \`id\`; the \`_id\` of a
  \`$group\` stays.
- **Dates** are written \`{"$date": "2026-01-31T09:30:00Z"}\`. A \`$match\` before any other kind of stage also takes ISO text where it
  compares a date-time field: a day means its beginning, a moment without offset is in UTC. \`$numberInt\`, \`$numberLong\`, \`$numberDouble\`,
  \`$numberDecimal\`, \`$oid\` and \`$regularExpression\` of MongoDB's extended JSON mean values too. \`date\` fields hold text.
- **The answer** has moments as ISO text, integers beyond 2⁵³ as \`{"$numberLong": "…"}\` and decimals as \`{"$numberDecimal": "…"}\`.
- **Bounds**: 20 seconds, and 8 pipelines and queries of an organization that take longer than one second at the same time (else \`too_many_queries\`); 200 stages, 20 of them joins, 60 levels; 10,000 rows unless the pipeline has a top-level \`$limit\`; 5 MB.
`;
