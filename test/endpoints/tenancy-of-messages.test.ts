import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../platform.ts";

/** A word that occurs only in the other tenant's data, and must not be in any reply. */
const SECRET = "Zanzibar-9c41d7";

let mine: User;
let theirs: User;

describe("another tenant's emails, notifications and documents", () => {
  const PDF = new Uint8Array(Buffer.from("%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"));
  const UNKNOWN = "01900000-0000-7000-8000-000000000000";
  const EMAIL = "/v1/email-services/emailvendor";
  const kept = ["email_message", "document", "template", "notification_setting", "notification"];
  let ids: string[];

  beforeAll(async () => {
    [mine, theirs] = await Promise.all([registerOrganization("Mine"), registerOrganization(`Theirs ${SECRET}`)]);
    const { token } = theirs;
    const post = async (path: string, body: unknown, expect: number) =>
      (await http.post(path, { token, body, expect })).body;
    const mail = { to_emails: ["ada@example.com"], subject: SECRET, plain_text_content: SECRET };
    const upload = { token, raw: PDF, headers: { "content-type": "application/pdf" }, expect: 201 };
    const document = await http.post("/v1/documents", { ...upload, query: { name: `${SECRET}.pdf` } });
    const text = { name: SECRET, subject: SECRET, html: `<p>${SECRET}</p>` };
    const setting = { name: SECRET, channels: ["in_app"], recipients: { users: [theirs.id] } };
    const told = await post("/v1/notifications/dynamic", { title: SECRET }, 202);
    ids = [
      (await post(`${EMAIL}/send`, mail, 200)).id,
      document.body.id,
      (await post("/v1/object/template", text, 201)).id,
      (await post("/v1/object/notification_setting", setting, 201)).id,
      (await post("/v1/notifications/set-token", { token: `device-of-${SECRET}`, platform: "android" }, 200)).id,
      ...told.ids,
      (await post("/v1/object/lead", { name: SECRET }, 201)).id,
      theirs.id,
      theirs.organizationId,
    ];
  });

  const state = async () => {
    const replies = kept.map((object) => http.get(`/v1/object/${object}`, { token: theirs.token, expect: 200 }));
    return (await Promise.all(replies)).map(({ body }) => body);
  };

  /** Each route that takes an id of the caller's choice. */
  const attempts = (id: string): readonly (readonly [method: string, path: string, body?: unknown])[] => {
    const mail = { to_emails: ["ada@example.com"], subject: "S", plain_text_content: "T" };
    return [
      ["POST", `${EMAIL}/messages/${id}`],
      ["POST", `${EMAIL}/messages/${id}/cancel`],
      ["POST", `${EMAIL}/messages/${id}/resend`],
      ["POST", `${EMAIL}/messages/search`, { query: `id = '${id}'` }],
      ["POST", `${EMAIL}/send`, { to_emails: ["ada@example.com"], template_id: id }],
      ["POST", `${EMAIL}/send`, { ...mail, file_attachments: [id] }],
      ["POST", `${EMAIL}/send`, { ...mail, related_to: { object: "lead", id } }],
      ["POST", "/v1/email-services/preview-template", { template_id: id }],
      ["POST", "/v1/email-services/preview-template", { text: "{{ record.name }}", record: { object: "lead", id } }],
      ["GET", `/v1/documents/${id}/content`],
      ["DELETE", `/v1/object/document/${id}`],
      ["POST", "/v1/notifications", [{ id }]],
      ["POST", "/v1/notifications/send", { message: { token: id, data: { title: "T", body: "B" } } }],
      ["POST", "/v1/notifications/dynamic", { title: "T", user_id: id }],
      ["POST", "/v1/notifications/dynamic", { title: "T", role_id: id }],
      ["POST", "/v1/notifications/mark-read", [id]],
      ["POST", "/v1/notifications/mark-read-by-key-value", { key: "record_id", value: id }],
    ];
  };
  const routes = attempts(UNKNOWN).length;

  it("cannot be reached by their ids, which answer as if they did not exist", async () => {
    const before = await state();
    const seen = new Set<number>();
    const blur = (text: string, id: string): string =>
      text.replaceAll(id, "ID").replace(/"(?:request_id|trace_id)":"[^"]*"/g, "");
    const call = ([method, path, body]: ReturnType<typeof attempts>[number]) =>
      http.send(method, path, { token: mine.token, ...(body !== undefined && { body }) });
    await fc.assert(
      fc.asyncProperty(fc.nat(routes - 1), fc.nat(ids.length - 1), async (route, place) => {
        const id = ids[place] ?? "";
        const [foreign, unknown] = [attempts(id)[route], attempts(UNKNOWN)[route]];
        if (foreign === undefined || unknown === undefined) throw new Error("There is no such route.");
        const [real, made] = [await call(foreign), await call(unknown)];
        const sent = JSON.stringify(foreign);
        expect(real.text.includes(SECRET) && !sent.includes(SECRET), sent).toBe(false);
        expect(`${sent} ${real.status}`).toBe(`${sent} ${made.status}`);
        expect(blur(real.text, id)).toBe(blur(made.text, UNKNOWN));
        // A role without users: nobody is told.
        if (real.status === 202) expect(real.body.ids).toEqual([]);
        seen.add(real.status);
      }),
      { numRuns: 150 },
    );
    expect([...seen].toSorted()).toEqual([200, 404, 422]);
    expect(await state()).toEqual(before);
  });
});
