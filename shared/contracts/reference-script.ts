/** The OAuth client of the reference page. It acts for the person who signs in there. */
export const REFERENCE_CLIENT_ID = "tenantry-docs";

/** Where the sign-in window of the reference ends. */
export const REFERENCE_SIGNED_IN_PATH = "/docs/signed-in";

const SHA256 = "bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c";

/** The script of the reference, as in the pinned package. The build refuses a file with another hash. */
export const referenceScript = {
  source: "@scalar/api-reference/dist/browser/standalone.js",
  /** Of the uncompressed file, in hexadecimal digits. */
  sha256: SHA256,
  /** The hash in the name allows browsers to cache the file without limit. */
  name: `reference-${SHA256.slice(0, 16)}.js`,
} as const;

export const docsAssetPath = (name: string): string => `/docs/assets/${name}`;
