import sanitize from "sanitize-html";
import { readHtml, voidElements } from "#shared/foundation/html/read-html";
import { type Attributes, isHidden, isPixel } from "./appearance.ts";

/** Left out with their content. */
const REMOVED = new Set(
  "script style head title template noscript iframe object embed applet svg math canvas audio video select textarea noembed noframes xmp frameset".split(
    " ",
  ),
);

const KEPT = new Set(
  (
    "a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup dd del dfn div dl dt em figcaption figure " +
    "font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p pre q s samp section small span strike strong sub sup table " +
    "tbody td tfoot th thead time tr u ul var wbr"
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
    "background-color border border-bottom border-collapse border-color border-left border-radius border-right border-spacing border-style " +
    "border-top border-width color direction display font font-family font-size font-style font-weight height letter-spacing line-height " +
    "list-style-type margin margin-bottom margin-left margin-right margin-top max-width min-width padding padding-bottom padding-left " +
    "padding-right padding-top text-align text-decoration text-indent text-transform vertical-align white-space width word-break"
  ).split(" "),
);

/** Without functions, which could load something, but for colours. */
const STYLE_VALUE = /^(?:[\w\s#%.,!'"-]|\b(?:rgba?|hsla?)\([\d\s.,%/]*\)){1,200}$/i;

const MOST_STYLES = 40;
const LONGEST_LINK = 2_048;
const LINK = /^(?:https?:\/\/|mailto:|tel:)\S+$/i;
/** Parts of the same mail, and images that are in the HTML itself. */
const OWN_IMAGE = /^(?:cid:[^\s"<>]{1,300}|data:image\/(?:png|gif|jpe?g|webp);base64,[a-z0-9+/=]+)$/i;

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const linkOf = (address: string | undefined): string | undefined => {
  const link = address?.trim() ?? "";
  return link.length <= LONGEST_LINK && LINK.test(link) ? link : undefined;
};

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

/** Balanced, at most 100 levels deep, and with nothing but what may be kept. */
const reduced = (html: string): string => {
  const output: string[] = [];
  const ends: (string | undefined)[] = [];
  let removed = 0;
  readHtml(html, {
    open: (name, attributes) => {
      const isRemoved = removed > 0 || REMOVED.has(name) || isHidden(attributes);
      if (isRemoved) {
        removed += 1;
        ends.push(undefined);
        return;
      }
      const isKept = KEPT.has(name);
      ends.push(isKept && !voidElements.has(name) ? `</${name}>` : "");
      if (name === "img") output.push(imageOf(attributes));
      else if (isKept) {
        const link = name === "a" ? linkOf(attributes.href) : undefined;
        output.push(`<${name}${link === undefined ? "" : ` href="${escapeHtml(link)}"`}${attributesOf(attributes)}>`);
      }
    },
    close: () => {
      const end = ends.pop();
      if (end === undefined) removed -= 1;
      else output.push(end);
    },
    text: (text) => {
      if (removed === 0) output.push(escapeHtml(text));
    },
  });
  return output.join("");
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
  transformTags: { a: sanitize.simpleTransform("a", { rel: "noopener noreferrer nofollow", target: "_blank" }) },
};

/**
 * HTML of strangers, safe to show: no scripts, forms or event handlers, and nothing that loads when it is shown. Images of
 * other places become links to them; hidden parts and tracking pixels are left out. Takes time proportional to the length.
 */
export const sanitizedHtml = (html: string): string => sanitize(reduced(html), options);
