/** Names of values that are probably secrets. Also used by the database, so without syntax that MongoDB lacks. */
export const secretNamePattern =
  /passw|passphrase|secret|token|credential|authorization|(?:api|access|private|signing|encryption)[-_ ]?key/i;

/** Whether a value of this name is probably a secret, which must not be logged or stored in audit entries. */
export const isSecretName = (name: string): boolean => secretNamePattern.test(name);

/**
 * Hides values under secret names. Objects under such a name are searched, because a permission's name fields as keys.
 */
export const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    const hide = isSecretName(key) && inner !== null && (typeof inner !== "object" || Array.isArray(inner));
    return [key, hide ? "[hidden]" : withoutSecrets(inner)] as const;
  });
  return Object.fromEntries(entries);
};
