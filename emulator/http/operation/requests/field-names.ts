/** Translates field names in refusals of use cases into the names of a dialect. */
import { ServiceError } from "../../../core/service-error.ts";

/** Names of fields in the first version of REST, and their names in another dialect. */
export type FieldNames = Readonly<Record<string, string>>;

/** Does the work. Refusals with `invalid_request` name the fields as in this dialect. */
export async function inNames<T>(names: FieldNames, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "invalid_request") throw error;
    const message = error.message.replaceAll(/\w+/gu, (word) =>
      Object.hasOwn(names, word) ? (names[word] ?? word) : word,
    );
    throw new ServiceError(error.code, message, { cause: error, topic: error.topic });
  }
}
