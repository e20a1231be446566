/** Chooses the client's preferred media type among those on offer. */

/** The first of `offers` if the client accepts none of them. Of equal weights the first one counts. */
export function preferredType<Offer extends string>(
  accept: string | undefined,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  let best: Offer = offers[0];
  let bestWeight = 0;
  for (const range of (accept ?? "").toLowerCase().split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const offer = offers.find((candidate) => covers(type, candidate));
    const weight = weightOf(parameters);
    if (offer === undefined || weight <= bestWeight) continue;
    best = offer;
    bestWeight = weight;
  }
  return best;
}

function covers(range: string, type: string): boolean {
  return range === type || range === "*/*" || range === `${type.split("/")[0]}/*`;
}

function weightOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
  const weight = Number(text);
  return weight >= 0 && weight <= 1 ? weight : 0;
}
