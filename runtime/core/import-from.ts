/** Imports of a bundle that Node resolves from another place than the bundle's source. */

/** Separator between the specifier and the URL of the file that imports it. */
export const FROM = "?sv-from=";
