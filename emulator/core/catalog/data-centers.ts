/**
 * The data centres of the live service, in its order (live). Other ids are accepted too (`DATA_CENTER`): all of them are this
 * machine (ours).
 */

/** Form of a data centre's id. */
export const DATA_CENTER = /^[A-Za-z0-9-]{1,32}$/;

export const REGIONS = [
  "NORTH_AMERICA",
  "SOUTH_AMERICA",
  "EUROPE",
  "ASIA",
  "MIDDLE_EAST",
  "AFRICA",
  "OCEANIA",
  "ANTARCTICA",
  "UNKNOWN",
] as const;

export type Region = (typeof REGIONS)[number];

export interface DataCenter {
  readonly id: string;
  readonly region: Region;
  /** Country code, ISO 3166-1 alpha-2. */
  readonly country: string;
}

const REGION_OF: Readonly<Record<string, Region>> = {
  AP: "ASIA",
  CA: "NORTH_AMERICA",
  EU: "EUROPE",
  EUR: "EUROPE",
  OC: "OCEANIA",
  US: "NORTH_AMERICA",
};

export const DATA_CENTERS: readonly DataCenter[] = [
  ...["EU-RO-1", "CA-MTL-1", "EU-SE-1", "US-IL-1", "EUR-IS-1", "EU-CZ-1", "US-TX-3", "EUR-IS-2"],
  ...["US-KS-2", "US-GA-2", "US-WA-1", "US-TX-1", "CA-MTL-3", "EU-NL-1", "US-TX-4", "US-CA-2"],
  ...["US-NC-1", "OC-AU-1", "US-DE-1", "EUR-IS-3", "CA-MTL-2", "AP-JP-1", "EUR-NO-1", "EU-FR-1"],
  ...["US-KS-3", "US-GA-1"],
].map((id) => {
  const [prefix = "", place = ""] = id.split("-");
  // In all other ids the second part is the country.
  const country = prefix === "US" || prefix === "CA" ? prefix : place;
  return { id, country, region: REGION_OF[prefix] ?? "UNKNOWN" };
});
