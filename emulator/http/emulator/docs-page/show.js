// Shows the document of the service this page comes from; runs in the browser.
const url = new URL("v1/openapi.json", document.baseURI).href;
let key;

// Who has a key is shown what the handlers of the endpoints take and give, too.
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
  // Otherwise documents are sent to a validator elsewhere.
  validatorUrl: null,
  plugins: [loadsAgainWithKey],
  requestInterceptor: (request) => {
    if (request.loadSpec && key) request.headers.authorization = `Bearer ${key}`;
    return request;
  },
});
