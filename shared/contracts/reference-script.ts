/** The OAuth client that the reference page is; it acts for whoever signs in there. */
export const REFERENCE_CLIENT_ID = "tenantry-docs";

/** Where the sign-in pages send the window that the reference has opened. */
export const REFERENCE_SIGNED_IN_PATH = "/docs/signed-in";

const SHA256 = "bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c";

/** The script of the reference, as the pinned package ships it. The build refuses a file with another hash. */
export const referenceScript = {
  source: "@scalar/api-reference/dist/browser/standalone.js",
  /** Of the file before compression, in hexadecimal digits. */
  sha256: SHA256,
  /** The hash in the name lets browsers keep the file for ever. */
  name: `reference-${SHA256.slice(0, 16)}.js`,
} as const;

export const docsAssetPath = (name: string): string => `/docs/assets/${name}`;
