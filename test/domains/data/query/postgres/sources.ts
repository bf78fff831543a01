import * as fc from "fast-check";
import type { Condition, Join, SourceName } from "#shared/data/query/parse/syntax";
import { conditionOn } from "./conditions.ts";
import { at, type NamedTable, type Typed, typedColumns } from "./operands.ts";
import { tableNames } from "./tables.ts";

/** FROM and its joins. */
export interface Sources {
  readonly named: readonly NamedTable[];
  readonly from: SourceName;
  readonly joins: readonly Join[];
}

const sourceName = ({ name, table }: NamedTable): SourceName => ({
  object: { text: table, at },
  alias: name === table ? null : { text: name, at },
  at,
});

const table = fc.constantFrom(...tableNames);

/** A lookup and the id of its target are a natural pair; other pairs are equal by chance. */
const isLookup = ({ whole, several }: Typed): boolean => whole && !several;
const isId = ({ expression }: Typed): boolean =>
  expression.kind === "path" && expression.names.at(-1)?.text === "id" && expression.names.length < 3;

/** If the new object has the name of a lookup, it hides the lookup. */
const columnsBefore = (added: NamedTable, before: readonly NamedTable[]): Typed[] =>
  typedColumns(before).filter(
    ({ expression }) =>
      expression.kind !== "path" || expression.names.length === 1 || expression.names[0]?.text !== added.name,
  );

const equality = (added: NamedTable, before: readonly NamedTable[]): fc.Arbitrary<Condition> => {
  const ours = typedColumns([added], false);
  const theirs = columnsBefore(added, before);
  const pairs = ours.flatMap((own) =>
    theirs
      .filter((other) => other.comparing === own.comparing && own.comparing !== "json")
      .map((other) => ({ own, other })),
  );
  const natural = pairs.filter(({ own, other }) => (isLookup(own) && isId(other)) || (isId(own) && isLookup(other)));
  const wholeLists = pairs.filter(({ own, other }) => (own.several && isId(other)) || (isId(own) && other.several));
  const plain = pairs.filter(({ own, other }) => !own.several && !other.several);
  return fc
    .tuple(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...(natural.length > 0 ? natural : plain)) },
        { weight: 1, arbitrary: fc.constantFrom(...(wholeLists.length > 0 ? wholeLists : plain)) },
        { weight: 2, arbitrary: fc.constantFrom(...plain) },
      ),
      fc.boolean(),
    )
    .map(([{ own, other }, swapped]) => {
      const [left, right] = swapped ? [other.expression, own.expression] : [own.expression, other.expression];
      return { kind: "comparison", operator: "=", left, right, at };
    });
};

const withoutLists = (columns: readonly Typed[]): Typed[] => columns.filter(({ several }) => !several);

const joinOf = (added: NamedTable, before: readonly NamedTable[]): fc.Arbitrary<Join> =>
  fc.boolean().chain((outer) => {
    // Further conditions of ON: on the new object alone; in an inner join on all objects so far.
    const own = typedColumns([added], false);
    const columns = outer ? own : [...own, ...withoutLists(columnsBefore(added, before))];
    const further = fc.option(conditionOn(columns), { freq: 3 });
    return fc.tuple(equality(added, before), further, fc.boolean()).map(([equal, more, first]) => {
      const items = more === null ? [equal] : first ? [equal, more] : [more, equal];
      const on: Condition = items.length === 1 ? equal : { kind: "and", items, at };
      return { outer, source: sourceName(added), on, at };
    });
  });

/** One to four objects, each joined with an earlier one; the same object again with another alias. */
export const anySources: fc.Arbitrary<Sources> = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.array(table, { minLength: 1, maxLength: 1 }) },
      { weight: 5, arbitrary: fc.array(table, { minLength: 2, maxLength: 2 }) },
      { weight: 2, arbitrary: fc.array(table, { minLength: 3, maxLength: 4 }) },
    ),
    fc.boolean(),
  )
  .chain(([chosen, aliased]) => {
    const named = chosen.map((name, index): NamedTable => {
      const plain = !aliased && chosen.indexOf(name) === index;
      return { name: plain ? name : `t${index}`, table: name };
    });
    const joins = named.slice(1).map((added, index) => joinOf(added, named.slice(0, index + 1)));
    return fc.tuple(...joins).map((made) => ({ named, from: sourceName(named[0] as NamedTable), joins: made }));
  });
