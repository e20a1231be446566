/** The version of this package, which workers report to the service. A test compares it with package.json. */
export const RUNTIME_VERSION = "0.1.0";
