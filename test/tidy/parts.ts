/** A use case names the few parts of the engine that it takes; here is everything that would take more. */
import type { ImportDeclaration, TSImportType, TSTypeReference } from "oxc-parser";
import { gather, type Source } from "./source.ts";

const composition = /^emulator\/engine\/(parts\/)?[^/]+$/;
const whole = "EngineContext";

/** A use case that takes more parts than this does more than one thing. */
const MOST_PARTS = 10;

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
      TSTypeReference: ({ typeName, typeArguments, start }: TSTypeReference) => {
        if (typeName.type !== "Identifier" || typeName.name !== "Uses") return;
        const [parts] = typeArguments?.params ?? [];
        if (parts?.type === "TSUnionType" && parts.types.length > MOST_PARTS)
          report(start, `takes more than ${MOST_PARTS} parts of the engine`);
      },
    };
  });
}
