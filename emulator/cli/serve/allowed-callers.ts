/** Reads the settings that say who may call: further names of the service, and origins of pages. */
import { isOriginPattern, ORIGIN_PATTERN_RULE } from "../../core/access/allowed-origins.ts";
import { HOST_PATTERN_RULE, isHostPattern } from "../../core/access/host-names.ts";
import { UsageError } from "../usage-error.ts";

type Names = readonly string[] | undefined;

/** @throws UsageError */
export function hostsOf(names: Names, source: string): Names {
  return checked(names, source, isHostPattern, HOST_PATTERN_RULE);
}

/** @throws UsageError */
export function originsOf(names: Names, source: string): Names {
  return checked(names, source, isOriginPattern, ORIGIN_PATTERN_RULE);
}

/** The names in a variable, with commas between them. */
export function listed(text: string | undefined): Names {
  if (text === undefined || text.trim() === "") return undefined;
  return text.split(",").map((name) => name.trim());
}

function checked(
  names: Names,
  source: string,
  isGood: (name: string) => boolean,
  rule: string,
): Names {
  const wrong = names?.find((name) => !isGood(name));
  if (wrong === undefined) return names;
  throw new UsageError(`${source} must ${rule}; got ${JSON.stringify(wrong)}`);
}
