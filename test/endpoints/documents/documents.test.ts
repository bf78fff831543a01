import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { addUser, databaseClient, http, registerOrganization } from "../../platform.ts";
import { download, fileAt, filesOf, PDF, PNG, upload } from "../../setup/documents.ts";

const utf8 = (text: string) => new Uint8Array(Buffer.from(text));

describe("an uploaded file", () => {
  test("becomes a document, and is downloaded byte for byte as an attachment that no browser shows", async () => {
    const { token, organizationId } = await registerOrganization();
    const { body } = await upload(token, { expect: 201 });
    expect(body).toMatchObject({ name: "offer.pdf", status: "draft" });
    expect(body.file).toEqual({
      key: `documents/${organizationId}/${body.id}`,
      name: "offer.pdf",
      type: "application/pdf",
      size: PDF.length,
      sha256: createHash("sha256").update(PDF).digest("hex"),
    });
    const { status, headers, bytes } = await download(token, body.id);
    expect(status).toBe(200);
    expect(bytes.equals(PDF)).toBe(true);
    expect(headers.get("content-type")).toBe("application/octet-stream");
    expect(headers.get("content-disposition")).toBe(`attachment; filename="offer.pdf"; filename*=UTF-8''offer.pdf`);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
    expect((await fileAt(body.file.key)).equals(PDF)).toBe(true);
  });

  test("may have 4 MiB, and one byte more is refused", async () => {
    const { token, organizationId } = await registerOrganization();
    const largest = new Uint8Array(4 * 1024 * 1024);
    largest.set(PNG);
    largest.set(randomBytes(1000), 1_000_000);
    const { body } = await upload(token, { bytes: largest, name: "large.png", expect: 201 });
    expect((await download(token, body.id)).bytes.equals(largest)).toBe(true);
    const larger = new Uint8Array(largest.length + 1);
    larger.set(PNG);
    const refused = await upload(token, { bytes: larger, expect: 413 });
    expect(refused.body.code).toBe("body_too_large");
    expect(await filesOf(organizationId)).toEqual([`documents/${organizationId}/${body.id}`]);
  });

  test("has the type of its content, whatever the request says", async () => {
    const { token } = await registerOrganization();
    const typeOf = async (bytes: Uint8Array<ArrayBuffer>, name: string, type: string) =>
      (await upload(token, { bytes, name, type, expect: 201 })).body.file;
    expect(await typeOf(new Uint8Array(PNG), "picture.pdf", "application/pdf")).toMatchObject({
      type: "image/png",
      name: "picture.pdf.png",
    });
    expect(await typeOf(utf8("a,b\n1,2\n"), "data.csv", "application/pdf")).toMatchObject({
      type: "text/csv",
      name: "data.csv",
    });
    expect(await typeOf(utf8("Grüße\n"), "letter", "text/plain; charset=utf-8")).toMatchObject({
      type: "text/plain",
      name: "letter.txt",
    });
    expect(await typeOf(utf8('{"a":1}'), "run.exe", "application/json")).toMatchObject({
      type: "text/plain",
      name: "run.exe.txt",
    });
  });

  test.each([
    ["a program of Windows", Buffer.from("MZ\x90\0\x03\0\0\0", "latin1")],
    ["a program of Linux", Buffer.from("\x7fELF\x02\x01\x01\0", "latin1")],
    ["HTML", Buffer.from("  <!DOCTYPE html><script>alert(1)</script>")],
    ["a picture with scripts", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ["XML", Buffer.from('<?xml version="1.0"?><a/>')],
    ["a script of a shell", Buffer.from("#!/bin/sh\nrm -rf ~\n")],
    ["text that is no UTF-8", Buffer.from("Gr\xfc\xdfe", "latin1")],
    ["random bytes", Buffer.from([0, 1, 2, 3, 4, 250])],
  ])("is refused and not stored if it is %s", async (_, bytes) => {
    const { token, organizationId } = await registerOrganization();
    const { body } = await upload(token, {
      bytes: new Uint8Array(bytes),
      name: "picture.png",
      type: "image/png",
      expect: 415,
    });
    expect(body.code).toBe("unsupported_media_type");
    expect(await filesOf(organizationId)).toEqual([]);
  });

  test("that is empty, or was garbled on its way, is refused", async () => {
    const { token } = await registerOrganization();
    const empty = await upload(token, { bytes: new Uint8Array(), expect: 422 });
    expect(empty.body.detail).toMatchObject([{ loc: ["body"], type: "missing" }]);
    // API Gateway takes text as UTF-8.
    const latin = new Uint8Array(Buffer.from("Gr\xfc\xdfe", "latin1"));
    const garbled = await upload(token, { bytes: latin, name: "a.txt", type: "text/plain", expect: 422 });
    expect(garbled.body.detail).toMatchObject([{ loc: ["body"], type: "garbled_text" }]);
  });

  test.each([
    ["../../etc/passwd.pdf", "passwd.pdf"],
    ["C:\\Users\\me\\offer.pdf", "offer.pdf"],
    ["a\r\nSet-Cookie: x=1.pdf", "aSet-Cookie_ x=1.pdf"],
    ["evil\u202Efdp.exe", "evilfdp.exe.pdf"],
    ['"; filename="x.exe', "_; filename=_x.exe.pdf"],
    ["..", "file.pdf"],
    ["CON.pdf", "_CON.pdf"],
    ["Angebot für 東京 😀.pdf", "Angebot für 東京 😀.pdf"],
    [`${"n".repeat(900)}.pdf`, `${"n".repeat(176)}.pdf`],
  ])("with the name %j is stored and sent as %j", async (given, cleaned) => {
    const { token } = await registerOrganization();
    const { body } = await upload(token, { name: given, expect: 201 });
    expect(body.file.name).toBe(cleaned);
    expect(body.name).toBe(cleaned);
    const disposition = (await download(token, body.id)).headers.get("content-disposition") ?? "";
    expect(disposition).toMatch(/^attachment; filename="[ -~]*"; filename\*=UTF-8''[\w.%~-]+$/);
    expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? "")).toBe(cleaned);
  });

  test("belongs to a record that its uploader sees, and to no other", async () => {
    const { token } = await registerOrganization();
    const stranger = await registerOrganization();
    const { body: company } = await http.post("/v1/object/company", { token, body: { name: "Harbour" }, expect: 201 });
    const { body } = await upload(token, { related_to: `company/${company.id}`, expect: 201 });
    expect(body.related_to).toMatchObject({ id: company.id, schema: "company", name: "Harbour" });
    await upload(stranger.token, { related_to: `company/${company.id}`, expect: 422 });
    await upload(token, { related_to: "company", expect: 422 });
    expect(await filesOf(stranger.organizationId)).toEqual([]);
  });

  test("is stored once for all requests with one Idempotency-Key", async () => {
    const { token, organizationId } = await registerOrganization();
    const headers = { "idempotency-key": "one upload" };
    const first = await upload(token, { headers, expect: 201 });
    const again = await upload(token, { headers, expect: 201 });
    expect(again.body.id).toBe(first.body.id);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await filesOf(organizationId)).toHaveLength(1);
    await upload(token, { headers, bytes: new Uint8Array(PNG), expect: 422 });
  });
});

