// Shows the OpenAPI document of the service that this page comes from; runs in the browser.
const url = new URL("v1/openapi.json", document.baseURI).href;
let key;

// With a key, the document also shows the schemas of the endpoints' handlers.
const loadsAgainWithKey = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize:
          (authorize, { specActions }) =>
          (given) => {
            authorize(given);
            key = given.key?.value;
            specActions.download(url);
          },
        logout:
          (logout, { specActions }) =>
          (names) => {
            logout(names);
            key = undefined;
            specActions.download(url);
          },
      },
    },
  },
});

globalThis.SwaggerUIBundle({
  url,
  dom_id: "#operations",
  deepLinking: true,
  displayRequestDuration: true,
  // Without this, the page would send documents to an external validator.
  validatorUrl: null,
  plugins: [loadsAgainWithKey],
  requestInterceptor: (request) => {
    if (request.loadSpec && key) request.headers.authorization = `Bearer ${key}`;
    return request;
  },
});
