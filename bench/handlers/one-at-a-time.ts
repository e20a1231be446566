/** The echo with the concurrency that a handler has unless it says otherwise, which is 1. */
export { default } from "./echo.ts";
