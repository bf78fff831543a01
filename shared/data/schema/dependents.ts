import type { ObjectSchema, ValidationRule } from "./object-schema.ts";

/** As many are named; the caller has to look at each of them. */
const MOST_NAMED = 20;

const named = (users: readonly string[]): string[] =>
  users.length <= MOST_NAMED ? [...users] : [...users.slice(0, MOST_NAMED), `${users.length - MOST_NAMED} others`];

const mentions = (condition: string, field: string): boolean =>
  new RegExp(`\\b(?:record|old)\\s*(?:\\.\\s*|\\[\\s*["'])${field}\\b`).test(condition);

/** The rules of the object whose conditions read the field, in words. */
export const rulesOverField = ({ validation_rules }: ObjectSchema, field: string): string[] =>
  named(
    validation_rules
      .filter(({ condition }) => mentions(condition, field))
      .map((rule) => `the validation rule "${rule.api_name}"`),
  );

/** Whether the rule reads the field or names it in its message. */
export const usesField = ({ condition, error_field }: ValidationRule, field: string): boolean =>
  error_field === field || mentions(condition, field);

/**
 * The rules of the object that use the field, in words. A field's api_name has letters, digits and underscores only.
 */
export const dependentsOfField = ({ validation_rules }: ObjectSchema, field: string): string[] =>
  named(
    validation_rules.filter((rule) => usesField(rule, field)).map((rule) => `the validation rule "${rule.api_name}"`),
  );

/** The fields whose values are those of one of the lists, in words. */
export const dependentsOfLists = (schemas: readonly ObjectSchema[], lists: ReadonlySet<string>): string[] =>
  named(
    schemas.flatMap(({ api_name, properties }) =>
      Object.values(properties)
        .filter(({ global_list_name }) => global_list_name !== undefined && lists.has(global_list_name))
        .map((field) => `the field "${field.api_name}" of "${api_name}"`),
    ),
  );

/** The lookups of other objects that point to the object, in words. */
export const dependentsOfObject = (schemas: readonly ObjectSchema[], object: string): string[] =>
  named(
    schemas
      .filter(({ api_name }) => api_name !== object)
      .flatMap(({ api_name, properties }) =>
        Object.values(properties)
          .filter(({ schema }) => schema === object)
          .map((field) => `the lookup "${field.api_name}" of "${api_name}"`),
      ),
  );
