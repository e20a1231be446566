/** The version of this package, as workers tell it to the service; a test holds it to package.json. */
export const RUNTIME_VERSION = "0.1.0";
