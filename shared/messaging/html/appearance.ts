const HIDING =
  /(?:^|;)(?:display:none|visibility:hidden|mso-hide:all|(?:font-size|max-height|opacity):0(?:px|pt|em|%)?)(?:;|!|$)/;

export type Attributes = Readonly<Record<string, string>>;

/** Whether an element is there to be read by programs only. */
export const isHidden = ({ hidden, style }: Attributes): boolean =>
  hidden !== undefined || (style !== undefined && HIDING.test(style.toLowerCase().replace(/\s+/g, "")));

/** An image that shows nothing and tells its sender that the mail was opened. */
export const isPixel = ({ width, height, style = "" }: Attributes): boolean =>
  [width, height].some((size) => size !== undefined && /^\s*[01](?:px)?\s*$/.test(size)) ||
  /(?:^|;)(?:width|height):[01](?:px)?(?:;|!|$)/.test(style.toLowerCase().replace(/\s+/g, ""));
