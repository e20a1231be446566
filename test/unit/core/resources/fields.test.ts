/** Tables of fields: the effect of a change of each field, and that each dialect reads back what it writes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isDeepStrictEqual } from "node:util";
import { endpointRolls } from "../../../../emulator/core/resources/endpoints/endpoint-change.ts";
import { ENDPOINT_FIELDS } from "../../../../emulator/core/resources/endpoints/endpoint-fields.ts";
import { type Field, kindOf } from "../../../../emulator/core/resources/fields.ts";
import { templateRolls } from "../../../../emulator/core/resources/templates/template-change.ts";
import {
  NEWER_TEMPLATE_FIELDS,
  TEMPLATE_FIELDS,
  templateOf,
} from "../../../../emulator/core/resources/templates/template-fields.ts";
import { localEndpoint } from "../../../../emulator/handlers/local-endpoint.ts";
import { sentFields, shownFields } from "../../../../emulator/http/management/graphql/fields.ts";
import { readBody, shownBelow } from "../../../../emulator/http/management/rest-v2/fields.ts";

const endpoint = localEndpoint({ id: "a" }, "2026-01-01T00:00:00Z");
const template = templateOf({ id: "a", imageName: "b" });

const NOUNS = [
  {
    noun: "endpoint",
    table: ENDPOINT_FIELDS,
    rolls: (change: object) => endpointRolls(endpoint, { ...endpoint, ...change }),
    present: endpoint,
  },
  {
    noun: "template",
    table: { ...TEMPLATE_FIELDS, ...NEWER_TEMPLATE_FIELDS },
    rolls: (change: object) => templateRolls(template, { ...template, ...change }),
    present: template,
  },
];

/** Values of the field's kind. */
function anyOf({ schema, shows = kindOf(schema, true) }: Field): fc.Arbitrary<unknown> {
  if (shows instanceof z.ZodBoolean) return fc.boolean();
  if (shows instanceof z.ZodEnum) return fc.constantFrom(...shows.options);
  if (shows instanceof z.ZodNumber)
    return fc.integer({ min: shows.minValue ?? 0, max: Math.min(shows.maxValue ?? 99, 1e6) });
  if (shows instanceof z.ZodArray) return fc.array(fc.constantFrom("12.4", "12.8", "13.0"));
  if (shows instanceof z.ZodRecord)
    return fc.dictionary(fc.stringMatching(/^[A-Z]$/u), fc.string());
  return fc.constantFrom("12.4", "12.8");
}

describe.each(NOUNS)("the fields of a $noun", ({ table, rolls, present }) => {
  it("replace the workers at a change, unless their row says in place", () => {
    for (const [name, field] of Object.entries<Field>(table)) {
      const isDefault = (value: unknown) =>
        isDeepStrictEqual(value, Reflect.get(present, name) ?? []);
      fc.assert(
        fc.property(anyOf(field), (value) => {
          expect(rolls({ [name]: value }), name).toBe(!field.isInPlace && !isDefault(value));
        }),
      );
    }
  });

  it("can be read back from REST v2", () => {
    for (const [name, field] of Object.entries<Field>(table)) {
      const { restV2 } = field;
      if (restV2 === undefined) continue;
      const at = typeof restV2 === "string" ? restV2 : restV2.at;
      const [last = "", below = ""] = at.split(".").toReversed();
      const only = { [name]: field };
      fc.assert(
        fc.property(anyOf(field), (value) => {
          const written = { [last]: shownBelow(only, { [name]: value }, below)[last] };
          const body = below === "" ? written : { [below]: written };
          expect(readBody(only, body)).toEqual({ [name]: value });
        }),
      );
    }
  });

  it("can be read back from GraphQL", () => {
    for (const [name, field] of Object.entries<Field>(table)) {
      if (field.graphql === false) continue;
      const only = {
        [name]: { ...field, graphql: { ...field.graphql, takesEmpty: true } } as const,
      };
      fc.assert(
        fc.property(anyOf(field), (value) => {
          const shown = shownFields(only, { [name]: value });
          expect(sentFields(only, shown)).toEqual({ [name]: value });
        }),
      );
    }
  });
});
