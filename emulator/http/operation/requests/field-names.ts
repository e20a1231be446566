/** Refusals of what use cases take, in the names of a dialect whose bodies have others. */
import { ServiceError } from "../../../core/service-error.ts";

/** Names of fields in the first version of REST, and what stands for each in another dialect. */
export type FieldNames = Readonly<Record<string, string>>;

/** Does the work; what it refuses with `invalid_request` speaks of fields by the names that they have here. */
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
