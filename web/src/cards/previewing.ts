/** What kind of thing a preview is. */

export type PreviewKind = "html" | "markdown" | "text";

const HTML = /^\s*(<!doctype html|<\/?(html|head|body|style|div|main|section|article|header|nav|table|form|svg|p|h[1-6]|ul|ol|button|span)[\s>/])/i;
const MARKDOWN = /^(#{1,6} |```|~~~)|\*\*\S|\[[^\]\n]{1,200}\]\([^)\n]{1,500}\)/m;
/** Drawings lose their shape as Markdown: what looks like one stays text. */
const DRAWN = /[\u2500-\u259f]|^[ \t]*[+|][-=+|]{3,}/m;

export function kindOf(preview: string): PreviewKind {
  if (HTML.test(preview)) return "html";
  const outside = preview.replace(/^(```|~~~)[\s\S]*?^\1/gm, "");
  return MARKDOWN.test(preview) && !DRAWN.test(outside) ? "markdown" : "text";
}
