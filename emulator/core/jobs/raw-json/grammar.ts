/** The grammar of RFC 8259 JSON in UTF-8 as one table: what each byte does in each state of the scanner. */

/** Where the scanner is between two bytes. The numbers index {@link TRANSITIONS}. */
export const STATE = {
  start: 0,
  done: 1,
  value: 2,
  valueOrArrayEnd: 3,
  keyOrObjectEnd: 4,
  key: 5,
  colon: 6,
  /** The colon and the value of a member of the top-level object, whose spans are recorded. */
  topColon: 7,
  topValue: 8,
  afterItem: 9,
  afterMember: 10,
  string: 11,
  escape: 12,
  hex4: 13,
  hex3: 14,
  hex2: 15,
  hex1: 16,
  /** That many continuation bytes of a UTF-8 character are still to come. */
  utf8Last: 17,
  utf8Two: 18,
  utf8Three: 19,
  /** The first continuation byte is narrower than usual: no overlong form, no surrogate, nothing above U+10FFFF. */
  utf8AfterE0: 20,
  utf8AfterEd: 21,
  utf8AfterF0: 22,
  utf8AfterF4: 23,
  minus: 24,
  zero: 25,
  integer: 26,
  point: 27,
  fraction: 28,
  exponent: 29,
  exponentSign: 30,
  exponentDigits: 31,
  t: 32,
  tr: 33,
  tru: 34,
  f: 35,
  fa: 36,
  fal: 37,
  fals: 38,
  n: 39,
  nu: 40,
  nul: 41,
} as const;

/** What a byte sets off where it does more than move to another state. Every action is >= {@link FIRST_ACTION}. */
export const ACTION = {
  /** A recorded value begins here; the byte is read again as the first of a value. */
  beginValue: 200,
  openObject: 201,
  openArray: 202,
  close: 203,
  beginKey: 204,
  endString: 205,
  endLiteral: 206,
  /** The byte after a number: the number ends before it, and it is read again. */
  endNumber: 207,
  /** Of lines of JSON: another text begins. */
  endLine: 208,
  reject: 255,
} as const;

export const FIRST_ACTION = ACTION.beginValue;

const STATE_COUNT = Object.keys(STATE).length;

/** `TRANSITIONS[state * 256 + byte]` is the next state, or an action. */
export const TRANSITIONS = new Uint8Array(STATE_COUNT * 256).fill(ACTION.reject);

function onByte(state: number, byte: number, next: number): void {
  TRANSITIONS[state * 256 + byte] = next;
}

function on(state: number, characters: string, next: number): void {
  for (const character of characters) onByte(state, character.charCodeAt(0), next);
}

