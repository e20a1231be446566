// The handler: called once for each job, in a process of its own. Its result is the job's output.
import { defineHandler } from "sv-runtime";
import { input, output } from "./schema.ts";

const GREETINGS = { en: "Hello", de: "Hallo", fr: "Bonjour" } as const;

export default defineHandler({
  input,
  output,
  run({ input: { name, language } }, { log }) {
    log.info("greeting", { name, language });
    return { greeting: `${GREETINGS[language]}, ${name}!` };
  },
});
