const SECRET = /passw|secret|token|credential|private_?key|api_?key/i;

/** Whether what has this name is likely to be a secret, and therefore is written down nowhere. */
export const isSecretName = (name: string): boolean => SECRET.test(name);
