// Chooses the next token at random, by the model's probabilities.
import { CONTEXT_LENGTH, predict, type LanguageModel } from "./model.ts";
import type { Random } from "./random.ts";

/** Settings of the choice. */
export interface Sampling {
  /** 0 takes the most probable token, 1 follows the model's probabilities, more evens them out. */
  readonly temperature: number;
  readonly random: Random;
}

/** The ids that follow a prompt, one after the other, without end. */
export function* continuation(
  model: LanguageModel,
  prompt: readonly number[],
  sampling: Sampling,
): Generator<number, never> {
  const probabilities = new Float64Array(model.vocabulary.length);
  let context = prompt.slice(-CONTEXT_LENGTH);
  for (;;) {
    predict(model, context, probabilities);
    const id = choose(probabilities, sampling);
    yield id;
    context = [...context, id].slice(-CONTEXT_LENGTH);
  }
}

function choose(probabilities: Float64Array, { temperature, random }: Sampling): number {
  let best = 0;
  let highest = 0;
  for (const [id, probability] of probabilities.entries()) {
    if (probability > highest) [best, highest] = [id, probability];
  }
  if (temperature === 0) return best;
  let sum = 0;
  for (const [id, probability] of probabilities.entries()) {
    // Divides by the highest probability before the power, so that a low temperature cannot make all of them zero.
    const weight = (probability / highest) ** (1 / temperature);
    probabilities[id] = weight;
    sum += weight;
  }
  let rest = random() * sum;
  for (const [id, weight] of probabilities.entries()) {
    rest -= weight;
    if (rest < 0) return id;
  }
  return best;
}
