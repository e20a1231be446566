/** The echo with the default concurrency of a handler, which is 1. */
export { default } from "./echo.ts";
