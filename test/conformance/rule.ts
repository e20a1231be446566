/** A test that shows one rule of the interface and is named after it; docs/conformance.md lists them. */
import { test } from "vitest";
import type { Rule } from "./rules.ts";

/** @param name the exact rule: any other text does not compile */
export function rule(name: Rule, shown: () => Promise<void>): void {
  test(name, shown);
}
