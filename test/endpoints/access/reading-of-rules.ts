import { fieldNames, kinds, type Model, type ModelRecord } from "./arbitrary-model.ts";

/**
 * What the documentation promises about rights, read rule by rule without regard to speed. It shares no code with the
 * platform.
 */

type Operation = "create" | "read" | "update" | "delete";

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** The number of a member's role; null without one. Member 0 is the organization's owner. */
const roleOf = ({ members, roles }: Model, member: number): number | null => {
  const role = members[member - 1]?.role ?? null;
  return role === null ? null : role % roles.length;
};

/** The number of the role above; null for none. Only earlier roles can be above. */
export const parentOf = ({ roles }: Model, role: number): number | null => {
  const parent = roles[role]?.parent ?? null;
  return parent === null || role === 0 ? null : parent % role;
};

export const permissionsOf = ({ members, permissions }: Model, member: number): number[] => [
  ...new Set((members[member - 1]?.permissions ?? []).map((index) => index % permissions.length)),
];

export const may = (model: Model, member: number, object: number, operation: Operation): boolean =>
  member === 0 ||
  permissionsOf(model, member).some((index) => at(model.permissions, index).objects[object]?.[operation]);

export const mayField = (
  model: Model,
  member: number,
  object: number,
  field: string,
  operation: "read" | "update",
): boolean =>
  member === 0 ||
  permissionsOf(model, member).some((index) => {
    const permission = at(model.permissions, index);
    const excluded = permission.fields[object]?.[field]?.[operation] === false;
    return permission.objects[object]?.[operation] === true && !excluded;
  });

const seesSensitive = (model: Model, member: number): boolean =>
  member === 0 || permissionsOf(model, member).some((index) => at(model.permissions, index).sensitive);

/** Whether the member sees a mask in place of the field's values, on every way to read. */
export const isMasked = (model: Model, member: number, object: number, field: string): boolean =>
  fieldAt(model, object, field).sensitive && !seesSensitive(model, member);

export const isEncrypted = (model: Model, object: number, field: string): boolean => {
  const { kind, encrypted } = fieldAt(model, object, field);
  return encrypted && kind === "text";
};

const fieldAt = (model: Model, object: number, field: string) =>
  at(at(model.objects, object).fields, fieldNames.indexOf(field));

/** What stands in place of a field's values, and of absent ones, for those who see a mask. */
export const maskOf = (model: Model, object: number, field: string): unknown =>
  ["text", "choice"].includes(fieldAt(model, object, field).kind) ? "***" : null;

const isBelow = (model: Model, role: number, above: number): boolean => {
  for (let parent = parentOf(model, role); parent !== null; parent = parentOf(model, parent)) {
    if (parent === above) return true;
  }
  return false;
};

const seesRecordsOf = (model: Model, member: number, owner: number): boolean => {
  const role = roleOf(model, member);
  if (role === null || owner === member) return true;
  const others = owner === 0 ? null : roleOf(model, owner);
  switch (model.roles[role]?.view_access) {
    case "full":
      return true;
    case "team":
      return others === role;
    case "subordinate":
      return others !== null && (others === role || isBelow(model, others, role));
    default:
      return false;
  }
};

const levels = ["read", "edit", "delete"];

/** 0: does not see it. 1: reads. 2: changes. 3: deletes. */
export const rightTo = (model: Model, member: number, object: number, record: ModelRecord): number => {
  const { ownership, exclusive_ownership } = at(model.objects, object);
  if (member === 0 || !ownership || seesRecordsOf(model, member, record.owner)) return 3;
  if (exclusive_ownership) return 0;
  const role = roleOf(model, member);
  const given = record.shares
    .filter(({ holder, index }) => (holder === "user" ? index === member : index % model.roles.length === role))
    .map(({ access }) => levels.indexOf(access) + 1);
  return Math.max(0, ...given);
};

/** The values of a record by field; undefined for none. */
export const valuesOf = (model: Model, object: number, { cells }: ModelRecord): Record<string, unknown> =>
  Object.fromEntries(
    fieldNames.flatMap((name, index) => {
      const cell = cells[index];
      const kind = kinds[at(model.objects, object).fields[index]?.kind ?? "text"];
      if (cell === undefined || cell.kind === "none") return [];
      return [[name, at<unknown>(cell.kind === "wrong" ? kind.wrong : kind.fitting, cell.index)]];
    }),
  );

/** Whether the values fit the fields and the rule of the object. */
export const isValid = (model: Model, object: number, values: Readonly<Record<string, unknown>>): boolean => {
  const { fields, ruled } = at(model.objects, object);
  return fields.every(({ kind, required }, index) => {
    const value = values[fieldNames[index] as string] ?? null;
    if (value === null) return !required;
    const isFitting = (kinds[kind].fitting as readonly unknown[]).includes(value);
    return isFitting && !(ruled && kind === "number" && Number(value) > 40);
  });
};
