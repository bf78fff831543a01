import type { NameMask } from "#shared/data/access/access";
import { didYouMean } from "#shared/foundation/did-you-mean";
import { Fault, type Issue } from "#shared/foundation/faults";
import { queryLimits } from "../limits.ts";
import type { Path, Query, SourceName, Span } from "../parse/syntax.ts";
import { type QueryIssueDetails, type QueryIssueType, queryIssue } from "../query-issue.ts";
import type { QueryField, QueryObject, QueryScope } from "./catalog.ts";
import { type Column, fieldColumn, isMaskedName, partColumn, partsOf } from "./column.ts";
import { type ColumnUse, hiddenProblem } from "./hidden-values.ts";

/** An object that the query reads. `name` is its name in the query: its alias, else its api_name. */
export interface Source {
  readonly index: number;
  readonly name: string;
  readonly object: QueryObject;
  /** The stored fields of it that the query needs. */
  readonly needed: Set<string>;
  /** The fields whose hidden names are removed before the query reads them. */
  readonly masked: Map<string, NameMask>;
}

/** Resolves names, and collects the issues of a query. */
export interface Resolver {
  readonly scope: QueryScope;
  readonly sources: readonly Source[];
  /** The number of sources that can be named. ON can name the sources up to its own join. */
  visible: number;
  source(name: string): Source | undefined;
  /** Refuses a column whose values are hidden, unless the use does not depend on them. `compute` by default. */
  column(path: Path, use?: ColumnUse): Column | null;
  /** The column, or null with an issue if its values are hidden and the use depends on them. */
  usable(column: Column, at: Span, use?: ColumnUse): Column | null;
  /** All readable fields of a source. */
  columns(source: Source): Column[];
  /** Adds an issue and gives null. */
  fail(at: Span, type: QueryIssueType, sentence: string, details?: QueryIssueDetails): null;
  /** Raises all issues. */
  settle(): void;
}

