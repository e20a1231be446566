// A small language model. It has read one book, and knows the places of each run of up to three tokens in the book. The token
// after such a place may come next.
import { PARAGRAPH, tokenize } from "./tokenizer.ts";

/** Number of previous tokens that the model uses: three make it a 4-gram model. */
export const CONTEXT_LENGTH = 3;

/** The places of each run of `length` tokens in the book. */
interface Occurrences {
  readonly length: number;
  /** The position after the last occurrence of each run. */
  readonly last: Map<number, number>;
  /** For each such position: the position after the previous occurrence of the same run, or 0. */
  readonly previous: Int32Array;
}

/** A trained model. It does not change. */
export interface LanguageModel {
  /** Token by id. */
  readonly vocabulary: readonly string[];
  readonly ids: ReadonlyMap<string, number>;
  /** The book as ids. */
  readonly book: Int32Array;
  /** The share of each token among all: the guess without any context. */
  readonly frequency: Float64Array;
  /** For runs of 1, 2, … {@link CONTEXT_LENGTH} tokens. */
  readonly occurrences: readonly Occurrences[];
}

/**
 * Trains a model with a text.
 *
 * @throws {RangeError} if the text has no tokens
 */
export function train(text: string): LanguageModel {
  const tokens = tokenize(text);
  if (tokens.length === 0) throw new RangeError("A language model needs a text to learn from.");
  const ids = new Map<string, number>();
  const book = Int32Array.from(tokens, (token) => {
    const id = ids.get(token) ?? ids.size;
    ids.set(token, id);
    return id;
  });
  const frequency = new Float64Array(ids.size);
  for (const id of book) frequency[id] = at(frequency, id) + 1 / book.length;
  const lengths = Array.from({ length: CONTEXT_LENGTH }, (_, position) => position + 1);
  return {
    vocabulary: [...ids.keys()],
    ids,
    book,
    frequency,
    occurrences: lengths.map((length) => findRuns(book, length, ids.size)),
  };
}

/** The ids of a text's tokens; -1 for a token that is not in the book. */
export function encode(model: LanguageModel, text: string): number[] {
  return tokenize(text).map((token) => {
    // The first word of a prompt has no space before it, but in the book it usually has one.
    const variant = token.startsWith(" ") ? token.slice(1) : ` ${token}`;
    return model.ids.get(token) ?? model.ids.get(variant) ?? -1;
  });
}

/** The token before the beginning of any text: the end of a paragraph. */
export function beginning(model: LanguageModel): number[] {
  const id = model.ids.get(PARAGRAPH);
  return id === undefined ? [] : [id];
}

/**
 * Writes the probability of each token of the vocabulary after the given ones into `into` (one place per token).
 *
 * Interpolates after Witten and Bell: starts from the frequency of each token in the whole book, then mixes in the followers of
 * the last token, the last two, the last three. A frequent run with few followers has much weight, an unknown run none. Every
 * token keeps some probability, so there is always a next one.
 */
export function predict(
  model: LanguageModel,
  context: readonly number[],
  into: Float64Array,
): void {
  into.set(model.frequency);
  for (const occurrences of model.occurrences) {
    const { length, last, previous } = occurrences;
    if (context.length < length) return;
    const run = context.slice(context.length - length);
    if (run.includes(-1)) return;
    const counts = new Map<number, number>();
    let total = 0;
    for (let next = last.get(key(run, model.ids.size)) ?? 0; next > 0; next = at(previous, next)) {
      if (next === model.book.length) continue;
      const id = at(model.book, next);
      counts.set(id, (counts.get(id) ?? 0) + 1);
      total++;
    }
    if (total === 0) return;
    const trust = total / (total + counts.size);
    for (let id = 0; id < into.length; id++) into[id] = at(into, id) * (1 - trust);
    for (const [id, count] of counts) into[id] = at(into, id) + (trust * count) / total;
  }
}

function findRuns(book: Int32Array, length: number, vocabularySize: number): Occurrences {
  const last = new Map<number, number>();
  const previous = new Int32Array(book.length + 1);
  for (let end = length; end <= book.length; end++) {
    const run = key(book.subarray(end - length, end), vocabularySize);
    previous[end] = last.get(run) ?? 0;
    last.set(run, end);
  }
  return { length, last, previous };
}

/** One number for a run of ids: the ids are its digits, with the number of tokens as the base. */
function key(run: Iterable<number>, vocabularySize: number): number {
  let number = 0;
  for (const id of run) number = number * vocabularySize + id;
  return number;
}

function at(numbers: Int32Array | Float64Array, position: number): number {
  return numbers[position] ?? 0;
}
