// Generated from crates/question by the tests of crates/wire; do not edit. To write it anew:
// UPDATE_TYPES=1 cargo test --package handraise-wire

// Insides of character classes of regular expressions.
export const HIDDEN = String.raw`\x00-\x08\x0b-\x1f\x7f-\xa0\u034f\u0d4e\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\uff9e-\uffa0\ufff0-\ufffc\u{1107f}\u{111c2}-\u{111c3}\u{113d1}\u{1193f}\u{11941}\u{11a84}-\u{11a89}\u{11d46}\u{11f02}\u{13430}-\u{13442}\u{16fe4}\u{1d159}\u{e0000}-\u{e0fff}\p{Cf}\p{Cn}\p{Co}\p{Cs}`;
export const JOINING = String.raw`\u0620-\u109f\u1780-\u17b3\u17b6-\u17ff`;
export const IDEOGRAPHS = String.raw`\u3001-\u3130\u3190-\u9fff\uf900-\ufaff\uff01-\uff9f\u{20000}-\u{3ffff}`;
export const COMMON_MARKS = String.raw`\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f`;
export const MAX_PILE = 8;
