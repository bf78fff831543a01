/** Elements that are left out with their content, as a text and as HTML. */
export const unseenElements = (
  "script style head title template noscript iframe object embed applet svg math canvas audio video select textarea " +
  "noembed noframes xmp"
).split(" ");

const LONGEST_LINK = 2_048;
const LINK = /^(?:https?:\/\/|mailto:|tel:)\S+$/i;

/** The address of a link, if it is one that may be followed. */
export const linkOf = (address: string | undefined): string | undefined => {
  const link = address?.trim() ?? "";
  return link.length <= LONGEST_LINK && LINK.test(link) ? link : undefined;
};

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
