import { createHmac, randomBytes } from "node:crypto";
import { parse, stringify } from "uuid";
import { isSameSecret } from "#shared/foundation/constant-time";
import { REPLY_KEY_COLLECTION, type TenantDatabase } from "#shared/tenant/tenant";

interface ReplyKey {
  readonly _id: "key";
  /** In base64. */
  readonly key: string;
}

/** Lower-case letters and digits, because mail systems may change the case of addresses. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_CHARACTERS = 26;
/** 80 bits. */
const MAC_CHARACTERS = 16;
const TOKEN = new RegExp(`^[${ALPHABET}]{${ID_CHARACTERS + MAC_CHARACTERS}}$`);

const encode = (bytes: Uint8Array, characters: number): string => {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = "";
  for (let index = 0; index < characters; index += 1) {
    text = `${ALPHABET[Number(value & 31n)]}${text}`;
    value >>= 5n;
  }
  return text;
};

const decodeId = (text: string): Uint8Array => {
  let value = 0n;
  for (const character of text) value = (value << 5n) | BigInt(ALPHABET.indexOf(character));
  return Uint8Array.from({ length: 16 }, (_, index) => Number((value >> BigInt(8 * (15 - index))) & 255n));
};

type KeyDatabase = Pick<TenantDatabase, "organization_id" | "collection">;

const keyOf = async ({ collection }: KeyDatabase): Promise<Buffer> => {
  const keys = collection<ReplyKey>(REPLY_KEY_COLLECTION);
  const known = await keys.findOne({ _id: "key" });
  if (known !== null) return Buffer.from(known.key, "base64");
  const key = randomBytes(32).toString("base64");
  const stored = await keys.findOneAndUpdate(
    { _id: "key" },
    { $setOnInsert: { key } },
    { upsert: true, returnDocument: "after" },
  );
  return Buffer.from(stored?.key ?? key, "base64");
};

const macOf = (key: Buffer, organizationId: string, id: string): string =>
  encode(createHmac("sha256", key).update(`${organizationId} ${id}`).digest().subarray(0, 10), MAC_CHARACTERS);

/** The token of a message's reply address, `reply+<token>@…`: 42 letters and digits. */
export const replyToken = async (database: KeyDatabase, id: string): Promise<string> => {
  const encoded = encode(parse(id), ID_CHARACTERS);
  return `${encoded}${macOf(await keyOf(database), database.organization_id, encoded)}`;
};

/** `reply+<token>@mail.acme.test` → the token. */
const tokenIn = (address: string): string | undefined => {
  const token = /^[^@]*\+([^@+]+)@/.exec(address)?.[1]?.toLowerCase();
  return token !== undefined && TOKEN.test(token) ? token : undefined;
};

/** The message that one of the addresses answers; undefined without a token that this organization has made. */
export const repliedMessage = async (
  database: KeyDatabase,
  addresses: readonly string[],
): Promise<string | undefined> => {
  const tokens = [...new Set(addresses.flatMap((address) => tokenIn(address) ?? []))];
  if (tokens.length === 0) return undefined;
  const key = await keyOf(database);
  const right = tokens.find((token) => {
    const expected = macOf(key, database.organization_id, token.slice(0, ID_CHARACTERS));
    return isSameSecret(token.slice(ID_CHARACTERS), expected);
  });
  return right === undefined ? undefined : stringify(decodeId(right.slice(0, ID_CHARACTERS)));
};
