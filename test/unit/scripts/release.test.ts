/** What a release states: one version everywhere, its section of the changelog, and the packages in its bundles. */
import { describe, expect, it } from "vitest";
import { billOfMaterials, bundledPackages } from "../../../scripts/release/bill-of-materials.ts";
import { changesOf, statedVersion } from "../../../scripts/release/statements.ts";

const FILES: Readonly<Record<string, string>> = {
  "package.json": '{\n  "name": "x",\n  "version": "1.2.3",\n  "engines": {}\n}\n',
  "package-lock.json":
    '{\n  "version": "1.2.3",\n  "packages": { "": { "version": "9.9.9" } }\n}\n',
  "templates/helm/Chart.yaml": "apiVersion: v2\nversion: 1.2.3\nappVersion: 1.2.3\n",
  "Dockerfile.base": 'LABEL org.opencontainers.image.version="1.2.3" \\\n',
};
const reader = (changed: Readonly<Record<string, string>> = {}) => {
  const files = { ...FILES, ...changed };
  return (file: string) => files[file] ?? "";
};

describe("the version", () => {
  it("is the one that all files state", () => {
    expect(statedVersion(reader())).toBe("1.2.3");
  });

  it.each([
    ["package-lock.json", '{\n  "version": "1.2.2"\n}\n', "package-lock.json has 1.2.2"],
    [
      "templates/helm/Chart.yaml",
      "version: 1.2.3\nappVersion: 1.2.2\n",
      "templates/helm/Chart.yaml has 1.2.2",
    ],
    [
      "Dockerfile.base",
      'LABEL org.opencontainers.image.version="1.0.0"',
      "Dockerfile.base has 1.0.0",
    ],
    ["Dockerfile.base", "FROM x", "Dockerfile.base states no version"],
  ])("is refused if %s states another one, or none", (file, text, message) => {
    expect(() => statedVersion(reader({ [file]: text }))).toThrow(message);
  });
});

describe("the changes", () => {
  const log =
    "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- b\n\n## [1.2.3] - 2026-01-01\n\n- a\n\n## [1.2.2]\n";

  it("are the section of the version, without its heading", () => {
    expect(changesOf(log, "1.2.3", false)).toBe("- a\n");
    expect(changesOf(log, "1.2.3", true)).toBe("- a\n");
  });

  it("are those without a version in a dry run only", () => {
    expect(changesOf(log, "2.0.0", true)).toBe("### Added\n\n- b\n");
    expect(() => changesOf(log, "2.0.0", false)).toThrow("no section [2.0.0]");
  });

  it("cannot be empty", () => {
    expect(() => changesOf(log, "1.2.2", false)).toThrow("says nothing about 1.2.2");
  });
});

describe("the bill of materials", () => {
  const undici = { name: "undici", version: "7.0.0", purl: "pkg:npm/undici@7.0.0" };
  const grpc = { name: "@grpc/grpc-js", version: "1.14.7" };
  const properties = [{ name: "cdx:npm:package:development", value: "true" }];
  const installed = {
    bomFormat: "CycloneDX",
    metadata: { component: { name: "a-folder", version: "1.2.3" } },
    components: [
      { ...undici, properties },
      { ...grpc, properties },
      { name: "vitest", version: "5.0.0", properties },
    ],
    dependencies: [{ ref: "vitest@5.0.0" }],
  };

  it("has the packages whose licences are in the bundles, and no tools", () => {
    const licences = [
      "@grpc/grpc-js 1.14.7, Apache-2.0\n\ntext 1.0.0 of it\n",
      "undici 7.0.0, MIT\n",
    ];
    expect(JSON.parse(billOfMaterials("sv-runtime", installed, bundledPackages(licences)))).toEqual(
      {
        bomFormat: "CycloneDX",
        metadata: { component: { name: "sv-runtime", version: "1.2.3" } },
        components: [undici, grpc],
      },
    );
  });

  it("is refused if a bundle has a package that is not installed", () => {
    expect(() => billOfMaterials("sv-runtime", installed, new Set(["undici@6.9.0"]))).toThrow(
      "no package is installed as undici@6.9.0",
    );
  });
});
