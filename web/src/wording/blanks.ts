/** Long runs of blanks and empty lines as counts, as `crates/question/src/blanks.rs` has it: no text is pushed out of sight. */

/** A run wider than this is counted; a tab counts as four. */
const COLUMNS = 40;

export function countBlanks(text: string): string {
  return text
    .replace(/\r\n|[\u2028\u2029]/g, "\n")
    .replace(/\n(?:[ \t]*\n){5,}/g, (run) => `\n⟨${run.split("\n").length - 2} empty lines⟩\n`)
    .replace(/[ \t]+/g, (run) => {
      const tabs = run.split("\t").length - 1;
      if (run.length + 3 * tabs <= COLUMNS) return run;
      return `⟨${run.length} ${tabs === 0 ? "spaces" : tabs === run.length ? "tabs" : "spaces and tabs"}⟩`;
    });
}
