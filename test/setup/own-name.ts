/**
 * The package's own name leads to its source, like `paths` in tsconfig.json for the compiler; otherwise it would
 * lead to dist/.
 */
import { registerHooks } from "node:module";
import tsconfig from "../../tsconfig.json" with { type: "json" };

const sources = new Map(
  Object.entries(tsconfig.compilerOptions.paths).map(([name, [file = ""]]) => [
    name,
    new URL(`../../${file}`, import.meta.url).href,
  ]),
);

registerHooks({
  resolve: (specifier, context, next) => next(sources.get(specifier) ?? specifier, context),
});
