/** The packages of others that are bundled into the programs, as a bill of materials in CycloneDX. Pure. */

interface Component {
  readonly name: string;
  readonly version: string;
  /** npm says here that a package is needed for development only, as all are that get bundled. */
  readonly properties?: readonly unknown[];
}

export interface Materials {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly unknown[];
}

/** A package in a file of licences: its name, its version and its licence. */
const BUNDLED = /^((?:@[^\s/]+\/)?[^\s/]+) (\d+\.\d+\.\d+\S*), /gmu;

/** Names and versions, as `undici@7.0.0`, in the texts of the bundles' licences. */
export function bundledPackages(licences: readonly string[]): ReadonlySet<string> {
  const found = licences.flatMap((text) => [...text.matchAll(BUNDLED)]);
  return new Set(found.map(([, name, version]) => `${name}@${version}`));
}

/**
 * @param name of the project, which npm calls like its folder
 * @param installed bill of all packages that the project installs, as npm writes it
 * @param bundled names and versions, as `undici@7.0.0`
 * @throws Error with the bundled packages that are not among the installed ones
 */
export function billOfMaterials(
  name: string,
  installed: Materials,
  bundled: ReadonlySet<string>,
): string {
  const lacking = new Set(bundled);
  const components = installed.components
    .filter((component) => lacking.delete(`${component.name}@${component.version}`))
    .map((component) => ({ ...component, properties: undefined }));
  if (lacking.size > 0) throw new Error(`no package is installed as ${[...lacking].join(", ")}`);
  const { metadata } = installed;
  const own = { ...metadata, component: { ...metadata.component, name } };
  // The dependencies would be those of the project's own tools, too.
  const bill = { ...installed, metadata: own, components, dependencies: undefined };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}