function onRange(state: number, first: number, last: number, next: number): void {
  for (let byte = first; byte <= last; byte++) onByte(state, byte, next);
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const WHITESPACE = " \t\n\r";
const DIGITS = "0123456789";

function addStructure(): void {
  const { start, value, valueOrArrayEnd, keyOrObjectEnd, key } = STATE;
  const { colon, topColon, topValue, afterItem, afterMember } = STATE;
  for (const state of [start, topValue]) onRange(state, 0x00, 0xff, ACTION.beginValue);
  for (const state of [value, valueOrArrayEnd]) {
    on(state, "{", ACTION.openObject);
    on(state, "[", ACTION.openArray);
    on(state, '"', STATE.string);
    on(state, "-", STATE.minus);
    on(state, "0", STATE.zero);
    on(state, "123456789", STATE.integer);
    on(state, "t", STATE.t);
    on(state, "f", STATE.f);
    on(state, "n", STATE.n);
  }
  on(valueOrArrayEnd, "]", ACTION.close);
  on(keyOrObjectEnd, "}", ACTION.close);
  for (const state of [keyOrObjectEnd, key]) on(state, '"', ACTION.beginKey);
  on(colon, ":", value);
  on(topColon, ":", topValue);
  on(afterItem, ",", value);
  on(afterItem, "]", ACTION.close);
  on(afterMember, ",", key);
  on(afterMember, "}", ACTION.close);
  for (let state: number = start; state <= afterMember; state++) on(state, WHITESPACE, state);
}

function addStrings(): void {
  const { string, escape, hex4, hex3, hex2, hex1 } = STATE;
  onRange(string, 0x20, 0x7f, string);
  on(string, '"', ACTION.endString);
  on(string, "\\", escape);
  on(escape, '"\\/bfnrt', string);
  on(escape, "u", hex4);
  const hex = `${DIGITS}abcdefABCDEF`;
  on(hex4, hex, hex3);
  on(hex3, hex, hex2);
  on(hex2, hex, hex1);
  on(hex1, hex, string);
}

/** The well-formed byte sequences of the Unicode standard, table 3-7. */
function addUtf8(): void {
  const { string, utf8Last, utf8Two, utf8Three } = STATE;
  onRange(string, 0xc2, 0xdf, utf8Last);
  onRange(string, 0xe0, 0xef, utf8Two);
  onByte(string, 0xe0, STATE.utf8AfterE0);
  onByte(string, 0xed, STATE.utf8AfterEd);
  onByte(string, 0xf0, STATE.utf8AfterF0);
  onRange(string, 0xf1, 0xf3, utf8Three);
  onByte(string, 0xf4, STATE.utf8AfterF4);
  onRange(utf8Last, 0x80, 0xbf, string);
  onRange(utf8Two, 0x80, 0xbf, utf8Last);
  onRange(utf8Three, 0x80, 0xbf, utf8Two);
  onRange(STATE.utf8AfterE0, 0xa0, 0xbf, utf8Last);
  onRange(STATE.utf8AfterEd, 0x80, 0x9f, utf8Last);
  onRange(STATE.utf8AfterF0, 0x90, 0xbf, utf8Two);
  onRange(STATE.utf8AfterF4, 0x80, 0x8f, utf8Two);
}

function addNumbers(): void {
  const { minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits } = STATE;
  on(minus, "0", zero);
  on(minus, "123456789", integer);
  on(integer, DIGITS, integer);
  for (const state of [zero, integer]) on(state, ".", point);
  for (const state of [point, fraction]) on(state, DIGITS, fraction);
  for (const state of [zero, integer, fraction]) on(state, "eE", exponent);
  on(exponent, "+-", exponentSign);
  for (const state of [exponent, exponentSign, exponentDigits]) on(state, DIGITS, exponentDigits);
  for (const state of [zero, integer, fraction, exponentDigits]) {
    on(state, `${WHITESPACE},]}`, ACTION.endNumber);
  }
}

function addLiterals(): void {
  const { t, tr, tru, f, fa, fal, fals, n, nu, nul } = STATE;
  on(t, "r", tr);
  on(tr, "u", tru);
  on(tru, "e", ACTION.endLiteral);
  on(f, "a", fa);
  on(fa, "l", fal);
  on(fal, "s", fals);
  on(fals, "e", ACTION.endLiteral);
  on(n, "u", nu);
  on(nu, "l", nul);
  on(nul, "l", ACTION.endLiteral);
}

addStructure();
addStrings();
addUtf8();
addNumbers();
addLiterals();

/** The same for lines of JSON: a line feed stands after each text and nowhere else, a carriage return nowhere. */
export const LINE_TRANSITIONS = TRANSITIONS.slice();

for (let state: number = STATE.start; state <= STATE.afterMember; state++) {
  for (const byte of [LINE_FEED, CARRIAGE_RETURN]) {
    LINE_TRANSITIONS[state * 256 + byte] = ACTION.reject;
  }
}
LINE_TRANSITIONS[STATE.done * 256 + LINE_FEED] = ACTION.endLine;

/** True in the states in which a number may end. */
export function isCompleteNumber(state: number): boolean {
  return TRANSITIONS[state * 256 + 0x20] === ACTION.endNumber;
}

/** True in the states inside a UTF-8 character of several bytes. */
export function isInsideCharacter(state: number): boolean {
  return state >= STATE.utf8Last && state <= STATE.utf8AfterF4;
}

/** What may follow in each state, in words. */
const EXPECTED: ReadonlyArray<readonly [last: number, words: string]> = [
  [STATE.start, "a value"],
  [STATE.done, "nothing after the value"],
  [STATE.value, "a value"],
  [STATE.valueOrArrayEnd, 'a value or "]"'],
  [STATE.keyOrObjectEnd, 'a key in double quotes or "}"'],
  [STATE.key, "a key in double quotes"],
  [STATE.topColon, '":" after the key'],
  [STATE.topValue, "a value"],
  [STATE.afterItem, '"," or "]"'],
  [STATE.afterMember, '"," or "}"'],
  [STATE.string, "the rest of a string"],
  [STATE.escape, 'one of "\\/bfnrtu after the backslash'],
  [STATE.hex1, "four hexadecimal digits after \\u"],
  [STATE.utf8AfterF4, "the rest of a UTF-8 character"],
  [STATE.minus, "a digit"],
  [STATE.zero, "the end of the number (a leading zero stands alone)"],
  [STATE.integer, "the rest of a number"],
  [STATE.point, "a digit"],
  [STATE.fraction, "the rest of a number"],
  [STATE.exponentSign, "a digit"],
  [STATE.exponentDigits, "the rest of a number"],
  [STATE.tru, "the rest of true"],
  [STATE.fals, "the rest of false"],
  [STATE.nul, "the rest of null"],
];

/** What the scanner would have taken in `state`, in words for an error message. */
export function expectedIn(state: number): string {
  const row = EXPECTED.find(([last]) => state <= last);
  return row === undefined ? "a value" : row[1];
}