export const createResolver = (query: Query, scope: QueryScope): Resolver => {
  const { access, loc } = scope;
  const noted: { readonly offset: number; readonly issue: Issue }[] = [];
  const sources: Source[] = [];

  const fail: Resolver["fail"] = (at, type, sentence, details) => {
    if (noted.length < queryLimits.issues)
      noted.push({ offset: at.offset, issue: queryIssue(loc, at, type, sentence, details) });
    return null;
  };
  const settle = () => {
    if (noted.length === 0) return;
    const issues = noted.sort((a, b) => a.offset - b.offset).map((entry) => entry.issue);
    throw new Fault("validation_failed", { issues });
  };

  const addSource = (named: SourceName) => {
    const found = scope.objects.get(named.object.text.toLowerCase());
    if (!found || !access.objectReadable(found.api_name)) {
      const meant = didYouMean(
        named.object.text,
        scope.objectNames.filter((name) => access.objectReadable(name)),
      );
      const sentence = `There is no object ${named.object.text}.${meant ? ` Did you mean ${meant}?` : ""}`;
      const details = { found: named.object.text, expected: ["an object"], ...(meant && { did_you_mean: meant }) };
      return fail(named.object.at, "unknown_object", sentence, details);
    }
    const name = named.alias?.text ?? found.api_name;
    if (sources.some((source) => source.name.toLowerCase() === name.toLowerCase())) {
      const sentence = `Two objects of this query are called ${name}; give one an alias: JOIN ${found.api_name} AS other.`;
      return fail((named.alias ?? named.object).at, "query_structure", sentence, { found: name });
    }
    return sources.push({ index: sources.length, name, object: found, needed: new Set(), masked: new Map() });
  };

  addSource(query.from);
  for (const join of query.joins) addSource(join.source);
  settle();

  const fieldOf = (source: Source, name: string): QueryField | undefined => {
    const field = source.object.fields.get(name);
    return field && access.fieldReadable(source.object.api_name, name) ? field : undefined;
  };
  const readable = (source: Source): string[] =>
    [...source.object.fields.keys()].filter((name) => access.fieldReadable(source.object.api_name, name));

  const resolver: Resolver = {
    scope,
    sources,
    visible: sources.length,
    source: (name) => {
      const wanted = name.toLowerCase();
      return sources.find((source) => source.index < resolver.visible && source.name.toLowerCase() === wanted);
    },
    columns: (source) =>
      readable(source).map((name) => {
        source.needed.add(name);
        return fieldColumn(source.object.fields.get(name) as QueryField, source.index, access);
      }),
    usable: (column, at, use = "compute") => {
      const problem = hiddenProblem(column.field, column.hidden, use);
      if (problem !== null) return fail(at, "query_type", problem, { expected: ["another field"] });
      return use === "equality" && column.hidden !== null ? hashed(column) : column;
    },
    column: (path, use) => {
      const qualifier = path.names.length > 1 ? resolver.source(path.names[0]?.text ?? "") : undefined;
      const [first, part, excess] = qualifier ? path.names.slice(1) : path.names;
      if (!first) return null;
      const candidates = qualifier
        ? [qualifier]
        : sources.filter((source) => source.index < resolver.visible && fieldOf(source, first.text));
      const source = candidates[0];
      const field = source && fieldOf(source, first.text);
      if (!source || !field) return unknownField(path, first.text, qualifier);
      if (!qualifier && candidates.length > 1 && source.index > 0) {
        const names = candidates.map((candidate) => `${candidate.name}.${first.text}`);
        return fail(path.at, "ambiguous_field", `Several objects have the field ${first.text}.`, { expected: names });
      }
      const column = part
        ? partColumn(field, part.text, source.index, access)
        : fieldColumn(field, source.index, access);
      if (!column || excess) return unknownPart(path, source, field);
      if (column.mask !== null && isMaskedName(column)) source.masked.set(field.api_name, column.mask);
      source.needed.add(field.api_name);
      return resolver.usable(column, path.at, use);
    },
    fail,
    settle,
  };

  /** The hashes of an encrypted field, in place of its values. */
  const hashed = (column: Column): Column => {
    const { api_name } = column.field;
    const object = sources[column.source]?.object.api_name ?? "";
    const hashOf = (text: string): string => scope.hashOf?.(object, api_name, text) ?? "";
    return { ...column, path: `${api_name}.hash`, hashOf };
  };

  const unknownField = (path: Path, name: string, qualifier: Source | undefined) => {
    const within = qualifier ? [qualifier] : sources.slice(0, resolver.visible);
    const candidates = within.flatMap(readable);
    const dotted = !qualifier && path.names.length > 1;
    if (dotted) candidates.push(...within.map((source) => source.name));
    const meant = didYouMean(name, candidates);
    const owner = within.map((source) => source.name).join(" or ");
    const what = dotted
      ? `Neither an object of this query nor a field of ${owner} is called ${name}.`
      : `There is no field ${name} in ${owner}.`;
    const details = { found: name, expected: ["a field"], ...(meant && { did_you_mean: meant }) };
    return fail(path.at, "unknown_field", `${what}${meant ? ` Did you mean ${meant}?` : ""}`, details);
  };

  const unknownPart = (path: Path, source: Source, field: QueryField) => {
    const whole = fieldColumn(field, source.index, access);
    const target = whole.reference;
    const written = path.names.map((name) => name.text).join(".");
    if (target === null) {
      const sentence = `${field.api_name} has no parts, so there is no ${written}.`;
      return fail(path.at, "unknown_field", sentence, { found: written, expected: [field.api_name] });
    }
    const parts = partsOf(whole);
    const expected = parts.map((part) => `${field.api_name}.${part}`);
    const join =
      target === "*" || !access.objectReadable(target)
        ? ""
        : ` For more, JOIN ${target} ON ${target}.id = ${source.name}.${field.api_name}.`;
    const listed = `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
    const sentence = `Of the lookup ${field.api_name} only ${listed} are at hand, not ${written}.${join}`;
    return fail(path.at, "unknown_field", sentence, { found: written, expected });
  };

  return resolver;
};
