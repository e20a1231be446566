/** The grammar of RFC 8259 JSON in UTF-8 as one table: the effect of each byte in each state of the scanner. */

/** Actions of a byte, besides leading to another state. Each is at least {@link FIRST_ACTION}; lower numbers are states. */
export const ACTION = {
  /** A top-level value, or a member of a top-level object, begins here; the byte is read again as its first. */
  beginValue: 200,
  openObject: 201,
  openArray: 202,
  close: 203,
  beginKey: 204,
  endString: 205,
  endLiteral: 206,
  /** The byte after a number: the number ends before it, and it is read again. */
  endNumber: 207,
  /** In lines of JSON: the next text begins. */
  endLine: 208,
  reject: 255,
} as const;

export const FIRST_ACTION = ACTION.beginValue;

/** The state or action for these bytes, which are written as in the brackets of a pattern, such as `0-9`. */
type Steps = Readonly<Record<string, string>>;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = "\t\n\r ";
const ANY_BYTE = "\x00-\xff";
const HEX = "0-9a-fA-F";
const FIRST_OF_VALUE: Steps = {
  "{": "openObject",
  "[": "openArray",
  '"': "string",
  "-": "minus",
  "0": "zero",
  "1-9": "integer",
  t: "t",
  f: "f",
  n: "n",
};
const AFTER_NUMBER: Steps = { [`${SPACE},]}`]: "endNumber" };
const HEX_DIGITS = "four hexadecimal digits after \\u";
const REST_OF_CHARACTER = "the rest of a UTF-8 character";
const REST_OF_NUMBER = "the rest of a number";

/** For each state: the expected text in words, for messages, and its steps. The last step for a byte counts. */
const STATES = {
  start: ["a value", { [ANY_BYTE]: "beginValue", [SPACE]: "start" }],
  done: ["nothing after the value", { [SPACE]: "done" }],
  value: ["a value", { [SPACE]: "value", ...FIRST_OF_VALUE }],
  firstItem: ['a value or "]"', { [SPACE]: "firstItem", ...FIRST_OF_VALUE, "]": "close" }],
  firstKey: [
    'a key in double quotes or "}"',
    { [SPACE]: "firstKey", '"': "beginKey", "}": "close" },
  ],
  key: ["a key in double quotes", { [SPACE]: "key", '"': "beginKey" }],
  colon: ['":" after the key', { [SPACE]: "colon", ":": "value" }],
  // The colon and the value of a member of the top-level object, whose spans are noted.
  topColon: ['":" after the key', { [SPACE]: "topColon", ":": "topValue" }],
  topValue: ["a value", { [ANY_BYTE]: "beginValue", [SPACE]: "topValue" }],
  afterItem: ['"," or "]"', { [SPACE]: "afterItem", ",": "value", "]": "close" }],
  afterMember: ['"," or "}"', { [SPACE]: "afterMember", ",": "key", "}": "close" }],

  string: [
    "the rest of a string",
    {
      "\x20-\x7f": "string",
      '"': "endString",
      "\\": "escape",
      // The well-formed byte sequences of the Unicode standard, table 3-7.
      "\xc2-\xdf": "utf8Last",
      "\xe1-\xef": "utf8Two",
      "\xe0": "utf8AfterE0",
      "\xed": "utf8AfterEd",
      "\xf1-\xf3": "utf8Three",
      "\xf0": "utf8AfterF0",
      "\xf4": "utf8AfterF4",
    },
  ],
  escape: ['one of "\\/bfnrtu after the backslash', { '"\\/bfnrt': "string", u: "hex4" }],
  hex4: [HEX_DIGITS, { [HEX]: "hex3" }],
  hex3: [HEX_DIGITS, { [HEX]: "hex2" }],
  hex2: [HEX_DIGITS, { [HEX]: "hex1" }],
  hex1: [HEX_DIGITS, { [HEX]: "string" }],
  utf8Last: [REST_OF_CHARACTER, { "\x80-\xbf": "string" }],
  utf8Two: [REST_OF_CHARACTER, { "\x80-\xbf": "utf8Last" }],
  utf8Three: [REST_OF_CHARACTER, { "\x80-\xbf": "utf8Two" }],
  // After these bytes the range is narrower, without overlong forms, surrogates and characters above U+10FFFF.
  utf8AfterE0: [REST_OF_CHARACTER, { "\xa0-\xbf": "utf8Last" }],
  utf8AfterEd: [REST_OF_CHARACTER, { "\x80-\x9f": "utf8Last" }],
  utf8AfterF0: [REST_OF_CHARACTER, { "\x90-\xbf": "utf8Two" }],
  utf8AfterF4: [REST_OF_CHARACTER, { "\x80-\x8f": "utf8Two" }],

  minus: ["a digit", { "0": "zero", "1-9": "integer" }],
  zero: [
    "the end of the number (a leading zero stands alone)",
    { ".": "point", eE: "exponent", ...AFTER_NUMBER },
  ],
  integer: [REST_OF_NUMBER, { "0-9": "integer", ".": "point", eE: "exponent", ...AFTER_NUMBER }],
  point: ["a digit", { "0-9": "fraction" }],
  fraction: [REST_OF_NUMBER, { "0-9": "fraction", eE: "exponent", ...AFTER_NUMBER }],
  exponent: ["a digit", { "+-": "exponentSign", "0-9": "exponentDigits" }],
  exponentSign: ["a digit", { "0-9": "exponentDigits" }],
  exponentDigits: [REST_OF_NUMBER, { "0-9": "exponentDigits", ...AFTER_NUMBER }],

  t: ["the rest of true", { r: "tr" }],
  tr: ["the rest of true", { u: "tru" }],
  tru: ["the rest of true", { e: "endLiteral" }],
  f: ["the rest of false", { a: "fa" }],
  fa: ["the rest of false", { l: "fal" }],
  fal: ["the rest of false", { s: "fals" }],
  fals: ["the rest of false", { e: "endLiteral" }],
  n: ["the rest of null", { u: "nu" }],
  nu: ["the rest of null", { l: "nul" }],
  nul: ["the rest of null", { l: "endLiteral" }],
} satisfies Record<string, readonly [expected: string, steps: Steps]>;