describe("the rights on a document", () => {
  test("are checked at each download", async () => {
    const owner = await registerOrganization();
    const member = await addUser(owner.organizationId);
    const { body } = await upload(owner.token, { expect: 201 });
    const before = (await download(member.token, body.id)).status;
    await http.patch(`/v1/object/document/${body.id}`, { token: owner.token, body: { name: "Renamed" }, expect: 200 });
    await http.delete(`/v1/object/document/${body.id}`, { token: owner.token, expect: 200 });
    expect([200, 403, 404]).toContain(before);
    expect((await download(owner.token, body.id)).status).toBe(404);
  });

  test("end at the organization: no route gives or takes the file of another one", async () => {
    const owner = await registerOrganization();
    const stranger = await registerOrganization();
    const { body } = await upload(owner.token, { expect: 201 });
    expect((await download(stranger.token, body.id)).status).toBe(404);
    for (const id of [
      `../${owner.organizationId}/${body.id}`,
      `..%2F${owner.organizationId}%2F${body.id}`,
      `${owner.organizationId}/${body.id}`,
      body.file.key,
    ]) {
      expect((await download(stranger.token, id)).status).toBe(404);
    }
    // A forged record of the same id, as only the platform itself could write it.
    const client = await databaseClient();
    const stored = await client.db(owner.organizationId).collection("document").findOne({ _id: body.id });
    await client
      .db(stranger.organizationId)
      .collection("document")
      .insertOne(stored ?? {});
    expect((await download(stranger.token, body.id)).status).toBe(500);
    await http.delete(`/v1/object/document/${body.id}`, { token: stranger.token, expect: 200 });
    await expect.poll(async () => client.db(stranger.organizationId).collection("_outbox").countDocuments()).toBe(0);
    expect((await download(owner.token, body.id)).bytes.equals(PDF)).toBe(true);
    await client.close();
  });

  test("let nobody write the field that says where the file is", async () => {
    const { token } = await registerOrganization();
    const file = { key: "documents/other/one", name: "x", type: "x", size: 1, sha256: "" };
    await http.post("/v1/object/document", { token, body: { name: "Forged", file }, expect: 403 });
    const { body } = await upload(token, { expect: 201 });
    await http.patch(`/v1/object/document/${body.id}`, { token, body: { file }, expect: 403 });
    await http.patch(`/v1/object/document/${body.id}`, { token, body: { file: null }, expect: 403 });
    expect((await download(token, body.id)).status).toBe(200);
  });

  test("are needed: a document without a file has no content, and an upload needs a token", async () => {
    const { token } = await registerOrganization();
    const { body } = await http.post("/v1/object/document", { token, body: { name: "Without" }, expect: 201 });
    expect((await download(token, body.id)).status).toBe(404);
    await upload("nobody", { expect: 401 });
    expect((await download("nobody", body.id)).status).toBe(401);
  });
});

describe("the limits of an organization", () => {
  test("are those of all its files together; a deletion makes room", async () => {
    const { token, organizationId } = await registerOrganization();
    const { body } = await upload(token, { expect: 201 });
    const client = await databaseClient();
    const use = client.db(organizationId).collection<{ _id: string; files: number; bytes: number }>("_file_use");
    expect(await use.findOne({ _id: "document" })).toEqual({ _id: "document", files: 1, bytes: PDF.length });
    for (const full of [{ files: 100_000 }, { files: 2, bytes: 50 * 1024 ** 3 }]) {
      await use.updateOne({ _id: "document" }, { $set: full });
      const refused = await upload(token, { expect: 409 });
      expect(refused.body.code).toBe("storage_full");
    }
    await use.updateOne({ _id: "document" }, { $set: { files: 100_000, bytes: 1000 } });
    await http.delete(`/v1/object/document/${body.id}`, { token, expect: 200 });
    await upload(token, { expect: 201 });
    expect(await use.findOne({ _id: "document" })).toMatchObject({ files: 100_000, bytes: 1000 });
    await client.close();
  });
});
