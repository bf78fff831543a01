import type { S3Client } from "@aws-sdk/client-s3";
import { env } from "../env.ts";
import { inTime } from "./in-time.ts";

/** Much longer than S3 usually takes for 4 MiB. */
const PATIENCE_MS = 10_000;
/** The maximum of keys in one request. */
const BATCH = 1000;

let client: Promise<S3Client> | undefined;

/** Loaded when it is needed, because few requests need it. */
const open = (): Promise<S3Client> => {
  client ??= import("@aws-sdk/client-s3").then(({ S3Client }) => new S3Client({}));
  return client;
};

const load = async () => ({ ...(await import("@aws-sdk/client-s3")), s3: await open() });

const isNamed = (error: unknown, ...names: string[]): boolean => error instanceof Error && names.includes(error.name);

/**
 * Stores a file under a key that nothing else uses, such as one with a new id. A file that is there already stays as it
 * is: then an earlier attempt has stored it.
 */
export const putFile = async (Key: string, Body: Uint8Array, { type }: { readonly type: string }): Promise<void> => {
  const { PutObjectCommand, s3 } = await load();
  const command = new PutObjectCommand({
    Bucket: env.filesBucket(),
    Key,
    Body,
    ContentType: type,
    ContentLength: Body.byteLength,
    IfNoneMatch: "*",
  });
  try {
    await inTime(PATIENCE_MS, (abortSignal) => s3.send(command, { abortSignal }));
  } catch (error) {
    if (!isNamed(error, "PreconditionFailed")) throw error;
  }
};

/**
 * The bytes of a file. Undefined if it does not exist; S3 answers 403 then to functions that may not list keys. Raises
 * an Error for a file of more than `max` bytes.
 */
export const getFile = async (Key: string, { max }: { readonly max: number }): Promise<Uint8Array | undefined> => {
  const { GetObjectCommand, s3 } = await load();
  const command = new GetObjectCommand({ Bucket: env.filesBucket(), Key });
  try {
    return await inTime(PATIENCE_MS, async (abortSignal) => {
      const { Body, ContentLength = 0 } = await s3.send(command, { abortSignal });
      if (ContentLength <= max) return await Body?.transformToByteArray();
      await Body?.transformToWebStream().cancel();
      throw new Error(`The file ${Key} has ${ContentLength} bytes, which is more than ${max}.`);
    });
  } catch (error) {
    if (isNamed(error, "NoSuchKey", "AccessDenied")) return undefined;
    throw error;
  }
};

/** Deletes files. Those that do not exist are no error. */
export const deleteFiles = async (keys: readonly string[]): Promise<void> => {
  if (keys.length === 0) return;
  const { DeleteObjectsCommand, s3 } = await load();
  for (let start = 0; start < keys.length; start += BATCH) {
    const Objects = keys.slice(start, start + BATCH).map((Key) => ({ Key }));
    const command = new DeleteObjectsCommand({ Bucket: env.filesBucket(), Delete: { Objects, Quiet: true } });
    const { Errors = [] } = await inTime(PATIENCE_MS, (abortSignal) => s3.send(command, { abortSignal }));
    const [first] = Errors;
    if (first) throw new Error(`${Errors.length} files could not be deleted: ${first.Key}: ${first.Code}`);
  }
};

interface StoredFile {
  readonly key: string;
  readonly size: number;
  readonly storedAt: Date;
}

/** The files whose keys begin with a prefix that ends with `/`, in pages of at most 1,000, by key. */
export async function* listFiles(Prefix: string): AsyncGenerator<readonly StoredFile[]> {
  const { ListObjectsV2Command, s3 } = await load();
  for (let token: string | undefined, more = true; more; more = token !== undefined) {
    const command = new ListObjectsV2Command({
      Bucket: env.filesBucket(),
      Prefix,
      ...(token !== undefined && { ContinuationToken: token }),
    });
    const page = await inTime(PATIENCE_MS, (abortSignal) => s3.send(command, { abortSignal }));
    token = page.NextContinuationToken;
    yield (page.Contents ?? []).flatMap(({ Key, Size = 0, LastModified = new Date(0) }) =>
      Key === undefined ? [] : [{ key: Key, size: Size, storedAt: LastModified }],
    );
  }
}
