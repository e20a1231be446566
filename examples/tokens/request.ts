// Reads a job's request to the language model, and refuses invalid requests.

/** Bounds of a request. */
export const LIMITS = {
  promptCharacters: 10_000,
  maxTokens: 4096,
  temperature: 2,
  seed: 2 ** 32 - 1,
  delayMs: 1000,
} as const;

/** A checked request. */
export interface TokensRequest {
  readonly prompt: string;
  /** Number of tokens to make. */
  readonly maxTokens: number;
  readonly temperature: number;
  /** The same seed gives the same text; absent: the caller chooses one. */
  readonly seed: number | undefined;
  /** Pause before each token, so that a person can watch. */
  readonly delayMs: number;
}

const DEFAULTS = { maxTokens: 100, temperature: 0.7, delayMs: 0 } as const;

/**
 * Checks a job's input.
 *
 * @throws {TypeError} if a field is missing or has the wrong type @throws {RangeError} if a field is out of its bounds
 */
export function readRequest(input: unknown): TokensRequest {
  const fields = new Map(typeof input === "object" && input !== null ? Object.entries(input) : []);
  return {
    prompt: readPrompt(fields.get("prompt")),
    maxTokens:
      readInteger("maxTokens", fields.get("maxTokens"), 1, LIMITS.maxTokens) ?? DEFAULTS.maxTokens,
    temperature:
      readNumber("temperature", fields.get("temperature"), 0, LIMITS.temperature) ??
      DEFAULTS.temperature,
    seed: readInteger("seed", fields.get("seed"), 0, LIMITS.seed),
    delayMs: readNumber("delayMs", fields.get("delayMs"), 0, LIMITS.delayMs) ?? DEFAULTS.delayMs,
  };
}

function readPrompt(prompt: unknown): string {
  if (typeof prompt !== "string") {
    throw new TypeError(
      'input.prompt must be a string: send {"input":{"prompt":"It was","maxTokens":100}}.',
    );
  }
  if (prompt.length > LIMITS.promptCharacters) {
    throw new RangeError(
      `input.prompt has ${prompt.length} characters; at most ${LIMITS.promptCharacters} are read.`,
    );
  }
  return prompt;
}

function readNumber(name: string, value: unknown, min: number, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw new TypeError(`input.${name} must be a number.`);
  if (value >= min && value <= max) return value;
  throw new RangeError(`input.${name} is ${value}; it must lie between ${min} and ${max}.`);
}

function readInteger(name: string, value: unknown, min: number, max: number): number | undefined {
  const number = readNumber(name, value, min, max);
  if (number === undefined || Number.isInteger(number)) return number;
  throw new RangeError(`input.${name} is ${number}; it must be a whole number.`);
}
