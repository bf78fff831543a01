import type { Json } from "../json.ts";
import type { Column } from "./table.ts";

/** System fields, which are shown last. */
const system = ["created_date", "modified_date", "created_by", "modified_by", "owner", "shared_with"];

/** A column for a field, with the type of its values. */
export const recordColumn = (key: string, rows: readonly Json[]): Column => {
  const value = rows.find((row) => row[key] !== null && row[key] !== undefined)?.[key];
  return { key, type: typeof value, ...(/_date$/.test(key) && { format: "date-time" }) };
};

/** The order is: the id, the object's own fields with values, system fields, fields without values. */
export const recordColumns = (rows: readonly Json[]): Column[] => {
  const keys = Object.keys(rows[0] ?? {});
  const own = keys.filter((key) => key !== "id" && !system.includes(key));
  const told = own.filter((key) => rows.some((row) => row[key] !== null));
  const rest = own.filter((key) => !told.includes(key));
  const common = system.filter((key) => keys.includes(key));
  return [...(keys.includes("id") ? ["id"] : []), ...told, ...common, ...rest].map((key) => recordColumn(key, rows));
};