const NAMES = Object.keys(STATES);

/** The number of a state: its row in {@link TRANSITIONS}. */
export function stateOf(name: keyof typeof STATES): number {
  return NAMES.indexOf(name);
}

/** `TRANSITIONS[state * 256 + byte]` is the next state, or an action. */
export const TRANSITIONS = new Uint8Array(NAMES.length * 256).fill(ACTION.reject);

const CODES = new Map([...NAMES.entries()].map(([code, name]) => [name, code]));
for (const [name, code] of Object.entries(ACTION)) CODES.set(name, code);

for (const [state, [, steps]] of Object.values<readonly [string, Steps]>(STATES).entries()) {
  for (const [bytes, next] of Object.entries(steps)) {
    const code = CODES.get(next) ?? ACTION.reject;
    for (const [first, last] of rangesOf(bytes)) {
      TRANSITIONS.fill(code, state * 256 + first, state * 256 + last + 1);
    }
  }
}

/** {@link TRANSITIONS} for lines of JSON: a line feed after each text and nowhere else, and no carriage return. */
export const LINE_TRANSITIONS = TRANSITIONS.map((next, index) => {
  const isLineBreak = index % 256 === LINE_FEED || index % 256 === CARRIAGE_RETURN;
  return isLineBreak && next < FIRST_ACTION ? ACTION.reject : next;
});
LINE_TRANSITIONS[stateOf("done") * 256 + LINE_FEED] = ACTION.endLine;

function rangesOf(pattern: string): readonly (readonly [first: number, last: number])[] {
  const ranges = pattern.matchAll(/([^])(?:-([^]))?/gu);
  return Array.from(ranges, ([, first = "", last = first]) => [
    first.charCodeAt(0),
    last.charCodeAt(0),
  ]);
}

/** True in the states at which a number may end. */
export function isCompleteNumber(state: number): boolean {
  return TRANSITIONS[state * 256 + 0x20] === ACTION.endNumber;
}

/** True in the states inside a UTF-8 character of several bytes. */
export function isInsideCharacter(state: number): boolean {
  return NAMES[state]?.startsWith("utf8") === true;
}

/** For messages: the text that may follow in each state. */
export function expectedIn(state: number): string {
  return Object.values(STATES)[state]?.[0] ?? "a value";
}
