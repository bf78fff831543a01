import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";

const client = new SecretsManagerClient({});

/** The text of a secret. Callers keep it in memory only and never log it. */
export const readSecret = async (arn: string): Promise<string> => {
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
  if (SecretString === undefined) throw new Error("The secret has no text value.");
  return SecretString;
};
