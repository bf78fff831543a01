import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { simpleParser } from "mailparser";
import { expect, test } from "vitest";
import { http, registerOrganization } from "../platform.ts";
import { PDF, upload } from "../setup/documents.ts";
import { signedInMachine } from "./command.ts";

test("an email with a file is previewed, sent, found and shown on the command line", async () => {
  const owner = await registerOrganization();
  const machine = await signedInMachine(owner);
  const template = await http.post("/v1/object/template", {
    token: owner.token,
    body: { name: "Hello", subject: "Hello {{ name }}", html: "<p>Dear {{ name }}</p>" },
    expect: 201,
  });
  await writeFile(join(machine.home, "notes.txt"), "Some notes");

  const preview = await machine.run(["email", "preview", template.body.id, "--set", "nam=Ada"]);
  expect(preview.stderr).toContain("name has no value");
  expect(JSON.parse(preview.stdout)).toMatchObject({ subject: "Hello" });

  const sent = await machine.run(
    ["email", "send", "ada@example.com", "--template", template.body.id, "--set", "name=Ada", "--attach", "notes.txt"],
    { cwd: machine.home },
  );
  expect(sent.code, sent.stderr).toBe(0);
  const { id, status } = JSON.parse(sent.stdout);
  expect(status).toBe("captured");

  const found = await machine.run(["email", "search", "subject = 'Hello Ada'"]);
  expect(JSON.parse(found.stdout)).toMatchObject({ id, to_email: "ada@example.com", status: "captured" });

  const shown = await machine.onTerminal(["email", "show", id]);
  expect(shown.stdout).toContain("Dear Ada");
  expect(shown.stdout).toContain("captured");
  const { attachments } = JSON.parse((await machine.run(["email", "show", id])).stdout);
  expect(attachments).toMatchObject([{ filename: "notes.txt", type: "text/plain", size: 10 }]);

  const wrong = await machine.run(["email", "search", "subjec = 'x'"]);
  expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining("subjec")]);
  const unverified = await machine.run(["email", "send", "not-an-address", "--subject", "x"]);
  expect(unverified.code).toBe(4);
  const none = await machine.run(["email", "preview"]);
  expect(none.code).toBe(2);
});

test("a captured email is written as a file that mail programs open, with its documents", async () => {
  const owner = await registerOrganization();
  const machine = await signedInMachine(owner);
  const document = await upload(owner.token, { name: "données.pdf", expect: 201 });
  const sent = await http.post("/v1/email-services/emailvendor/send", {
    token: owner.token,
    body: {
      to_emails: ["ada@example.com"],
      from_email: "sales@example.com",
      subject: "Ihre Rechnung für Dezember",
      html_content: "<p>Grüße</p>",
      file_attachments: [document.body.id],
      attachments: [{ filename: "list.csv", type: "text/csv", content: "YQ==" }],
    },
    expect: 200,
  });

  const written = await machine.run(["email", "show", sent.body.id, "--eml", "mail.eml"], { cwd: machine.home });
  expect([written.code, written.stdout], written.stderr).toEqual([0, ""]);
  expect(written.stderr).toContain("Left out: list.csv");
  const bytes = await readFile(join(machine.home, "mail.eml"));
  expect(bytes.toString("latin1")).toMatch(/^Date: \w{3}, \d{2} \w{3} \d{4} \d\d:\d\d:\d\d \+0000\r$/m);
  const mail = await simpleParser(bytes);
  expect(mail.subject).toBe("Ihre Rechnung für Dezember");
  expect(mail.html).toContain("Grüße");
  expect(mail.from?.text).toBe("sales@example.com");
  expect(mail.attachments.map(({ filename, content }) => [filename, content])).toEqual([["données.pdf", PDF]]);

  const nowhere = await machine.run(["email", "show", sent.body.id, "--eml", "missing/mail.eml"], {
    cwd: machine.home,
  });
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("missing/mail.eml cannot be written")]);
});
