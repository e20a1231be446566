/** Whether a text that came in an address can be a header of an answer. */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { S3Error } from "./s3-error.ts";

/** @param parameter the text's name in the address @throws S3Error InvalidArgument */
export function checkHeader(name: string, value: string, parameter: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (error) {
    throw new S3Error(
      "InvalidArgument",
      "a parameter that is to be a header must have no line breaks, and no characters outside of ISO 8859-1",
      { ArgumentName: parameter, ArgumentValue: value },
      { cause: error },
    );
  }
}
