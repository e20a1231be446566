// The language model of the tokens example: its tokenizer loses no text, its probabilities add up to 1.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../any-character.ts";
import { encode, predict, train } from "../../../examples/tokens/model.ts";
import { seededRandom, seedFrom } from "../../../examples/tokens/random.ts";
import { continuation } from "../../../examples/tokens/sample.ts";
import { detokenize, tokenize } from "../../../examples/tokens/tokenizer.ts";

const RHYME = `The cat sat on the mat. The dog sat on the log.

"Who sat on the rug?" asked the cat.`;
const model = train(RHYME);

function probabilities(context: readonly number[]): number[] {
  const into = new Float64Array(model.vocabulary.length);
  predict(model, context, into);
  return [...into];
}

function probabilityOf(token: string, after: string): number {
  return probabilities(encode(model, after))[model.ids.get(token) ?? -1] ?? Number.NaN;
}

describe("the tokenizer", () => {
  it("separates words, numbers and punctuation, each with the space before it", () => {
    expect(tokenize(`"I don't know,"\nsaid he--twice--in 1892.\n \n"Red-headed..."`)).toEqual([
      '"',
      "I",
      " don't",
      " know",
      ",",
      '"',
      " said",
      " he",
      "--",
      "twice",
      "--",
      "in",
      " 1892",
      ".",
      "\n\n",
      '"',
      "Red-headed",
      "...",
      '"',
    ]);
  });

  it("loses only superfluous white space", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const tokens = tokenize(text);
        const joined = detokenize(tokens);
        expect(joined.replaceAll(/\s/gu, "")).toBe(text.replaceAll(/\s/gu, ""));
        expect(tokenize(joined)).toEqual(tokens);
      }),
    );
  });
});

describe("the model", () => {
  it("gives every token a probability, with a sum of 1 after any tokens", () => {
    const id = fc.integer({ min: -1, max: model.vocabulary.length - 1 });
    fc.assert(
      fc.property(fc.array(id, { maxLength: 5 }), (context) => {
        const after = probabilities(context);
        expect(Math.min(...after)).toBeGreaterThan(0);
        expect(after.reduce((sum, probability) => sum + probability)).toBeCloseTo(1, 9);
      }),
    );
  });

  it("falls back to the frequency of tokens without a known context", () => {
    expect(probabilityOf(" the", "")).toBeCloseTo(4 / tokenize(RHYME).length, 9);
    expect(probabilityOf(" the", "zebra")).toBe(probabilityOf(" the", ""));
  });

  it("mixes the successors of the last tokens, by their frequency and variety", () => {
    // " the" is followed 4 times, each time by another token, once by " mat".
    const alone = 1 / tokenize(RHYME).length;
    expect(probabilityOf(" mat", "zebra the")).toBeCloseTo((4 / 8) * alone + (4 / 8) * (1 / 4), 9);
  });

  it("tells contexts apart by up to three tokens", () => {
    const steps = train("one left right up. two left right down.");
    const [up, down] = encode(steps, "up down");
    const next = (context: string): number | undefined =>
      continuation(steps, encode(steps, context), { temperature: 0, random: () => 0 }).next().value;
    expect(next("one left right")).toBe(up);
    expect(next("two left right")).toBe(down);
    expect(next("one two left right")).toBe(down);
  });

  it("finds a word of the prompt with or without the space before it", () => {
    const expected = [" sat", "Who", " cat"].map((token) => model.ids.get(token));
    expect(encode(model, "sat Who cat")).toEqual(expected);
  });

  it("refuses to learn from an empty text", () => {
    expect(() => train(" \n")).toThrow("needs a text to learn from");
  });
});

describe("sampling", () => {
  const sample = (temperature: number, seed: number): string => {
    const chosen = continuation(model, encode(model, "The"), {
      temperature,
      random: seededRandom(seed),
    });
    return detokenize(
      chosen
        .take(12)
        .map((id) => model.vocabulary[id] ?? "")
        .toArray(),
    );
  };

  it("gives the most probable words at temperature 0, and other words at a high temperature", () => {
    expect(new Set(Array.from({ length: 20 }, (_, seed) => sample(0, seed))).size).toBe(1);
    expect(new Set(Array.from({ length: 20 }, (_, seed) => sample(2, seed))).size).toBe(20);
  });

  it("comes close to temperature 0 at a temperature near 0", () => {
    const clock = train("tick tock tick tock tick tock tick");
    const sampling = { temperature: 0.001, random: seededRandom(1) };
    const chosen = continuation(clock, encode(clock, "tick"), sampling).take(4).toArray();
    expect(chosen).toEqual(encode(clock, "tock tick tock tick"));
  });

  it("draws numbers from 0 to 1, equal for equal seeds, evenly distributed", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seed) => {
        const random = seededRandom(seed);
        const again = seededRandom(seed);
        const numbers = Array.from({ length: 1000 }, random);
        expect(numbers).toEqual(Array.from({ length: 1000 }, again));
        expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...numbers)).toBeLessThan(1);
        const mean = numbers.reduce((sum, number) => sum + number) / numbers.length;
        expect(mean).toBeGreaterThan(0.4);
        expect(mean).toBeLessThan(0.6);
      }),
    );
  });

  it("makes a 32-bit seed of any string", () => {
    expect(seedFrom("")).toBe(0x811c9dc5);
    expect(seedFrom("a")).toBe(0xe40c292c);
    expect(seedFrom("job-1")).not.toBe(seedFrom("job-2"));
  });
});
