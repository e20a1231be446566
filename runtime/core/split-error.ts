/** The two reasons why a yielded value cannot become chunks. */

/** The value has no JSON form: it is `undefined`, a function, circular, holds a BigInt, or its `toJSON` threw. */
export class NotJsonError extends Error {
  override readonly name = "NotJsonError";
  readonly code = "not_json";
}

/**
 * The value is too large for one part and cannot be cut into smaller ones, because the keys and brackets that every
 * part has to repeat leave no room for what they lead to: a key is too long, or the nesting too deep for the limit.
 */
export class NotSplittableError extends Error {
  override readonly name = "NotSplittableError";
  readonly code = "not_splittable";
  /** Bytes of the keys and brackets that lead to the value that did not fit. */
  readonly pathBytes: number;
  /** The limit for one part, in bytes of JSON text. */
  readonly maxBytes: number;

  constructor(path: string, pathBytes: number, maxBytes: number) {
    super(
      `The value cannot be split into parts of at most ${maxBytes} bytes: the keys and brackets that lead to ` +
        `${path} take ${pathBytes} bytes in each part. Shorten the keys or nest less deeply.`,
    );
    this.pathBytes = pathBytes;
    this.maxBytes = maxBytes;
  }
}
