import sanitize from "sanitize-html";
import { readHtml, voidElements } from "#shared/foundation/html/read-html";
import { type Attributes, isHidden, isPixel, linkOf, unseenElements } from "./appearance.ts";

/** Left out with their content. */
const REMOVED = new Set([...unseenElements, "frameset"]);

const KEPT = new Set(
  (
    "a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup dd del dfn div dl dt " +
    "em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p pre q s samp " +
    "section small span strike strong sub sup table tbody td tfoot th thead time tr u ul var wbr"
  ).split(" "),
);

const SIZE = /^\d{1,4}(?:px|%)?$/;
const WORD = /^[\w #%.,-]{1,100}$/;

/** What values of an attribute look like. Others are left out. */
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  align: WORD,
  bgcolor: WORD,
  border: SIZE,
  cellpadding: SIZE,
  cellspacing: SIZE,
  color: WORD,
  colspan: /^\d{1,2}$/,
  dir: /^(?:ltr|rtl|auto)$/,
  face: WORD,
  height: SIZE,
  lang: WORD,
  rowspan: /^\d{1,2}$/,
  size: SIZE,
  start: /^\d{1,6}$/,
  valign: WORD,
  width: SIZE,
};

const STYLES = new Set(
  (
    "background-color border border-bottom border-collapse border-color border-left border-radius border-right " +
    "border-spacing border-style border-top border-width color direction display font font-family font-size " +
    "font-style font-weight height letter-spacing line-height list-style-type margin margin-bottom margin-left " +
    "margin-right margin-top max-width min-width padding padding-bottom padding-left padding-right padding-top " +
    "text-align text-decoration text-indent text-transform vertical-align white-space width word-break"
  ).split(" "),
);

/** Without functions, which could load something, but for colours. */
const STYLE_VALUE = /^(?:[\w\s#%.,!'"-]|\b(?:rgba?|hsla?)\([\d\s.,%/]*\)){1,200}$/i;

const MOST_STYLES = 40;
/** Parts of the same mail, and images that are in the HTML itself. */
const OWN_IMAGE = /^(?:cid:[^\s"<>]{1,300}|data:image\/(?:png|gif|jpe?g|webp);base64,[a-z0-9+/=]+)$/i;

export interface SafeHtml {
  readonly html: string;
  /** It was cut. */
  readonly truncated: boolean;
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const stylesOf = (style: string): string =>
  style
    .split(";", MOST_STYLES)
    .flatMap((declaration) => {
      const colon = declaration.indexOf(":");
      const name = declaration.slice(0, colon).trim().toLowerCase();
      const value = declaration.slice(colon + 1).trim();
      return colon > 0 && STYLES.has(name) && STYLE_VALUE.test(value) ? [`${name}:${value}`] : [];
    })
    .join(";");

const attributesOf = (attributes: Attributes): string => {
  const kept = Object.entries(ATTRIBUTES).flatMap(([name, pattern]) => {
    const value = attributes[name]?.trim();
    return value !== undefined && pattern.test(value) ? [` ${name}="${escapeHtml(value)}"`] : [];
  });
  const style = stylesOf(attributes.style ?? "");
  return kept.join("") + (style === "" ? "" : ` style="${escapeHtml(style)}"`);
};

const imageOf = (attributes: Attributes): string => {
  const { src = "", alt = "" } = attributes;
  if (isPixel(attributes)) return "";
  if (OWN_IMAGE.test(src.trim()))
    return `<img src="${escapeHtml(src.trim())}" alt="${escapeHtml(alt)}"${attributesOf(attributes)}>`;
  const link = linkOf(src);
  const name = escapeHtml(alt.trim() || "image");
  return link === undefined ? escapeHtml(alt) : `<a href="${escapeHtml(link)}">[${name}]</a>`;
};

const tagOf = (name: string, attributes: Attributes): string => {
  if (name === "img") return imageOf(attributes);
  const link = name === "a" ? linkOf(attributes.href) : undefined;
  return `<${name}${link === undefined ? "" : ` href="${escapeHtml(link)}"`}${attributesOf(attributes)}>`;
};

/** What all links get. */
const LINK_ATTRIBUTES = { rel: "noopener noreferrer nofollow", target: "_blank" };
const ADDED_TO_LINK = Object.entries(LINK_ATTRIBUTES)
  .map(([name, value]) => ` ${name}="${value}"`)
  .join("").length;
const ADDED_TO_VOID = " /".length;

/** Characters that the library adds to a tag. */
const addedTo = (tag: string, name: string): number => {
  if (/^<a[ >]/.test(tag)) return ADDED_TO_LINK;
  return voidElements.has(name) ? ADDED_TO_VOID : 0;
};

/** Without a part of an entity or of a character at its end. */
const cutText = (escaped: string, length: number): string =>
  escaped.slice(0, length).replace(/(?:&[a-z]{0,4}|[\ud800-\udbff])$/, "");

/**
 * Balanced, at most 100 levels deep, and with nothing but what may be kept. All that would make the result longer than
 * `most` characters is left out.
 */
const reduced = (html: string, most: number): SafeHtml => {
  const output: string[] = [];
  const ends: (string | undefined)[] = [];
  let removed = 0;
  let left = most;
  let truncated = false;
  /** Adds an element with room for its end. Whether there was room. */
  const addElement = (tag: string, end: string, added: number): boolean => {
    const length = tag.length + end.length + added;
    truncated ||= length > left;
    if (truncated) return false;
    left -= length;
    output.push(tag);
    return true;
  };
  const addText = (text: string): void => {
    const escaped = escapeHtml(text);
    const fitting = escaped.length <= left ? escaped : cutText(escaped, left);
    truncated = escaped.length > left;
    left -= fitting.length;
    output.push(fitting);
  };
  readHtml(html, {
    open: (name, attributes) => {
      const isRemoved = removed > 0 || REMOVED.has(name) || isHidden(attributes);
      if (isRemoved) {
        removed += 1;
        ends.push(undefined);
        return;
      }
      if (truncated || !KEPT.has(name)) {
        ends.push("");
        return;
      }
      const end = voidElements.has(name) ? "" : `</${name}>`;
      const tag = tagOf(name, attributes);
      ends.push(addElement(tag, end, addedTo(tag, name)) ? end : "");
    },
    close: () => {
      const end = ends.pop();
      if (end === undefined) removed -= 1;
      else output.push(end);
    },
    text: (text) => {
      if (removed === 0 && !truncated) addText(text);
    },
  });
  return { html: output.join(""), truncated };
};

const options: sanitize.IOptions = {
  allowedTags: [...KEPT],
  allowedAttributes: {
    "*": [...Object.keys(ATTRIBUTES), "style"],
    a: ["href", "target", "rel"],
    img: ["src", "alt"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowedSchemesByTag: { img: ["cid", "data"] },
  allowProtocolRelative: false,
  // The library's parser of styles is slow, and they hold nothing but what `stylesOf` lets through.
  parseStyleAttributes: false,
  transformTags: { a: sanitize.simpleTransform("a", LINK_ATTRIBUTES) },
};

/**
 * HTML of strangers, safe to show: no scripts, forms or event handlers, and nothing that loads when it is shown. Images
 * of other places become links to them; hidden parts and tracking pixels are left out. Takes time proportional to the
 * length. Has at most `most` characters: what follows is left out, so that all elements are closed.
 */
export const sanitizedHtml = (html: string, most: number): SafeHtml => {
  const safe = reduced(html, most);
  return { html: sanitize(safe.html, options), truncated: safe.truncated };
};
