import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { awsSettings, http, platformUrl, stage } from "../platform.ts";

export const PDF = Buffer.from("%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n");
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export const Bucket = `tenantry-${stage}-files-000000000000-us-east-1`;

/** As an operator. */
export const s3 = new S3Client(awsSettings);

/** The keys of an organization's files. */
export const filesOf = async (organizationId: string): Promise<string[]> => {
  const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `documents/${organizationId}/` }));
  return (page.Contents ?? []).flatMap(({ Key = "" }) => Key);
};

export const fileAt = async (Key: string): Promise<Buffer> => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};

interface UploadOptions {
  readonly name?: string;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly type?: string;
  readonly related_to?: string;
  readonly headers?: Record<string, string>;
  readonly expect?: number;
}

export const upload = (
  token: string,
  {
    name = "offer.pdf",
    bytes = new Uint8Array(PDF),
    type = "application/pdf",
    headers,
    expect,
    ...rest
  }: UploadOptions = {},
) =>
  http.post("/v1/documents", {
    token,
    raw: bytes,
    headers: { "content-type": type, ...headers },
    query: { name, ...(rest.related_to !== undefined && { related_to: rest.related_to }) },
    ...(expect !== undefined && { expect }),
  });

/** The bytes and the headers of a document's file. */
export const download = async (token: string, id: string) => {
  const reply = await fetch(`${platformUrl}/v1/documents/${encodeURIComponent(id)}/content`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) };
};
