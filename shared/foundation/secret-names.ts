/** Names of values that are probably secrets. Also used by the database, so without syntax that MongoDB lacks. */
export const secretNamePattern =
  /passw|passphrase|secret|token|credential|authorization|(?:api|access|private|signing|encryption)[-_ ]?key/i;

/** Whether a value of this name is probably a secret, which must not be logged or stored in audit entries. */
export const isSecretName = (name: string): boolean => secretNamePattern.test(name);
