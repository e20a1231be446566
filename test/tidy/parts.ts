/**
 * A use case takes the ports that it needs; this rule finds use cases that take the whole engine, and ports that
 * are too large.
 */
import type { ImportDeclaration, TSImportType, TSInterfaceDeclaration } from "oxc-parser";
import { gather, type Source } from "./source.ts";

const composition = /^emulator\/engine\/(parts\/)?[^/]+$/;
const whole = "EngineContext";

/** Maximum number of members of a port; a larger one is split. */
const MOST_MEMBERS = 12;

export function partsOffences(source: Source): string[] {
  if (!source.path.startsWith("emulator/")) return [];
  const mayTakeAll = composition.test(source.path);
  return gather(source, (report) => {
    const refuseWhole = (name: string, start: number) => {
      if (name === whole && !mayTakeAll) report(start, "takes the whole engine");
    };
    return {
      ImportDeclaration: ({ specifiers, start }: ImportDeclaration) => {
        for (const specifier of specifiers) {
          if (specifier.type !== "ImportSpecifier") continue;
          if (specifier.imported.type === "Identifier") refuseWhole(specifier.imported.name, start);
        }
      },
      TSImportType: ({ qualifier, start }: TSImportType) => {
        if (qualifier?.type === "Identifier") refuseWhole(qualifier.name, start);
      },
      TSInterfaceDeclaration: ({ id, body, start }: TSInterfaceDeclaration) => {
        if (id.name.endsWith("Port") && body.body.length > MOST_MEMBERS)
          report(start, `has more than ${MOST_MEMBERS} members`);
      },
    };
  });
}
