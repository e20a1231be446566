// Shows the document of the service this page comes from; runs in the browser.
globalThis.SwaggerUIBundle({
  url: new URL("v1/openapi.json", document.baseURI).href,
  dom_id: "#operations",
  deepLinking: true,
  displayRequestDuration: true,
  // Otherwise documents are sent to a validator elsewhere.
  validatorUrl: null,
});
